// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Whole numbers four bytes or 32 bits at a time, one instruction each (sm_80).
#pragma once

namespace tw::cuda::ptx {

/// sum + the four products of a's bytes, which have no sign, and b's, which have one.
__device__ inline int dot(unsigned a, unsigned b, int sum) {
    asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
    return sum;
}

/// Bit by bit: of `one` where the mask is set, else of `other`.
template <unsigned mask>
__device__ unsigned select_bits(unsigned one, unsigned other) {
    unsigned both;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(both) : "r"(mask), "r"(one), "r"(other));
    return both;
}

}  // namespace tw::cuda::ptx
