// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of doubles by the matrix unit, 4, 8 or 16 of k at a time: one instruction on Hopper, which reads and writes
// the sums once, and has the bits of 4 at a time.
#pragma once

#include "backend/cuda/ptx/mma.cuh"

namespace tw::cuda::ptx {

/// For each 4 of k two registers of the first operand and one of the second, as multiply() has them.
template <int fours>
__device__ inline void multiply_fours(double (&d)[4], const double (&a)[fours][2], const double (&b)[fours]) {
    static_assert(fours == 1 || fours == 2 || fours == 4);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    constexpr bool at_once = fours > 1;
#else
    constexpr bool at_once = false;
#endif
    if constexpr (at_once && fours == 2) {
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
            "%2, %3};"
            : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
            : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
    } else if constexpr (at_once) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
            "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
            : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
            : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(a[2][0]), "d"(a[2][1]), "d"(a[3][0]),
              "d"(a[3][1]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    } else {
#pragma unroll
        for (int q = 0; q < fours; ++q) multiply(d, a[q], b[q]);
    }
}

}  // namespace tw::cuda::ptx
