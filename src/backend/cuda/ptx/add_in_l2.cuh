// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Additions that the L2 does by itself (sm_90). They round to nearest, and numbers below 2^-126 count as 0.
#pragma once

namespace tw::cuda::ptx {

__device__ inline void add_in_l2(float4* to, float4 x) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(x.x), "f"(x.y), "f"(x.z),
                 "f"(x.w)
                 : "memory");
}

}  // namespace tw::cuda::ptx
