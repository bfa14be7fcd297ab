// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f32 rounded to the 11 bits that the matrix unit reads of it: to the nearest, ties to even, as TMA does it. A number
// that would round to infinity is cut.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline float round_to_tf32(float x) {
    const std::uint32_t bits = __float_as_uint(x), rounded = (bits + 0xfffu + (bits >> 13 & 1)) & 0xffffe000u;
    if ((bits & 0x7f800000u) == 0x7f800000u) return x;
    const bool overflows = (rounded & 0x7f800000u) == 0x7f800000u;
    return __uint_as_float(overflows ? bits & 0xffffe000u : rounded);
}

}  // namespace tw::cuda::ptx
