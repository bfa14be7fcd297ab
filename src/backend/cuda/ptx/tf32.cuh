// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f32 rounded to the 11 bits that the matrix unit reads of it (sm_80). A number that would round to infinity is cut.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline float round_to_tf32(float x) {
    std::uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    const bool overflowed = (bits & 0x7fffffffu) == 0x7f800000u && (__float_as_uint(x) & 0x7fffffffu) != 0x7f800000u;
    return __uint_as_float(overflowed ? __float_as_uint(x) & 0xffffe000u : bits);
}

}  // namespace tw::cuda::ptx
