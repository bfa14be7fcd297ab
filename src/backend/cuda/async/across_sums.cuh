// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From the sums of an operand that lay across k to C, whichever of its sides is contiguous.
#pragma once

#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/tf32.cuh"

namespace tw::cuda {

/// C, element by element: rows of the first operand, columns of the second, whichever of them are contiguous.
struct Elements {
    float* data;
    std::int64_t row_step, col_step;
    int rows, cols;
    float alpha, beta;
    Fused fused;
    bool bias_down;
    Tensor<const float> first, second;  ///< rows along k
};

/// What is not finite is made once more, as make_again does; f32 all over.
__device__ inline float made_again(const Elements& c, int row, int col) {
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < c.first.cols(); ++k)
        sum = fmaf(ptx::round_to_tf32(c.first(row, k)), ptx::round_to_tf32(c.second(col, k)), sum);
    return sum;
}

__device__ inline float finished(const Elements& c, float x, int row, int col, const float* old) {
    if (x * 0 != 0) x = made_again(c, row, col);
    x *= c.alpha;
    if (c.beta != 0) x = fmaf(c.beta, *old, x);
    if (c.fused.empty) return x;
    const Fused& by = c.fused;
    x = fmaf(x, by.scale, by.bias ? static_cast<const float*>(by.bias)[c.bias_down ? row : col] : -0.0f);
    x = activated(by.activation, x);
    return by.residual ? __fadd_rn(x, by.residual_at(row, col)) : x;
}

/// Where a lane's sums go: two lanes 16 apart exchange a row each, so that eight rows are 32 bytes where rows are
/// contiguous.
struct LanePlaces {
    bool upper, in_pairs;
    int row[2];

    __device__ LanePlaces(const Elements& c, int first_row, int lane)
        : upper(lane >= 16),
          in_pairs(c.col_step == 1 && (c.row_step | c.cols) % 2 == 0 &&
                   reinterpret_cast<std::uintptr_t>(c.data) % 8 == 0) {
        row[0] = first_row + lane / 4 % 4 + (upper ? 4 : 0), row[1] = row[0] + 16;
    }
};

/// Four sums of a group of 8 columns, this lane's from column j on. plain: C is what they are.
template <bool plain>
__device__ void store_group(const float* sums, const Elements& c, const LanePlaces& at, int j) {
    float of[2][2];
#pragma unroll
    for (int x = 0; x < 2; ++x) {
        const float got = __shfl_xor_sync(~0u, at.upper ? sums[x] : sums[2 + x], 16);
        of[0][x] = at.upper ? got : sums[x], of[1][x] = at.upper ? sums[2 + x] : got;
    }
#pragma unroll
    for (int y = 0; y < 2; ++y) {
        if (at.row[y] >= c.rows || j >= c.cols) continue;
        float* const to = c.data + at.row[y] * c.row_step + j * c.col_step;
        const bool has_two = j + 1 < c.cols;
        if constexpr (!plain) {
            of[y][0] = finished(c, of[y][0], at.row[y], j, to);
            if (has_two) of[y][1] = finished(c, of[y][1], at.row[y], j + 1, to + c.col_step);
        }
        if (at.in_pairs) {
            *reinterpret_cast<float2*>(to) = {of[y][0], of[y][1]};
            continue;
        }
        to[0] = of[y][0];
        if (has_two) to[c.col_step] = of[y][1];
    }
}

template <int N>
__device__ void store(float (&sums)[N / 2], const Elements& c, int first_row, int first_col, int lane) {
    const LanePlaces at(c, first_row, lane);
    const int first = first_col + lane % 4 * 2;
    float odd = 0;
#pragma unroll
    for (int i = 0; i < N / 2; ++i) odd += sums[i] * 0;
    const bool plain = c.alpha == 1 && c.beta == 0 && c.fused.empty;
    if (!__any_sync(~0u, !plain || odd != 0)) {
#pragma unroll
        for (int col = 0; col < N; col += 8) store_group<true>(sums + col / 2, c, at, first + col);
        return;
    }
    each_slice<N, 8>(sums, [&](auto& slice, int col) { store_group<false>(slice, c, at, first + col); });
}

}  // namespace tw::cuda
