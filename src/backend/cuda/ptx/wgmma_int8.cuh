// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// wgmma for int8: a warpgroup's product of 64 rows of A and 256 of B^T, 32 of k deep, summed exactly in registers.
#pragma once

#include "backend/cuda/ptx/wgmma.cuh"

namespace tw::cuda::ptx {

#define TW_INTS(g) "+r"(d[4 * (g)]), "+r"(d[4 * (g) + 1]), "+r"(d[4 * (g) + 2]), "+r"(d[4 * (g) + 3])
#define TW_EIGHT_INTS(g)                                                                                  \
    TW_INTS(g), TW_INTS((g) + 1), TW_INTS((g) + 2), TW_INTS((g) + 3), TW_INTS((g) + 4), TW_INTS((g) + 5), \
        TW_INTS((g) + 6), TW_INTS((g) + 7)

/// d = a * b + (keep ? d : 0)
__device__ inline void add_int8(int (&d)[128], std::uint64_t a, std::uint64_t b, int keep) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\nwgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {" TW_NAMES_32
        "}, %128, %129, p;\n}\n"
        : TW_EIGHT_INTS(0), TW_EIGHT_INTS(8), TW_EIGHT_INTS(16), TW_EIGHT_INTS(24)
        : "l"(a), "l"(b), "r"(keep));
}

#undef TW_EIGHT_INTS
#undef TW_INTS

/// Keeps the compiler from moving uses of the sums across a fence or a wait.
template <int count>
__device__ void pin(int (&sums)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) asm volatile("" : "+r"(sums[i])::"memory");
}

}  // namespace tw::cuda::ptx
