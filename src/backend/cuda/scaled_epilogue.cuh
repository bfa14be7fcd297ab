// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From r10's sums to C: the rows' and columns' powers of two taken back, alpha and beta, what the caller fuses, and the
// results of rows and columns that hold an Inf or a NaN computed anew, one by one, from the operands themselves.
#pragma once

#include "backend/cuda/epilogue.cuh"
#include "backend/cuda/split_parts.cuh"

namespace tw::cuda {

struct ScaledOutput {
    Tensor<float> c;
    Tensor<const float> a, b;  ///< rows along k, both
    const int *row_exponents, *col_exponents;
    float alpha, beta;
    Fused fused;

    __device__ float value(int i, int j, float sum) const {
        return beta == 0 ? alpha * sum : alpha * sum + beta * c(i, j);
    }
};

/// f(i, j, sum) for what lies inside C.
template <int N, class F>
__device__ void each_inside(float (&sums)[N / 2], const ScaledOutput& out, int row, int col, const F& f) {
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
#pragma unroll
    for (int g = 0; g < N / 8; ++g)
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            const int i = row + x / 2 * 8, j = col + 8 * g + x % 2;
            if (i < rows && j < cols) f(i, j, sums[4 * g + x]);
        }
}

/// Two neighbours at a time, where C's rows allow it.
template <int N>
__device__ void store_pairs(const float (&sums)[N / 2], const ScaledOutput& out, int row, int col) {
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        if (row + 8 * half >= rows) continue;
        float* to = &out.c(row + 8 * half, col);
#pragma unroll
        for (int g = 0; g < N / 8; ++g) {
            const float2 pair{sums[4 * g + 2 * half], sums[4 * g + 2 * half + 1]};
            if (col + 8 * g < cols) __stcs(reinterpret_cast<float2*>(to + 8 * g), pair);
        }
    }
}

/// Anew, the 64 x N results of one consumer that a row or column without parts takes part in. Slow, and rare.
template <int N>
__device__ void redo(const ScaledOutput& out, int first_row, int first_col, int thread) {
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
    for (int i = first_row + thread / 32 * 16; i < first_row + thread / 32 * 16 + 16 && i < rows; ++i)
        for (int j = first_col + thread % 32; j < first_col + N && j < cols; j += 32) {
            if (out.row_exponents[i] != not_finite && out.col_exponents[j] != not_finite) continue;
            float sum = 0;
            for (std::int64_t k = 0; k < out.a.cols(); ++k) sum += out.a(i, k) * out.b(j, k);
            sum = out.value(i, j, sum);
            out.c(i, j) = out.fused.empty ? sum : out.fused.of(sum, i, j);
        }
}

template <int N>
__device__ void finish_scaled(float (&sums)[N / 2], const ScaledOutput& out, int first_row, int first_col, int thread) {
    const FragmentPlace at(thread);
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
    const int row = first_row + at.row, col = first_col + at.col;
    const int up = out.row_exponents[min(row, rows - 1)], down = out.row_exponents[min(row + 8, rows - 1)];
    bool all_finite = up != not_finite && down != not_finite;
    const bool in_pairs = out.c.layout.col_step == 1 && out.c.layout.row_step % 2 == 0 && cols % 2 == 0 &&
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
            float* s = sums + 4 * (first + g);
            all_finite &= left[g] != not_finite && right[g] != not_finite;
            const auto value = [](float x, int e) { return scaled(x, min(max(e, -252), 254)); };
            s[0] = value(s[0], up + left[g]), s[1] = value(s[1], up + right[g]);
            s[2] = value(s[2], down + left[g]), s[3] = value(s[3], down + right[g]);
        }
    }
    if (out.beta == 0) each_sum<N>(sums, [&](float x) { return out.alpha * x; });
    else each_inside<N>(sums, out, row, col, [&](int i, int j, float& x) { x = out.value(i, j, x); });
    apply<float, N>(sums, out.fused, cols, first_col, thread);
    if (out.fused.residual)
        each_inside<N>(sums, out, row, col, [&](int i, int j, float& x) { x = __fadd_rn(x, out.fused.residual_at(i, j)); });
    if (in_pairs) store_pairs<N>(sums, out, row, col);
    else each_inside<N>(sums, out, row, col, [&](int i, int j, float x) { out.c(i, j) = x; });
    if (!__all_sync(~0u, all_finite)) {
        __syncwarp();
        redo<N>(out, first_row, first_col, thread);
    }
}

}  // namespace tw::cuda
