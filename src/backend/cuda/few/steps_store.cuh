// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A tile's sums to C by way of shared memory, along C's rows wherever they begin: 16 bytes at once, 4, or element by
// element with an old C and the epilogue.
#pragma once

#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::steps {

/// How C is written. The first two: alpha alone, and rows that are contiguous.
enum class Ending { by_16, by_4, by_element };

/// What a row of a tile takes in shared memory, of elements that are written as they lie.
template <class C>
constexpr int row_bytes(int columns) {
    return columns * static_cast<int>(sizeof(C)) + 16;
}

/// A thread's sums of a warp's tile: groups of 16 rows by 8 columns.
template <class C, int row_groups, int col_groups>
__device__ void keep(const float (&sums)[row_groups][col_groups][4], std::uint32_t to, int pitch, float alpha) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    to += lane / 4 * pitch + lane % 4 * 2 * static_cast<int>(sizeof(C));
#pragma unroll
    for (int i = 0; i < row_groups; ++i)
#pragma unroll
        for (int j = 0; j < col_groups; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const float x = __fmul_rn(sums[i][j][2 * half], alpha), y = __fmul_rn(sums[i][j][2 * half + 1], alpha);
                const std::uint32_t at = to + (i * 16 + half * 8) * pitch + j * 8 * static_cast<int>(sizeof(C));
                if constexpr (sizeof(C) == 4) ptx::store_pair(at, x, y);
                else ptx::store_int(at, static_cast<int>(pack<C>(x, y)));
            }
}

/// Of a tile at C's `to`: rows and columns that there are.
template <class C, int columns, int threads>
__device__ void store_by_16(std::uint32_t from, C* to, std::int64_t row_step, int rows, int cols) {
    constexpr int each = 16 / sizeof(C), across = columns / each;
    const int x = static_cast<int>(threadIdx.x) % across * each;
#pragma unroll 4
    for (int row = static_cast<int>(threadIdx.x) / across; row < rows; row += threads / across) {
        const float4 of = ptx::load_4(from + row * row_bytes<C>(columns) + x * static_cast<int>(sizeof(C)));
        C* const at = to + row * row_step + x;
        if (x + each <= cols) {
            *reinterpret_cast<float4*>(at) = of;
        } else {
            const auto* const elements = reinterpret_cast<const C*>(&of);
#pragma unroll
            for (int e = 0; e < each; ++e)
                if (x + e < cols) at[e] = elements[e];
        }
    }
}

/// Words of C as they lie: of 16 bits, two elements that a row's first may stand before.
template <class C, int columns, int threads>
__device__ void store_by_4(std::uint32_t from, C* to, std::int64_t row_step, int rows, int cols) {
    constexpr int words = columns * static_cast<int>(sizeof(C)) / 4;
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 2
    for (int row = static_cast<int>(threadIdx.x) / 32; row < rows; row += threads / 32) {
        C* const line = to + row * row_step;
        const std::uint32_t line_from = from + row * row_bytes<C>(columns);
        if constexpr (sizeof(C) == 4) {
#pragma unroll
            for (int j = lane; j < words; j += 32)
                if (j < cols) line[j] = ptx::load_float(line_from + j * 4);
        } else {
            const int odd = static_cast<int>(reinterpret_cast<std::uintptr_t>(line) / 2 % 2);
            auto* const bits = reinterpret_cast<std::uint16_t*>(line);
#pragma unroll
            for (int j = lane; j < words; j += 32) {
                const std::uint32_t word = ptx::load_word(line_from + j * 4);
                if (j == 0 && odd) bits[0] = static_cast<std::uint16_t>(word);
                // The gap behind a row is read, and never written to C.
                const std::uint32_t shifted =
                    odd ? __funnelshift_r(word, ptx::load_word(line_from + j * 4 + 4), 16) : word;
                const int e = 2 * j + odd;
                if (e + 1 < cols) *reinterpret_cast<std::uint32_t*>(bits + e) = shifted;
                else if (e < cols) bits[e] = static_cast<std::uint16_t>(shifted);
            }
        }
    }
}

/// T: the operands' type. The sums are of f32 here, and alpha is still to come.
template <class T, class C, int tile_rows, int columns, int threads>
__device__ void store_by_element(std::uint32_t from, const Output& out, int first_row, int first_col) {
    const bool down = out.col_step != 1;
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < tile_rows * columns; x += threads) {
        const int i = down ? x % tile_rows : x / columns, j = down ? x / tile_rows : x % columns;
        if (first_row + i < out.rows && first_col + j < out.cols)
            finish_element<T, C>(ptx::load_float(from + i * row_bytes<float>(columns) + j * 4), out, first_row + i,
                                 first_col + j, false);
    }
}

}  // namespace tw::cuda::steps
