// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A warp's products of all of k out of shared memory, f32 as two parts of tf32. Three products of these are added to
// the sums after each step, so that what the unit cuts off never adds up.
#pragma once

#include "backend/cuda/few/steps_lines.cuh"
#include "backend/cuda/ptx/mma.cuh"

namespace tw::cuda::steps {

/// A warp's sums, in groups of 16 rows by 8 columns.
template <class S>
using Sums = float[S::WM / 16][S::WN / 8][4];

template <int groups>
struct Fragments {
    std::uint32_t of[groups][4];

    template <bool is_across>
    __device__ void read_all(std::uint32_t from, int pitch, int first, int k) {
#pragma unroll
        for (int i = 0; i < groups; ++i) read<is_across>(of[i], from, pitch, first + i * 16, k);
    }
    /// The large parts stay, rounded to 11 bits; the unit cuts the small ones to as many. What is not finite gives a
    /// NaN.
    __device__ void cut(Fragments& small) {
#pragma unroll
        for (int i = 0; i < groups; ++i)
#pragma unroll
            for (int x = 0; x < 4; ++x) {
                const std::uint32_t large = (of[i][x] + 0x1000u) & 0xffffe000u;
                small.of[i][x] = __float_as_uint(__uint_as_float(of[i][x]) - __uint_as_float(large));
                of[i][x] = large;
            }
    }
};

template <class S>
__device__ void add_products(Sums<S>& sums, const Fragments<S::WM / 16>& down, const Fragments<S::WN / 16>& across) {
#pragma unroll
    for (int i = 0; i < S::WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < S::WN / 8; ++j) {
            const std::uint32_t right[2] = {across.of[j / 2][j % 2], across.of[j / 2][j % 2 + 2]};
            ptx::multiply(sums[i][j], down.of[i], right, float());
        }
}

/// From row `row` and column `col` of the tile on.
template <class S, bool a_across, bool b_across>
__device__ void multiply(Sums<S>& sums, std::uint32_t a, int a_pitch, int row, std::uint32_t b, int b_pitch, int col,
                         int k) {
    for (int at = 0; at < k; at += 8) {
        Fragments<S::WM / 16> down, small_down;
        Fragments<S::WN / 16> across, small_across;
        down.template read_all<a_across>(a, a_pitch, row, at);
        across.template read_all<b_across>(b, b_pitch, col, at);
        down.cut(small_down), across.cut(small_across);
        Sums<S> unit = {};
        add_products<S>(unit, small_down, across);
        add_products<S>(unit, down, small_across);
        add_products<S>(unit, down, across);
#pragma unroll
        for (int i = 0; i < S::WM / 16; ++i)
#pragma unroll
            for (int j = 0; j < S::WN / 8; ++j)
#pragma unroll
                for (int x = 0; x < 4; ++x) sums[i][j][x] += unit[i][j][x];
    }
}

/// Sums that are not finite, once more by FMA: cut into parts an Inf becomes a NaN. a(row, k) and b(column, k):
/// elements inside of C.
template <class S, class A, class B>
__device__ void make_again(Sums<S>& sums, int row, int col, int rows, int cols, int k, const A& a, const B& b) {
    bool finite = true;
#pragma unroll
    for (int x = 0; x < S::WM * S::WN / 32; ++x) finite &= isfinite(sums[x / (S::WN / 2)][x / 4 % (S::WN / 8)][x % 4]);
    if (finite) return;
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < S::WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < S::WN / 8; ++j)
#pragma unroll
            for (int x = 0; x < 4; ++x) {
                const int at = row + i * 16 + x / 2 * 8 + lane / 4, across = col + j * 8 + lane % 4 * 2 + x % 2;
                if (isfinite(sums[i][j][x]) || at >= rows || across >= cols) continue;
                float sum = 0;
#pragma unroll 1
                for (int q = 0; q < k; ++q) sum = fmaf(a(at, q), b(across, q), sum);
                sums[i][j][x] = sum;
            }
}

}  // namespace tw::cuda::steps
