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

/// The epilogue of what alpha and beta made.
__device__ inline float finished(const Elements& c, float x, int row, int col) {
    const Fused& by = c.fused;
    x = fmaf(x, by.scale, by.bias ? static_cast<const float*>(by.bias)[c.bias_down ? row : col] : -0.0f);
    x = activated(by.activation, x);
    return by.residual ? __fadd_rn(x, by.residual_at(row, col)) : x;
}

/// Where a lane's sums are in C before it exchanges any: of each four, two of a row, and two 4 rows below.
struct OwnPlaces {
    int row, col;

    __device__ OwnPlaces(int first_row, int first_col, int lane)
        : row(first_row + lane / 4 % 4 + (lane >= 16 ? 16 : 0)), col(first_col + lane % 4 * 2) {}
    __device__ int row_of(int i) const { return row + i / 2 % 2 * 4; }
    __device__ int col_of(int i) const { return col + i / 4 * 8 + i % 2; }
};

/// Asks L2 for the lines of an old C that a consumer's 64 rows will be added to.
template <int N>
__device__ void bring_old_closer(const Elements& c, int first_row, int first_col, int thread) {
    if (c.beta == 0) return;
    const bool down = c.col_step != 1;
    const int lines = down ? min(N, c.cols - first_col) : min(64, c.rows - first_row),
              length = down ? min(64, c.rows - first_row) : min(N, c.cols - first_col);
    const std::int64_t step = down ? c.col_step : c.row_step;
    const float* const first = c.data + first_row * c.row_step + first_col * c.col_step;
    for (int line = thread; length > 0 && line < lines; line += 128)
        ptx::prefetch_bytes(first + line * step, length * 4);
}

template <int N>
__device__ void make_again_what_is_odd(float (&sums)[N / 2], const Elements& c, const OwnPlaces& own) {
    each_slice<N, 8>(sums, [&](auto& slice, int col) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int row = own.row_of(i), at = own.col_of(i) + col;
            if (slice[i] * 0 != 0 && row < c.rows && at < c.cols) slice[i] = made_again(c, row, at);
        }
    });
}

/// alpha * sums + beta * C. The loads of a slice are on their way at once; outside of C its last elements are loaded.
template <int N>
__device__ void add_old(float (&sums)[N / 2], const Elements& c, const OwnPlaces& own) {
    constexpr int columns = N < 256 ? 16 : 8;  // for more of them registers would be spilled
    each_slice<N, columns>(sums, [&](auto& slice, int col) {
        float old[columns / 2] = {};
        if (c.beta != 0)
#pragma unroll
            for (int i = 0; i < columns / 2; ++i)
                old[i] = c.data[min(own.row_of(i), c.rows - 1) * c.row_step +
                                min(own.col_of(i) + col, c.cols - 1) * c.col_step];
#pragma unroll
        for (int i = 0; i < columns / 2; ++i) {
            slice[i] *= c.alpha;
            if (c.beta != 0) slice[i] = fmaf(c.beta, old[i], slice[i]);
        }
    });
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

/// Four sums of a group of 8 columns, this lane's from column j on. plain: there is no epilogue.
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
            of[y][0] = finished(c, of[y][0], at.row[y], j);
            if (has_two) of[y][1] = finished(c, of[y][1], at.row[y], j + 1);
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
    float odd = 0;
#pragma unroll
    for (int i = 0; i < N / 2; ++i) odd += sums[i] * 0;
    if (__any_sync(~0u, odd != 0)) make_again_what_is_odd<N>(sums, c, OwnPlaces(first_row, first_col, lane));
    if (c.alpha != 1 || c.beta != 0) add_old<N>(sums, c, OwnPlaces(first_row, first_col, lane));
    const LanePlaces at(c, first_row, lane);
    const int first = first_col + lane % 4 * 2;
    if (c.fused.empty) {
#pragma unroll
        for (int col = 0; col < N; col += 8) store_group<true>(sums + col / 2, c, at, first + col);
        return;
    }
    each_slice<N, 8>(sums, [&](auto& slice, int col) { store_group<false>(slice, c, at, first + col); });
}

}  // namespace tw::cuda
