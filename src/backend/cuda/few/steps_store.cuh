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

/// What a row of a tile takes in shared memory.
constexpr int row_bytes(int columns) { return columns * 4 + 16; }

/// A thread's sums of a warp's tile: groups of 16 rows by 8 columns.
template <int row_groups, int col_groups>
__device__ void keep(const float (&sums)[row_groups][col_groups][4], std::uint32_t to, int pitch, float alpha) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    to += lane / 4 * pitch + lane % 4 * 8;
#pragma unroll
    for (int i = 0; i < row_groups; ++i)
#pragma unroll
        for (int j = 0; j < col_groups; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half)
                ptx::store_pair(to + (i * 16 + half * 8) * pitch + j * 32, __fmul_rn(sums[i][j][2 * half], alpha),
                                __fmul_rn(sums[i][j][2 * half + 1], alpha));
}

/// Of a tile at C's `to`: rows and columns that there are.
template <int columns, int threads>
__device__ void store_by_16(std::uint32_t from, float* to, std::int64_t row_step, int rows, int cols) {
    constexpr int across = columns / 4;
    const int x = static_cast<int>(threadIdx.x) % across * 4;
#pragma unroll 4
    for (int row = static_cast<int>(threadIdx.x) / across; row < rows; row += threads / across) {
        const float4 of = ptx::load_4(from + row * row_bytes(columns) + x * 4);
        float* const at = to + row * row_step + x;
        if (x + 4 <= cols) {
            *reinterpret_cast<float4*>(at) = of;
        } else {
            const auto* const elements = reinterpret_cast<const float*>(&of);
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (x + e < cols) at[e] = elements[e];
        }
    }
}

template <int columns, int threads>
__device__ void store_by_4(std::uint32_t from, float* to, std::int64_t row_step, int rows, int cols) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 2
    for (int row = static_cast<int>(threadIdx.x) / 32; row < rows; row += threads / 32) {
        float* const line = to + row * row_step;
        const std::uint32_t line_from = from + row * row_bytes(columns);
#pragma unroll
        for (int j = lane; j < columns; j += 32)
            if (j < cols) line[j] = ptx::load_float(line_from + j * 4);
    }
}

/// With all that comes behind the sums; alpha is still to come.
template <int tile_rows, int columns, int threads>
__device__ void store_by_element(std::uint32_t from, const Output& out, int first_row, int first_col) {
    const bool down = out.col_step != 1;
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < tile_rows * columns; x += threads) {
        const int i = down ? x % tile_rows : x / columns, j = down ? x / tile_rows : x % columns;
        if (first_row + i < out.rows && first_col + j < out.cols)
            finish_element<float, float>(ptx::load_float(from + i * row_bytes(columns) + j * 4), out, first_row + i,
                                         first_col + j, false);
    }
}

}  // namespace tw::cuda::steps
