// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A warp's complex sums on their way to a C whose rows begin at any multiple of 8 bytes. Stored from where they stand
// in registers, each 8 bytes would be a write of their own to the second-level cache. So 16 rows at a time go through
// shared memory, and neighbours to neighbouring threads.
#pragma once

#include "backend/cuda/operands/complex.cuh"

namespace tw::cuda {

/// By all threads, behind the last read of the stages. sum_of(i, j): what the thread has, of groups of rows and columns
/// as the shape says.
template <class S, class SumOf>
__device__ void store_slices(const Product<Complex<float>>& p, char* shared, int first_row, int first_col,
                             const SumOf& sum_of) {
    constexpr int rows = S::rows_apart, pitch = S::WN + 1;
    static_assert(S::threads / 32 * rows * pitch * 8 <= S::STAGES * S::stage_bytes);
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    Complex<float>* const slice = reinterpret_cast<Complex<float>*>(shared) + warp * rows * pitch;
    first_row += warp / S::warps_across * S::WM, first_col += warp % S::warps_across * S::WN;
    const int rows_left = static_cast<int>(p.c.rows()) - first_row,
              cols_left = static_cast<int>(p.c.cols()) - first_col;
    Complex<float>* const c = p.c.data + first_row * p.c.layout.row_step + first_col;
#pragma unroll
    for (int above = 0; above < S::TM; above += S::group_rows) {
        const int row = lane / S::lanes_across * S::group_rows, col = lane % S::lanes_across * S::group_cols;
#pragma unroll
        for (int i = 0; i < S::group_rows; ++i)
#pragma unroll
            for (int j = 0; j < S::TN; ++j)
                slice[(row + i) * pitch + col + j / S::group_cols * S::cols_apart + j % S::group_cols] =
                    sum_of(above + i, j);
        __syncwarp();
        const int first = above / S::group_rows * rows;
#pragma unroll 8
        for (int at = lane; at < rows * S::WN; at += 32) {
            const int i = at / S::WN, j = at % S::WN;
            if (first + i < rows_left && j < cols_left) c[(first + i) * p.c.layout.row_step + j] = slice[i * pitch + j];
        }
        __syncwarp();
    }
}

}  // namespace tw::cuda
