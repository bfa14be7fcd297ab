// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f32 cut into two parts of the 11 bits that the matrix unit reads.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

/// The large part is rounded, the small one cut by the unit. Of a number near f32's least ones the small part has fewer
/// bits, and a NaN would round to a zero: the large part is a NaN then, so that what it is multiplied into is found not
/// to be finite, and summed anew.
__device__ inline void cut_to_tf32(float x, std::uint32_t& large, std::uint32_t& small) {
    constexpr std::uint32_t twice_least = 0x1a000000u, a_nan = 0x7fffffffu;  // of 2^-101, without its sign
    const std::uint32_t bits = __float_as_uint(x), rounded = (bits + 0x1000u) & 0xffffe000u;
    const bool is_poor = 2 * bits - 1 < twice_least - 1 || x != x;  // zero is not
    small = __float_as_uint(x - __uint_as_float(rounded));
    large = is_poor ? a_nan : rounded;
}

}  // namespace tw::cuda::ptx
