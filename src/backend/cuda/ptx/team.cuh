// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Blocks and warpgroups as a team (sm_90): clusters, named barriers, registers handed from one to another, and kernels
// that begin before the one in front of them has ended.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline int rank_in_cluster() {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/// Every thread of every block of the cluster.
__device__ inline void sync_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
/// The same in two halves, for warps whose threads are not together.
__device__ inline void arrive_at_cluster() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
__device__ inline void wait_for_cluster() { asm volatile("barrier.cluster.wait;" ::: "memory"); }

/// The `threads` threads that use this number; 0 is __syncthreads().
__device__ inline void sync_named(int number, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/// The same, and whether it is true of all of them. The vote tells the compiler what it can't know of a barrier, that a
/// warp's threads get one answer: else it takes all that follows for diverged, and products' descriptors leave the
/// uniform registers.
__device__ inline bool all_of_named(int number, int threads, bool mine) {
    int all;
    asm volatile(
        "{\n.reg .pred p, q;\nsetp.ne.s32 p, %1, 0;\nbarrier.cta.red.and.pred q, %2, %3, p;\nselp.s32 %0, 1, 0, q;\n}"
        : "=r"(all)
        : "r"(static_cast<int>(mine)), "r"(number), "r"(threads)
        : "memory");
    return __all_sync(~0u, all);
}

template <int registers>
__device__ void give_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

/// Until the kernel in front has ended and its writes are seen. Before Hopper kernels never overlap.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// The kernel behind may begin; it waits by itself for this one's writes.
__device__ inline void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace tw::cuda::ptx
