// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The only wave's tiles, each in two parts of k by two blocks of a cluster. No sums go through memory, and no kernel
// comes behind: of a tile's two warpgroups of rows each block finishes one, and sends the other's sums to its peer.
//
//              block 0: first part of k        block 1: the other
//    rows 0    | sums | + <------------------- | sums |                -> C
//    rows 64   | sums | -------------------> + | sums |                -> C
#pragma once

#include "backend/cuda/ptx/cluster_store.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda {

/// By the threads that multiply nothing: the barriers of add_other_part().
__device__ inline void see_other_part() {
    ptx::arrive_at_cluster();
    ptx::wait_for_cluster();
    ptx::arrive_at_cluster();
}

/// False for a warpgroup whose sums another block finishes. `ring`: where stages lie until all are read.
template <int width>
__device__ bool add_other_part(float (&sums)[width / 2], std::uint32_t ring, int warpgroup, int thread) {
    const int rank = ptx::rank_in_cluster();
    const std::uint32_t here = ring + static_cast<std::uint32_t>(thread) * 16;
    ptx::arrive_at_cluster();
    ptx::wait_for_cluster();  // both rings are read
    if (warpgroup != rank) {
        const std::uint32_t there = ptx::place_in(here, 1 - rank);
#pragma unroll
        for (int g = 0; g < width / 8; ++g)
            ptx::store_4_in(there + g * 128 * 16, sums[4 * g], sums[4 * g + 1], sums[4 * g + 2], sums[4 * g + 3]);
    }
    ptx::arrive_at_cluster();
    if (warpgroup != rank) return false;
    ptx::wait_for_cluster();
#pragma unroll
    for (int g = 0; g < width / 8; ++g) {
        const float4 other = ptx::load_4(here + g * 128 * 16);
        sums[4 * g] += other.x, sums[4 * g + 1] += other.y, sums[4 * g + 2] += other.z, sums[4 * g + 3] += other.w;
    }
    return true;
}

}  // namespace tw::cuda
