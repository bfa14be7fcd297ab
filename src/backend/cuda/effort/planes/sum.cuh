// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Adds the warps' sums of planes to y in a fixed order: over a block's warps, then over a cluster's blocks.
#pragma once

#include "backend/cuda/effort/planes/planes.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"

namespace tw::cuda::effort::plane_kernels {

/// Writes the entries of the lane's inputs, for the report.
__device__ inline void note(const Params& w, const BlockPlace& at, int begin, int there, const LaneInputs& mine) {
    EffortEntry* entries = w.entries + static_cast<std::int64_t>(at.product) * w.m.inputs + begin;
#pragma unroll
    for (int i = 0; i < own; ++i)
        if (i < there) entries[i] = {static_cast<std::uint32_t>(begin + i), mine.k[i], mine.v[i]};
}

/// The sums of all blocks of a cluster for the outputs that one block writes to y, and a barrier: all have arrived.
template <int ranks>
struct SumsOfBlocks {
    static constexpr int of_rank = (outputs + ranks - 1) / ranks;

    float of[ranks][of_rank];
    std::uint64_t here;
    bool is_last;  ///< the last of the clusters that share a tile

    /// One thread calls it before any block of the cluster goes on.
    __device__ void expect(int rank) {
        if constexpr (ptx::are_together<ranks>) {
            ptx::init_barrier(ptx::shared_address(&here), 1);
            ptx::publish_barriers();
            ptx::expect_bytes(ptx::shared_address(&here), 4 * ranks * min(of_rank, outputs - rank * of_rank));
        }
    }
};

/// Clusters that share a tile leave their sums in global memory; the last one to arrive (it gets true) adds them up in
/// the clusters' order. Called by one thread for each of the block's outputs.
template <int ranks>
__device__ bool add_clusters(const Params& w, const BlockPlace& at, int output, int rank, SumsOfBlocks<ranks>& sums,
                             float& sum) {
    constexpr int of_rank = SumsOfBlocks<ranks>::of_rank;
    partial_of(w, at, at.chunk)[output] = sum;
    __threadfence();
    ptx::sync_named(1, of_rank);
    if (output % of_rank == 0) {
        unsigned* arrived = w.arrived + (at.product * w.m.tiles + at.tile) * ranks + rank;
        const auto last = static_cast<unsigned>(w.chunks - 1);
        sums.is_last = atomicInc(arrived, last) == last;  // wraps to 0 for the next product
    }
    ptx::sync_named(1, of_rank);
    if (!sums.is_last) return false;
    __threadfence();
    sum = 0;
    for (int c = 0; c < w.chunks; ++c) sum = __fadd_rn(sum, __ldcg(partial_of(w, at, c) + output));
    return true;
}

/// A warp's total[q] is for the four outputs from 128 q + 32 four + 4 row on. Every block of the cluster has begun.
template <int ranks, bool tiles_are_shared = false>
__device__ void add_up(const Params& w, const BlockPlace& at, WarpMemory (&warp_memory)[warps],
                       SumsOfBlocks<ranks>& sums, const float4 (&total)[2], int rank, double factor) {
    const Lane my;
    const auto sums_of = [&](int warp) {
        return reinterpret_cast<float*>(warp_memory[warp].a);
    };  // in plane A's memory, which is free now
    __syncwarp();
#pragma unroll
    for (int q = 0; q < 2; ++q)
        reinterpret_cast<float4*>(sums_of(static_cast<int>(threadIdx.x) / 32))[32 * q + 8 * my.four + my.row] =
            total[q];
    __syncthreads();
    const int o = static_cast<int>(threadIdx.x);
    if (o >= outputs) return;
    constexpr int of_rank = SumsOfBlocks<ranks>::of_rank;
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < warps; ++warp) sum = __fadd_rn(sum, sums_of(warp)[o]);
    if constexpr (ptx::are_together<ranks>) {
        ptx::send_float_to(&sums.of[rank][o % of_rank], o / of_rank, sum, ptx::shared_address(&sums.here));
        if (o >= of_rank) return;
        // A block must not exit while its peers access its shared memory.
        ptx::wait_barrier(ptx::shared_address(&sums.here), 0);
        sum = 0;
#pragma unroll
        for (int r = 0; r < ranks; ++r) sum = __fadd_rn(sum, sums.of[r][o]);
    }
    const int mine = rank * of_rank + o, to = at.tile * outputs + mine;
    if (mine >= outputs) return;
    if constexpr (tiles_are_shared)
        if (w.chunks > 1 && !add_clusters(w, at, mine, rank, sums, sum)) return;
    if (to < w.m.outputs) w.y[at.product * w.y_step + to] = static_cast<float>(static_cast<double>(sum) * factor);
}

}  // namespace tw::cuda::effort::plane_kernels
