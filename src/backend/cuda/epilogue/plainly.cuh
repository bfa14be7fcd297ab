// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The end of kernels that have nothing to add: a tenth of an epilogue's code, for products that are over in some
// microseconds.
#pragma once

#include "backend/cuda/epilogue/columns.cuh"

namespace tw::cuda {

/// alpha times the 64 x N sums to a C of 16 bits, whose rows start and end at multiples of 16 bytes; and nothing else.
template <class T, int N>
__device__ void finish_plainly(float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    static_assert(N % 32 == 0 && sizeof(T) == 2);
    if (out.alpha != 1) each_sum<N>(sums, [&](float x) { return x * out.alpha; });
    const FragmentPlace at(thread);
    const int quad = thread % 4, left = out.cols - first_col;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = first_row + at.row + 8 * half;
        T* const c = static_cast<T*>(out.data) + row * out.row_step + first_col;
#pragma unroll
        for (int g = 0; g < N / 8; g += 4) {
            std::uint32_t words[4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                words[i] = pack<T>(sums[4 * (g + i) + 2 * half], sums[4 * (g + i) + 2 * half + 1]);
            exchange_groups(words, quad);
            if (row < out.rows && left > 8 * (g + quad))
                *reinterpret_cast<uint4*>(c + 8 * (g + quad)) = {words[0], words[1], words[2], words[3]};
        }
    }
}

}  // namespace tw::cuda
