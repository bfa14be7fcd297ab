// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Loads from shared memory by its own addresses, which keep 32 bits and take constant offsets.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline float4 load_4(std::uint32_t from) {
    float4 four;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "r"(from)
                 : "memory");
    return four;
}

}  // namespace tw::cuda::ptx
