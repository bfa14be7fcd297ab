// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shared memory written from fragments, what the matrix unit leaves in registers becomes rows, and read again.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

/// Four 8 x 8 blocks of 16-bit elements; lane l gives the address of row l % 8 of block l / 8 (sm_90).
__device__ inline void store_fragments(std::uint32_t address, const std::uint32_t (&f)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(f[0]),
                 "r"(f[1]), "r"(f[2]), "r"(f[3])
                 : "memory");
}

__device__ inline void store_16(std::uint32_t address, const std::uint32_t (&f)[4]) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3])
                 : "memory");
}

__device__ inline void store_pair(std::uint32_t address, float x, float y) {
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(x), "f"(y) : "memory");
}

__device__ inline std::uint32_t load_word(std::uint32_t address) {
    std::uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

__device__ inline float load_float(std::uint32_t address) {
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(address) : "memory");
    return x;
}

__device__ inline void store_float(std::uint32_t address, float x) {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(x) : "memory");
}

__device__ inline void store_int(std::uint32_t address, int x) {
    asm volatile("st.shared.s32 [%0], %1;" ::"r"(address), "r"(x) : "memory");
}

__device__ inline int2 load_ints(std::uint32_t address) {
    int2 pair;
    asm volatile("ld.shared.v2.s32 {%0, %1}, [%2];" : "=r"(pair.x), "=r"(pair.y) : "r"(address) : "memory");
    return pair;
}

}  // namespace tw::cuda::ptx
