// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A micro-kernel's sums are added to C, whatever its steps are.
#pragma once

#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/product/product.hpp"

namespace tw::cpu {

/// The sums of a tile whose rows of C are not contiguous go through a buffer and are added to C one by one, with the
/// same roundings in the same order.
template <class T>
void run_through_buffer(const MicroKernel<T>& kernel, MicroTile<T> tile, const View<T>& c) noexcept {
    T sums[MicroKernel<T>::most_results];
    const Product<T> result{{}, {}, c, tile.alpha, tile.beta};
    tile.c = sums;
    tile.c_step = c.cols;
    tile.alpha = 1;
    tile.beta = 0;
    kernel.run(tile);
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j) result.finish(i, j, sums[i * c.cols + j]);
}

/// Runs the kernel on a tile whose `c`, `rows` and `cols` are yet to be set: in it, as a copy would be read in wider
/// pieces than it was just written in, and would wait until the last tile's sums have left for C.
template <class T>
inline void run_tile(const MicroKernel<T>& kernel, MicroTile<T>& tile, const View<T>& c) noexcept {
    tile.rows = static_cast<int>(c.rows);
    tile.cols = static_cast<int>(c.cols);
    if (c.col_step != 1) return run_through_buffer(kernel, tile, c);
    tile.c = c.data;
    tile.c_step = c.row_step;
    kernel.run(tile);
}

}  // namespace tw::cpu
