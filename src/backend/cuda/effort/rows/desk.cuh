// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a block of buckets or tiers cuts its shared memory, and the rows of a round's inputs listed in it.
#pragma once

#include "backend/cuda/effort/rows/falls.cuh"
#include "backend/cuda/effort/rows/sum.cuh"

namespace tw::cuda::effort::of_rows {

constexpr int most_ranks = 2,
              inputs_for_one = 6144;  ///< blocks that choose as one, and how many a block chooses from by itself
constexpr int warps = 16, threads = 32 * warps;
/// Blocks that find room on a multiprocessor, one of this product and one of the next, if 64 registers do.
#if __CUDA_ARCH__ >= 900
template <bool has_few_registers>
constexpr int blocks_at_once = has_few_registers ? 2 : 1;
#else
template <bool>
constexpr int blocks_at_once = 1;
#endif
/// The sums of a warp begin at a multiple of their size: a position is put into an address as it is.
constexpr int bytes_of_sums = 4 * outputs;

/// What lies in front of the sums. Row::together rows are copied as one, and Row::stages such are on their way.
template <class Row>
struct Desk {
    static constexpr int together = Row::together, bytes_of_stage = together * Row::bytes;
    struct alignas(4 * together) Factors {
        float v[together];
    };
    alignas(128) std::byte ring[warps][Row::stages][bytes_of_stage];
    Factors factors[warps][Row::stages];  ///< of the rows that are on their way
    float v[threads];                     ///< of a round's inputs
    union {
        std::uint16_t rows[Row::most_rows];  ///< of a round, from the first one of its first input
        Falls falls;                         ///< until the first round's are listed
    };
    alignas(16) int of_warp[warps];
    Part part;  ///< for later: registers are few
    of_choice::Cutoff cutoff;
    unsigned most;        ///< the largest |v|
    unsigned magnitudes;  ///< of the inputs that the block has
    int listed;
    bool is_last;
};
/// The first 1024 bytes of a block's memory are the device's own.
template <class Row>
constexpr std::size_t shared =
    (sizeof(Desk<Row>) + 1024 + bytes_of_sums - 1) / bytes_of_sums * bytes_of_sums + Row::arrays * bytes_of_sums;

struct Round {
    int inputs, rows;
};

/// Lists the rows of the inputs that threads have, in order, of as many as there is room for.
template <class Row>
__device__ Round list_rows(Desk<Row>& desk, int units) {
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    int upto = ptx::prefix_of_warp(units);
    if (lane == 31) desk.of_warp[warp] = upto;
    __syncthreads();
    Round round{threads, 0};
    const int of_warp = lane < warps ? desk.of_warp[lane] : 0;
    round.rows = __reduce_add_sync(~0u, of_warp), upto += __reduce_add_sync(~0u, lane < warp ? of_warp : 0);
    if (round.rows > Row::most_rows) {
        round.inputs = __syncthreads_count(upto <= Row::most_rows);
        if (thread == round.inputs - 1) desk.listed = upto;
        __syncthreads();
        round.rows = desk.listed;
    }
    const int first = thread * Row::units;
    std::uint16_t* rows = desk.rows + upto - units;
#pragma unroll
    for (int u = 0; u < Row::units; ++u)
        if (u < units && upto <= Row::most_rows) rows[u] = static_cast<std::uint16_t>(first + u);
    __syncthreads();
    return round;
}

}  // namespace tw::cuda::effort::of_rows
