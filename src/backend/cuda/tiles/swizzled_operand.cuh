// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An operand of 16-bit elements on its way to a warp: tiles in shared memory, rows of 128 bytes whose 16-byte pieces
// are swizzled, so that eight rows of a fragment lie in eight different groups of banks.
#pragma once

#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/ldmatrix.cuh"
#include "backend/cuda/ptx/shared_store.cuh"
#include "tilewright/layout.hpp"

namespace tw::cuda {

/// How an operand's rows along k lie: 16 bytes at a time along k or across it (stored as they lie), or anyhow.
enum class Way { along_k, across_k, any };

/// Copies tiles of `rows` rows and 64 of k, 16 bytes at a time, and reads fragments of them. Across k a tile is runs of
/// 64 rows, k after k.
template <class T, Way way, int rows, int threads, bool is_b>
class Operand {
    static constexpr int depth = 64, in_piece = 8, row_bytes = 128, pieces = rows * row_bytes / 16 / threads;
    static constexpr bool turned = way == Way::across_k;
    static constexpr int row_jump = turned ? 0 : threads / 8, k_jump = turned ? threads * in_piece / rows : 0;
    static_assert(row_jump % 8 == 0 && k_jump % 8 == 0);

public:
    /// Fragments are those of the warp whose rows begin at warp_row.
    __device__ Operand(const Tensor<const T>& of, int first_row, int warp_row) : k_step_(of.layout.col_step) {
        const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
        const int row = turned ? thread % (rows / in_piece) * in_piece : thread / 8;
        const int k = turned ? thread / (rows / in_piece) : thread % 8 * in_piece;
        rows_left_ = static_cast<int>(of.layout.rows) - first_row - row;
        k_left_ = static_cast<int>(of.layout.cols) - k;
        from_ = of.data + of.layout(first_row + row, k);
        jump_ = row_jump * of.layout.row_step + k_jump * k_step_;
        const int line = turned ? row / 64 * 64 + k : row, piece = turned ? row % 64 / in_piece : k / in_piece;
        to_ = static_cast<std::uint32_t>(line * row_bytes + ((piece ^ line % 8) << 4));

        const int half = lane / 8 % 2, other_half = lane / 16;  // of the matrix whose address this lane gives
        const int row_half = is_b ? other_half : half, k_half = is_b ? half : other_half;
        const int fragment_line = turned ? warp_row / 64 * 64 + k_half * 8 : warp_row + row_half * 8;
        const int fragment_piece = turned ? warp_row % 64 / 8 + row_half : k_half;
        at_ = static_cast<std::uint32_t>((fragment_line + lane % 8) * row_bytes + ((fragment_piece ^ lane % 8) << 4));
    }

    /// The next 64 of k.
    __device__ void fill(std::uint32_t tile) {
        const T* from = from_;
        tile += to_;
#pragma unroll way == Way::any ? 1 : pieces
        for (int s = 0; s < pieces; ++s, from += jump_, tile += (row_jump + k_jump) * row_bytes) {
            const int rows_left = rows_left_ - s * row_jump, k_left = k_left_ - s * k_jump;
            if constexpr (way == Way::any) {
                std::uint32_t pairs[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    __align__(4) T pair[2];
#pragma unroll
                    for (int e = 0; e < 2; ++e) {
                        const int k = 2 * i + e;
                        pair[e] = rows_left > 0 && k < k_left ? from[k * k_step_] : T(0.0f);
                    }
                    pairs[i] = *reinterpret_cast<const std::uint32_t*>(pair);
                }
                ptx::store_16(tile, pairs);
            } else {
                const int along = turned ? rows_left : k_left, other = turned ? k_left : rows_left;
                ptx::copy_16(tile, from, other <= 0 || along <= 0 ? 0 : along < in_piece ? along * 2 : 16);
            }
        }
        k_left_ -= depth;
        from_ += depth * k_step_;
    }

    /// Rows 16 * block of the warp's and on, k 16 * step and on: a first operand, or two second ones of 8 rows each.
    __device__ void read(std::uint32_t (&to)[4], std::uint32_t tile, int block, int step) const {
        if constexpr (turned) ptx::load_turned_matrices(to, tile + step * 16 * row_bytes + (at_ ^ block << 5));
        else ptx::load_matrices(to, tile + block * 16 * row_bytes + (at_ ^ step << 5));
    }

private:
    const T* from_;
    std::int64_t k_step_, jump_;
    int rows_left_, k_left_;
    std::uint32_t to_, at_;
};

}  // namespace tw::cuda
