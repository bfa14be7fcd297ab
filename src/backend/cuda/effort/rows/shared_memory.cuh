// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The shared memory of a block of buckets or tiers, and the list in it of a round's rows.
#pragma once

#include "backend/cuda/effort/rows/falls.cuh"
#include "backend/cuda/effort/rows/sum.cuh"

namespace tw::cuda::effort::row_kernels {

constexpr int most_ranks = 2,
              inputs_for_one = 6144;  ///< blocks that choose together; inputs that a block chooses from alone
constexpr int warps = 16, threads = 32 * warps;
/// Blocks that fit on a multiprocessor: one of this product and one of the next, if 64 registers are enough.
#if __CUDA_ARCH__ >= 900
template <bool has_few_registers>
constexpr int blocks_at_once = has_few_registers ? 2 : 1;
#else
template <bool>
constexpr int blocks_at_once = 1;
#endif
/// The sums of a warp are aligned to their size, so that a position can be or-ed into an address.
constexpr int bytes_of_sums = 4 * outputs;

/// What precedes the sums. Row::together rows are copied at once into each of Row::stages stages.
template <class Row>
struct SharedMemory {
    static constexpr int together = Row::together, bytes_of_stage = together * Row::bytes;
    struct alignas(4 * together) Factors {
        float v[together];
    };
    alignas(128) std::byte ring[warps][Row::stages][bytes_of_stage];
    Factors factors[warps][Row::stages];  ///< of the rows in the ring
    float v[threads];                     ///< of a round's inputs
    union {
        std::uint16_t rows[Row::most_rows];  ///< of a round, counted from the first row of its first input
        Falls falls;                         ///< until the first round's rows are listed
    };
    alignas(16) int of_warp[warps];
    Part part;  ///< kept here to save registers
    cutoff_search::Cutoff cutoff;
    unsigned most;        ///< the largest |v|
    unsigned magnitudes;  ///< summed over the block's inputs
    int listed;
    bool is_last;
};
/// The device reserves the first 1024 bytes of a block's shared memory.
template <class Row>
constexpr std::size_t shared_bytes =
    (sizeof(SharedMemory<Row>) + 1024 + bytes_of_sums - 1) / bytes_of_sums * bytes_of_sums +
    Row::arrays * bytes_of_sums;

struct Round {
    int inputs, rows;
};

/// Lists the rows of the threads' inputs, in order, for as many inputs as fit into the list.
template <class Row>
__device__ Round list_rows(SharedMemory<Row>& shared, int units) {
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    int upto = ptx::prefix_of_warp(units);
    if (lane == 31) shared.of_warp[warp] = upto;
    __syncthreads();
    Round round{threads, 0};
    const int of_warp = lane < warps ? shared.of_warp[lane] : 0;
    round.rows = __reduce_add_sync(~0u, of_warp), upto += __reduce_add_sync(~0u, lane < warp ? of_warp : 0);
    if (round.rows > Row::most_rows) {
        round.inputs = __syncthreads_count(upto <= Row::most_rows);
        if (thread == round.inputs - 1) shared.listed = upto;
        __syncthreads();
        round.rows = shared.listed;
    }
    const int first = thread * Row::units;
    std::uint16_t* rows = shared.rows + upto - units;
#pragma unroll
    for (int u = 0; u < Row::units; ++u)
        if (u < units && upto <= Row::most_rows) rows[u] = static_cast<std::uint16_t>(first + u);
    __syncthreads();
    return round;
}

}  // namespace tw::cuda::effort::row_kernels
