// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the four threads of a row exchange to have 16 bytes each; and sums to a C that is seen from its other side: each
// 8 x 8 of a warp turns round, then two threads have 32 bytes of a column side by side.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/ptx/ldmatrix.cuh"

namespace tw::cuda {

/// words[i]: this thread's of group i, becomes the i-th of group `quad`; by all four threads of a row.
__device__ inline void exchange_groups(std::uint32_t (&words)[4], int quad) {
#pragma unroll
    for (int apart = 1; apart <= 2; apart *= 2) {
        const bool upper = (quad & apart) != 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (i & apart) continue;
            std::uint32_t& low = words[i];
            std::uint32_t& high = words[i + apart];
            const std::uint32_t got = __shfl_xor_sync(~0u, upper ? low : high, apart);
            (upper ? low : high) = got;
        }
    }
}

/// The 64 x N sums to C's columns, which are contiguous, of 16 bits, and as long as a multiple of 8.
template <class T, int N>
__device__ void store_columns(const float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    static_assert(N % 16 == 0 && sizeof(T) == 2);
    const int lane = thread % 32, quad = lane % 4, row = first_row + thread / 32 * 16 + quad % 2 * 8;
    const int col = first_col + quad / 2 * 8 + lane / 4;
    T* const c = static_cast<T*>(out.data) + row + col * out.col_step;
#pragma unroll
    for (int g = 0; g < N / 8; g += 2) {
        std::uint32_t words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) words[i] = ptx::turned(pack<T>(sums[4 * g + 2 * i], sums[4 * g + 2 * i + 1]));
        exchange_groups(words, quad);
        if (row < out.rows && col + 8 * g < out.cols)
            *reinterpret_cast<uint4*>(c + 8 * g * out.col_step) = {words[0], words[1], words[2], words[3]};
    }
}

}  // namespace tw::cuda
