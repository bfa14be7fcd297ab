// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A micro-kernel's sums are added to C, whatever its steps are.
#pragma once

#include <bit>
#include <utility>

#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"
#include "backend/cpu/product/slab_steps.hpp"

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

/// Whole tiles on packed panels have a function of their own. Others take a call for each slab, which adds the first of
/// its addends as if that were C.
template <class T>
void sum_slabs(const MicroKernel<T>& kernel, MicroTile<T>& tile, const View<T>& c, const SlabSteps& slabs) {
    constexpr int buffers = SlabSteps::most_levels + 1, buffer = MicroKernel<T>::most_results;
    alignas(64) T sums[buffers * buffer];
    const bool is_packed = tile.a_row_step == 1 && tile.a_step == kernel.mr && tile.b_step == kernel.nr;
    if (is_packed && c.rows == kernel.mr && c.cols == kernel.nr && c.col_step == 1) {
        tile.c = c.data, tile.c_step = c.row_step;
        return kernel.sum_slabs(tile, slabs, sums);
    }
    T* at[buffers];  // C's sums, then those of the levels
    for (int b = 0; b < buffers; ++b) at[b] = sums + b * buffer;
    MicroTile<T> part = tile;
    part.c_step = c.cols, part.ahead_rows = 0;
    part.rows = static_cast<int>(c.rows), part.cols = static_cast<int>(c.cols);
    for (const SlabSteps::Step* step = slabs.steps; step < slabs.steps + slabs.count; ++step) {
        unsigned plus = step->plus;
        if (plus) std::swap(at[step->into + 1], at[std::countr_zero(plus) + 1]);
        part.k = step->length, part.c = at[step->into + 1], part.beta = plus ? T(1) : T(0);
        kernel.run(part);
        part.a += step->length * part.a_step, part.b += step->length * part.b_step;
        while (plus &= plus - 1) {
            const T* const addend = at[std::countr_zero(plus) + 1];
            for (std::int64_t x = 0; x < c.rows * c.cols; ++x) part.c[x] += addend[x];
        }
    }
    const Product<T> result{{}, {}, c, T(1), tile.beta};
    const T* sum = at[0];
    for (std::int64_t i = 0; i < c.rows; ++i, sum += c.cols)
        if (c.col_step == 1) result.finish_row(i, sum);
        else
            for (std::int64_t j = 0; j < c.cols; ++j) result.finish(i, j, sum[j]);
}

/// The same where k may be in slabs: alpha is 1 then, and beta C is added to the sum of them all.
template <class T>
inline void run_tile_in_slabs(const MicroKernel<T>& kernel, MicroTile<T>& tile, const View<T>& c,
                              const SlabSteps* slabs) {
    slabs && slabs->count > 1 ? sum_slabs(kernel, tile, c, *slabs) : run_tile(kernel, tile, c);
}

}  // namespace tw::cpu
