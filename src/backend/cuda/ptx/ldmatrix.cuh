// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// ldmatrix: a warp reads four 8 x 8 matrices of 16-bit elements from shared memory (sm_75). Lane l gives the address of
// row l % 8 of matrix l / 8, and gets two neighbours of row l / 4 of each, or, turned, of column l / 4.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline void load_matrices(std::uint32_t (&to)[4], std::uint32_t from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

__device__ inline void load_turned_matrices(std::uint32_t (&to)[4], std::uint32_t from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

/// An 8 x 8 matrix in a warp's registers, lane l having two neighbours of row l / 4: turned, of column l / 4.
__device__ inline std::uint32_t turned(std::uint32_t x) {
    std::uint32_t y;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
    return y;
}

}  // namespace tw::cuda::ptx
