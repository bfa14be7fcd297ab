// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Counters in global memory, by which blocks that run at the same time tell one another what is done.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

/// Ordinary stores to global memory, before copy engines read them; and again by whoever then starts those copies.
__device__ inline void publish_to_copies() {
    asm volatile("fence.acq_rel.gpu;\nfence.proxy.async;" ::: "memory");
}

__device__ inline void count_up(unsigned* counter) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

__device__ inline void wait_for_count(const unsigned* counter, unsigned all) {
    unsigned now;
    for (;;) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
        if (now >= all) return;
        __nanosleep(200);
    }
}

}  // namespace tw::cuda::ptx
