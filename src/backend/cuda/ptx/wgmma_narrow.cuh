// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// wgmma's product of 64 rows of A and 16 of B^T, for products turned round: the many rows are A's.
#pragma once

#include "backend/cuda/ptx/wgmma.cuh"

namespace tw::cuda::ptx {

/// d += a * b. B lies along k.
template <class T, Major a_major>
struct NarrowUnit {
    static __device__ void add(float (&d)[8], std::uint64_t a, std::uint64_t b) {
#define TW_ADD(NAME)                                                                                                   \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\nwgmma.mma_async.sync.aligned.m64n16k16.f32." NAME "." NAME \
                 " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, %11, 0;\n}\n"                                    \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])      \
                 : "l"(a), "l"(b), "r"(1), "n"(a_major == Major::other))
        if constexpr (std::is_same_v<T, __half>) TW_ADD("f16");
        else TW_ADD("bf16");
#undef TW_ADD
    }
};

}  // namespace tw::cuda::ptx
