// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From r10's sums to C: the rows' and columns' powers of two taken back, alpha and beta, and the results of rows and
// columns that hold an Inf or a NaN computed anew, one by one, from the operands themselves.
#pragma once

#include "backend/cuda/epilogue.cuh"
#include "backend/cuda/split_parts.cuh"

namespace tw::cuda {

struct ScaledOutput {
    Tensor<float> c;
    Tensor<const float> a, b;  ///< rows along k, both
    const int *row_exponents, *col_exponents;
    float alpha, beta;

    __device__ void store(int i, int j, float sum) const {
        float& to = c(i, j);
        to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
    }
};

/// Anew, the 64 x N results of one consumer that a row or column without parts takes part in. Slow, and rare.
template <int N>
__device__ void redo(const ScaledOutput& out, int first_row, int first_col, int thread) {
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
    for (int i = first_row + thread / 32 * 16; i < first_row + thread / 32 * 16 + 16 && i < rows; ++i)
        for (int j = first_col + thread % 32; j < first_col + N && j < cols; j += 32) {
            if (out.row_exponents[i] != not_finite && out.col_exponents[j] != not_finite) continue;
            float sum = 0;
            for (std::int64_t k = 0; k < out.a.cols(); ++k) sum += out.a(i, k) * out.b(j, k);
            out.store(i, j, sum);
        }
}

template <int N>
__device__ void finish_scaled(float (&sums)[N / 2], const ScaledOutput& out, int first_row, int first_col, int thread) {
    const FragmentPlace at(thread);
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
    const int row = first_row + at.row, col = first_col + at.col;
    const int up = out.row_exponents[min(row, rows - 1)], down = out.row_exponents[min(row + 8, rows - 1)];
    bool all_finite = up != not_finite && down != not_finite;
    const bool in_pairs = out.beta == 0 && out.c.layout.col_step == 1 && out.c.layout.row_step % 2 == 0 && cols % 2 == 0 &&
                          reinterpret_cast<std::uintptr_t>(out.c.data) % 8 == 0;

    constexpr int at_once = N % 64 == 0 ? 8 : N / 16;  // exponents of columns: their loads are in flight together
#pragma unroll
    for (int first = 0; first < N / 8; first += at_once) {
        int left[at_once], right[at_once];
#pragma unroll
        for (int g = 0; g < at_once; ++g) {
            const int j = col + 8 * (first + g);
            left[g] = out.col_exponents[min(j, cols - 1)], right[g] = out.col_exponents[min(j + 1, cols - 1)];
        }
#pragma unroll
        for (int g = 0; g < at_once; ++g) {
            const int j = col + 8 * (first + g);
            const float* s = sums + 4 * (first + g);
            all_finite &= left[g] != not_finite && right[g] != not_finite;
            const auto value = [](float x, int e) { return scaled(x, min(max(e, -252), 254)); };
            const float x[4] = {value(s[0], up + left[g]), value(s[1], up + right[g]), value(s[2], down + left[g]),
                                value(s[3], down + right[g])};
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int i = row + 8 * half;
                if (i >= rows || j >= cols) continue;
                if (in_pairs) {
                    const float2 pair{out.alpha * x[2 * half], out.alpha * x[2 * half + 1]};
                    __stcs(reinterpret_cast<float2*>(&out.c(i, j)), pair);
                } else {
                    out.store(i, j, x[2 * half]);
                    if (j + 1 < cols) out.store(i, j + 1, x[2 * half + 1]);
                }
            }
        }
    }
    if (!__all_sync(~0u, all_finite)) {
        __syncwarp();
        redo<N>(out, first_row, first_col, thread);
    }
}

}  // namespace tw::cuda
