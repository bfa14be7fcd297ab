// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Loads from shared memory by its own addresses, which keep 32 bits and take constant offsets.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline float4 load_4(std::uint32_t from) {
    float4 four;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "r"(from)
                 : "memory");
    return four;
}

/// As words, at a multiple of 16 bytes.
__device__ inline uint4 load_chunk(std::uint32_t from) {
    uint4 x;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(from)
                 : "memory");
    return x;
}

__device__ inline float2 load_2(std::uint32_t from) {
    float2 two;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(two.x), "=f"(two.y) : "r"(from) : "memory");
    return two;
}

__device__ inline double load_double(std::uint32_t from) {
    double x;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(from) : "memory");
    return x;
}

/// At a multiple of 16 bytes.
__device__ inline double2 load_two_doubles(std::uint32_t from) {
    double2 two;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(two.x), "=d"(two.y) : "r"(from) : "memory");
    return two;
}

/// Two words or half a word of what was written before and is not written again while loads may move: the compiler
/// orders them as it likes.
__device__ inline uint2 load_unchanged_pair(std::uint32_t from) {
    uint2 x;
    asm("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x.x), "=r"(x.y) : "r"(from) : "memory");
    return x;
}
__device__ inline unsigned load_unchanged_half(std::uint32_t from) {
    std::uint16_t x;
    asm("ld.shared.u16 %0, [%1];" : "=h"(x) : "r"(from) : "memory");
    return x;
}

}  // namespace tw::cuda::ptx
