// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Two whole numbers of 16 bits in a word, one instruction for both.
#pragma once

namespace tw::cuda::ptx {

__device__ inline unsigned upper_halves(unsigned low, unsigned high) { return __byte_perm(low, high, 0x7632); }

/// The sum of each with its own, brought to 0..most.
__device__ inline unsigned add_within(unsigned x, unsigned y, unsigned most) { return __viaddmin_s16x2_relu(x, y, most); }

/// All bits of a half where it is so. Numbers of 0..2^15 - 1: below 2^15 - 2^10 they are ordered as the numbers that have half precision are.
__device__ inline unsigned are_equal(unsigned x, unsigned y) {
    unsigned mask;
    asm("set.eq.u32.f16x2 %0, %1, %2;" : "=r"(mask) : "r"(x), "r"(y));
    return mask;
}
__device__ inline unsigned are_above(unsigned x, unsigned y) {
    unsigned mask;
    asm("set.gt.u32.f16x2 %0, %1, %2;" : "=r"(mask) : "r"(x), "r"(y));
    return mask;
}

}  // namespace tw::cuda::ptx
