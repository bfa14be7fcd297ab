// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// mbarrier: a counter in shared memory that threads and TMA arrive at (sm_90). The default qualifiers are
// meant: .release.cluster and .acquire.cluster on these cost a quarter of a matrix kernel's speed.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline void init_barrier(std::uint32_t barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// After init_barrier, before anybody else, another block of the cluster even, may use them.
__device__ inline void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

/// Arrives, and lets the phase end only when so many bytes have been copied.
__device__ inline void expect_bytes(std::uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ inline void arrive(std::uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// At the barrier that stands at the same address in another block of the cluster.
__device__ inline void arrive_at(std::uint32_t barrier, int block) {
    asm volatile(
        "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier),
        "r"(block)
        : "memory");
}

/// Until the phase of this parity has ended.
__device__ inline void wait_barrier(std::uint32_t barrier, std::uint32_t parity) {
    std::uint32_t done;
    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!done);
}

}  // namespace tw::cuda::ptx
