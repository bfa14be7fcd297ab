// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One thread's share of moving a tile from global memory to registers and from there to shared memory. The threads walk
// along whichever direction is contiguous in memory; what lies outside the matrix is 0. Its extents fit an int.
#pragma once

#include "tilewright/layout.hpp"

namespace tw::cuda {

template <class T, int rows, int cols, int threads>
class TileLoader {
    static constexpr int share = rows * cols / threads;
    static_assert(share * threads == rows * cols && threads % rows == 0 && threads % cols == 0);

public:
    /// The tile that starts at (first_row, first_col); advance() moves it `down` rows and `across` columns.
    __device__ TileLoader(const Tensor<const T>& from, std::int64_t first_row, std::int64_t first_col, int down,
                          int across)
        : down_(down), across_(across) {
        const int thread = static_cast<int>(threadIdx.x);
        const bool along_rows = from.layout.col_step == 1 || from.layout.row_step != 1;
        row_ = along_rows ? thread / cols : thread % rows;
        col_ = along_rows ? thread % cols : thread / rows;
        row_jump_ = along_rows ? threads / cols : 0;
        col_jump_ = along_rows ? 0 : threads / rows;
        rows_left_ = static_cast<int>(from.layout.rows - first_row) - row_;
        cols_left_ = static_cast<int>(from.layout.cols - first_col) - col_;
        from_ = from.data + from.layout(first_row + row_, first_col + col_);
        jump_ = row_jump_ * from.layout.row_step + col_jump_ * from.layout.col_step;
        step_ = down * from.layout.row_step + across * from.layout.col_step;
    }

    __device__ void load() {
        const T* from = from_;
#pragma unroll
        for (int s = 0; s < share; ++s, from += jump_) {
            const bool inside = s * row_jump_ < rows_left_ && s * col_jump_ < cols_left_;
            held_[s] = inside ? *from : T{};
        }
    }

    __device__ void store(T* tile, const Layout& layout) const {
#pragma unroll
        for (int s = 0; s < share; ++s)
            tile[static_cast<int>(layout(row_ + s * row_jump_, col_ + s * col_jump_))] = held_[s];
    }

    __device__ void advance() {
        rows_left_ -= down_, cols_left_ -= across_;
        from_ += step_;
    }

private:
    const T* from_;
    std::int64_t jump_, step_;
    int rows_left_, cols_left_, down_, across_;
    int row_, col_, row_jump_, col_jump_;
    T held_[share];
};

}  // namespace tw::cuda
