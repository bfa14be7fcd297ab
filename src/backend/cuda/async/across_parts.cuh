// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Parts of k of a tile by the blocks of a cluster, where an operand lies across k: which of them a block has, and what
// all of them have summed.
#pragma once

#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda {

/// Which of all clusters this is, and how many there are, as the device says it. Reckoned by a division they are in
/// ordinary registers, the compiler takes the producer's loops for diverged, and a step takes a tenth longer.
__device__ inline int own_cluster() {
    int which;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(which));
    return which;
}
__device__ inline int all_clusters() {
    int count;
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
    return count;
}

/// A block's part.
template <class S>
__device__ int own_part() {
    if constexpr (S::cuts) return ptx::rank_in_cluster();
    else return 0;
}

/// By all consumers of a cluster that has parts of k; who feeds them has ended, or soon will have.
__device__ inline void meet_for_sums() { ptx::arrive_at_cluster(), ptx::wait_for_cluster(); }

/// A thread's sums of each block's part of k, four of them every 2 KiB in that block's memory; a block adds up, and
/// stores, some 32 columns.
struct SumsOfParts {
    std::uint32_t at;
    int parts, part;

    template <int N>
    __device__ void keep(const float (&sums)[N / 2]) const {
#pragma unroll
        for (int i = 0; i < N / 2; i += 4) {
            const std::uint32_t four[4] = {__float_as_uint(sums[i]), __float_as_uint(sums[i + 1]),
                                           __float_as_uint(sums[i + 2]), __float_as_uint(sums[i + 3])};
            ptx::store_16(at + i * 512, four);
        }
    }
    template <int columns>
    __device__ void add(float (&slice)[columns / 2], int from) const {
#pragma unroll
        for (float& sum : slice) sum = 0;
#pragma unroll 1
        for (int its = 0; its < parts; ++its)
#pragma unroll
            for (int i = 0; i < columns / 2; i += 4) {
                std::uint32_t x[4];
                ptx::read_in(at + (from / 2 + i) * 512, its, x);
#pragma unroll
                for (int j = 0; j < 4; ++j) slice[i + j] += __uint_as_float(x[j]);
            }
    }
};

}  // namespace tw::cuda
