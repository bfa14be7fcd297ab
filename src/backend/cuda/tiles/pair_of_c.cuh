// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How kernels for doubles write C.
#pragma once

#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {

/// Two neighbours of a row of C: at once where its rows allow that.
struct Pair {
    double* at;
    bool has_left, has_right, at_once;

    /// left: C's columns from the first one on.
    __device__ Pair(double* first, bool in_pairs, bool has_row, int left)
        : at(first), has_left(has_row && left > 0), has_right(has_row && left > 1), at_once(in_pairs && has_right) {}
    __device__ Pair(const Product<double>& p, bool in_pairs, int row, int col)
        : Pair(&p.c(row, col), in_pairs, row < p.c.rows(), static_cast<int>(p.c.cols()) - col) {}

    __device__ void add(double (&sum)[2], double beta, std::int64_t step) const {
        if (at_once) {
            const double2 old = *reinterpret_cast<const double2*>(at);
            sum[0] += beta * old.x, sum[1] += beta * old.y;
        } else {
            if (has_left) sum[0] += beta * at[0];
            if (has_right) sum[1] += beta * at[step];
        }
    }
    __device__ void store(const double (&sum)[2], std::int64_t step) const {
        if (at_once) {
            *reinterpret_cast<double2*>(at) = make_double2(sum[0], sum[1]);
        } else {
            if (has_left) at[0] = sum[0];
            if (has_right) at[step] = sum[1];
        }
    }
};

/// A thread's sums to C, of which it has the first at (row, col). All that is read of an old C is asked for before
/// anything is written: one by one, each would wait for the last.
template <class S>
__device__ void store_tile(const Product<double>& p, bool c_in_pairs, int row, int col,
                           double (&sums)[S::WM / 16][S::WN / 8][4]) {
    const Layout& c = p.c.layout;
    const int rows = static_cast<int>(c.rows) - row, cols = static_cast<int>(c.cols) - col;
    const std::int64_t down = 8 * c.row_step, across = 8 * c.col_step;
    const auto each_pair = [&](const auto& visit) {
        double* row_of_c = &p.c(row, col);
#pragma unroll
        for (int r = 0; r < S::WM / 8; ++r, row_of_c += down) {
            double* at = row_of_c;
#pragma unroll
            for (int j = 0; j < S::WN / 8; ++j, at += across)
                visit(Pair(at, c_in_pairs, 8 * r < rows, cols - 8 * j),
                      *reinterpret_cast<double(*)[2]>(&sums[r / 2][j][r % 2 * 2]));
        }
    };
    each_pair([&](const Pair&, double(&sum)[2]) { sum[0] *= p.alpha, sum[1] *= p.alpha; });
    if (p.beta != 0) each_pair([&](const Pair& pair, double(&sum)[2]) { pair.add(sum, p.beta, p.c.layout.col_step); });
    each_pair([&](const Pair& pair, const double(&sum)[2]) { pair.store(sum, p.c.layout.col_step); });
}

/// Pairs of a thread's sums, those before the last of a tile, to C.
template <class Shape, int count>
__device__ void store_pairs(const Product<double>& p, bool in_pairs, int2 tile, int first, int last,
                            const double2 (&sums)[count]) {
#pragma unroll
    for (int q = 0; q < count; ++q) {
        if (first + q >= last) break;
        const Pair pair(p, in_pairs, tile.x * Shape::BM + Shape::row_of(first + q),
                        tile.y * Shape::BN + Shape::col_of(first + q));
        double sum[2] = {p.alpha * sums[q].x, p.alpha * sums[q].y};
        if (p.beta != 0) pair.add(sum, p.beta, p.c.layout.col_step);
        pair.store(sum, p.c.layout.col_step);
    }
}

}  // namespace tw::cuda
