// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shared memory of the other blocks of a cluster (sm_90). Before Hopper a block is its own cluster, alone.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/cp_async.cuh"

namespace tw::cuda::ptx {

/// Can blocks of a cluster of so many, on what this is compiled for, tell each other anything?
template <int ranks>
#if __CUDA_ARCH__ >= 900
constexpr bool are_together = ranks > 1;
#else
constexpr bool are_together = false;
#endif

/// A kernel of several blocks that know of each other is never launched before Hopper: nothing has to be made of it
/// there.
template <int ranks>
constexpr bool is_launched = ranks == 1 || are_together<ranks>;

__device__ inline std::uint32_t address_in(std::uint32_t address, int block) {
#if __CUDA_ARCH__ >= 900
    std::uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
    return there;
#else
    return address;
#endif
}

/// A word, two or four at `address` in a block of the cluster.
__device__ inline void read_in(std::uint32_t address, int block, std::uint32_t (&x)[1]) {
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x[0]) : "r"(address_in(address, block)) : "memory");
#else
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x[0]) : "r"(address) : "memory");
#endif
}
__device__ inline void read_in(std::uint32_t address, int block, std::uint32_t (&x)[2]) {
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];"
                 : "=r"(x[0]), "=r"(x[1])
                 : "r"(address_in(address, block))
                 : "memory");
#else
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "r"(address) : "memory");
#endif
}
__device__ inline void read_in(std::uint32_t address, int block, std::uint32_t (&x)[4]) {
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(address_in(address, block))
                 : "memory");
#else
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(address)
                 : "memory");
#endif
}

/// 16 bytes, by blocks of a cluster alone.
__device__ inline double2 read_two_doubles_in(std::uint32_t address, int block) {
    double2 x{};
#if __CUDA_ARCH__ >= 900
    asm volatile("ld.shared::cluster.v2.f64 {%0, %1}, [%2];"
                 : "=d"(x.x), "=d"(x.y)
                 : "r"(address_in(address, block))
                 : "memory");
#endif
    return x;
}

/// From the block's own memory where it is alone.
template <int ranks, int words>
__device__ void read_of_rank(const void* here, int rank, std::uint32_t (&x)[words]) {
    if constexpr (ranks > 1) {
        read_in(shared_address(here), rank, x);
    } else {
#pragma unroll
        for (int n = 0; n < words; ++n) x[n] = static_cast<const std::uint32_t*>(here)[n];  // neighbours: one load
    }
}

/// Two or one word to the same place in a block of the cluster, and to the mbarrier there at this address as so many
/// bytes that have come (sm_90).
__device__ inline void send_to(void* here, int block, const std::uint32_t (&x)[2], std::uint32_t barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];" ::"r"(
                     address_in(shared_address(here), block)),
                 "r"(x[0]), "r"(x[1]), "r"(address_in(barrier, block))
                 : "memory");
#endif
}
__device__ inline void send_to(void* here, int block, std::uint32_t x, std::uint32_t barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     address_in(shared_address(here), block)),
                 "r"(x), "r"(address_in(barrier, block))
                 : "memory");
#endif
}

/// Adds to a counter of a block of the cluster; what it was before.
template <int ranks>
__device__ std::uint32_t add_in_rank(std::uint32_t* here, int rank, std::uint32_t x) {
    std::uint32_t before;
    if constexpr (are_together<ranks>)
        asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "r"(address_in(shared_address(here), rank)), "r"(x)
                     : "memory");
    else
        asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(shared_address(here)), "r"(x) : "memory");
    return before;
}

__device__ inline float read_float_in(const float* here, int block) {
    std::uint32_t bits[1];
    read_in(shared_address(here), block, bits);
    return __uint_as_float(bits[0]);
}

/// To the same place in a block of the cluster.
__device__ inline void write_float_in(float* here, int block, float x) {
#if __CUDA_ARCH__ >= 900
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address_in(shared_address(here), block)), "f"(x) : "memory");
#else
    *here = x;
#endif
}

/// To the same place in a block of the cluster, and to the mbarrier there at this address as four bytes that have come
/// (sm_90).
__device__ inline void send_float_to(float* here, int block, float x, std::uint32_t barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
                     address_in(shared_address(here), block)),
                 "f"(x), "r"(address_in(barrier, block))
                 : "memory");
#endif
}

/// Every thread of every block of the cluster; of `ranks` = 1, of the block. What was written to the memory of any of
/// them, and read there, is done.
template <int ranks>
__device__ void sync_ranks() {
#if __CUDA_ARCH__ >= 900
    if constexpr (ranks > 1) {
        asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        return;
    }
#endif
    __syncthreads();
}

/// The two halves of sync_ranks(), with nothing to be seen of what was written.
template <int ranks>
__device__ void arrive_at_ranks() {
#if __CUDA_ARCH__ >= 900
    if constexpr (ranks > 1) asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
template <int ranks>
__device__ void wait_for_ranks() {
#if __CUDA_ARCH__ >= 900
    if constexpr (ranks > 1) asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/// The same for what a block wrote to its own shared memory alone: nothing waits for the memory of the device.
template <int ranks>
__device__ void publish_to_ranks() {
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 13
    if constexpr (ranks > 1) {
        asm volatile(
            "fence.release.sync_restrict::shared::cta.cluster;\nbarrier.cluster.arrive.relaxed.aligned;\n"
            "barrier.cluster.wait.aligned;\nfence.acquire.sync_restrict::shared::cluster.cluster;" ::
                : "memory");
        return;
    }
#endif
    sync_ranks<ranks>();
}

template <int ranks>
__device__ int own_rank() {
    return static_cast<int>(blockIdx.x) % ranks;
}

/// So many bytes, a multiple of 16 from a multiple of 16, will be asked for soon: to the second cache.
__device__ inline void bring_closer(const void* from, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
#endif
}

}  // namespace tw::cuda::ptx
