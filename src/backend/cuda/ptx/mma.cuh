// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// mma.sync: a warp's product of 16 rows and 8 columns, fragments in registers (sm_80). Lane l holds rows l / 4 and
// l / 4 + 8 of the first operand and column l / 4 of the second; which k a register stands for is the caller's affair,
// as long as both operands agree.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace tw::cuda::ptx {

#define TW_MMA(SHAPE, TYPE)                                              \
    asm volatile("mma.sync.aligned." SHAPE ".row.col.f32." TYPE "." TYPE \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "             \
                 "{%8, %9}, {%0, %1, %2, %3};"                           \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])        \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

/// 8 of k, f32 read as tf32.
__device__ inline void multiply(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float) {
    TW_MMA("m16n8k8", "tf32");
}
/// 16 of k, two to a register.
__device__ inline void multiply(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], __half) {
    TW_MMA("m16n8k16", "f16");
}
__device__ inline void multiply(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                __nv_bfloat16) {
    TW_MMA("m16n8k16", "bf16");
}
#undef TW_MMA

/// 4 of k in f64: lane l holds k l % 4. Hopper has the instruction for 16 rows, chips before it for 8.
__device__ inline void multiply(double (&d)[4], const double (&a)[2], double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(b));
#else
#pragma unroll
    for (int half = 0; half < 2; ++half)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d[2 * half]), "+d"(d[2 * half + 1])
                     : "d"(a[half]), "d"(b));
#endif
}

/// 32 of k, four bytes to a register: unsigned by signed, summed in whole numbers.
__device__ inline void multiply(int (&d)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0,
                                unsigned b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

}  // namespace tw::cuda::ptx
