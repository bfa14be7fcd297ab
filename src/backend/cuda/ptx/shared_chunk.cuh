// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// 16 bytes from shared memory as words, in their place among other loads and barriers.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

/// At a multiple of 16 bytes.
__device__ inline uint4 load_chunk(std::uint32_t from) {
    uint4 x;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(from)
                 : "memory");
    return x;
}

}  // namespace tw::cuda::ptx
