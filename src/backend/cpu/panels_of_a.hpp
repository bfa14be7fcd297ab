// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where one thread's panels of A lie, and what the caches are asked for meanwhile.
#pragma once

#include <algorithm>

#include "backend/cpu/micro/pack_narrow.hpp"
#include "backend/cpu/panels/ahead.hpp"
#include "tilewright/view.hpp"

namespace tw::cpu {

constexpr std::int64_t few = 128;  // rows whose panels all stay in L2

/// Rows of an A by columns: whole lines of f32 and f64 where it begins with one, and the next ones find a place in L2.
/// Tiles of 64-byte vectors wait longer for a line, and have an L2 of a MiB or more.
constexpr std::int64_t packed_together(bool in_long_vectors) { return in_long_vectors ? 112 : 48; }

/// Where A's panels are packed: all of a block, or some after the others in one place, which so stays near. One at
/// a time, unless A lies by columns: a line of memory has rows of several panels then.
template <class T, const MicroKernel<T>& micro>
struct PanelsOfA {
    T* data;
    bool is_first, wait;
    std::int64_t at_once;  // rows

    /// Rows of the next panel: the last two share what is left where one of them would be a sliver.
    std::int64_t height(std::int64_t left) const {
        const bool in_short_vectors = micro.lanes * int{sizeof(T)} < 64;  // wider ones were not timed
        const bool has_sliver = left > micro.mr && 3 * left < 5 * micro.mr && at_once == micro.mr && in_short_vectors;
        return has_sliver ? (left + 1) / 2 : std::min<std::int64_t>(left, micro.mr);
    }
    /// How wide its panel is.
    std::int64_t width(std::int64_t rows) const { return at_once > micro.mr ? micro.mr : rows; }
    T* at(std::int64_t i, std::int64_t depth) const { return data + (wait ? i : i % at_once) * depth; }
    static std::int64_t rows_at_once(const Matrix& a) {
        const std::int64_t some = packed_together(micro.lanes * int{sizeof(T)} >= 64);
        return a.row_step == 1 && a.col_step != 1 ? some / micro.mr * micro.mr : micro.mr;
    }
    /// The panel of `rows` rows at i, or all those that are packed with it.
    void pack(const Matrix& rows_left, std::int64_t i, std::int64_t rows) const {
        if (at_once > micro.mr && i % at_once != 0) return;
        const std::int64_t count = at_once > micro.mr ? std::min(at_once, rows_left.rows) : rows;
        pack_any(micro, rows_left.block(0, 0, count, rows_left.cols), static_cast<int>(width(rows)),
                 at(i, rows_left.cols));
    }
    /// `rows`: of the panel at i, behind which the next one lies.
    Ahead<T> ahead_of(const Matrix& rows_left, std::int64_t i, std::int64_t rows, std::int64_t tiles) const {
        if (is_first && at_once > micro.mr) return ahead_of_batch(rows_left, i, tiles);
        if (is_first || rows_left.rows <= rows) return {rows_left, static_cast<int>(rows), tiles, is_first};
        return {at(i + rows, rows_left.cols), rows * rows_left.cols, tiles};
    }

private:
    /// Of the rows that are packed together next, while panels of these are met: each asks for a share of the columns.
    Ahead<T> ahead_of_batch(const Matrix& rows_left, std::int64_t i, std::int64_t tiles) const {
        const std::int64_t panels = at_once / micro.mr, panel = i % at_once / micro.mr, k = rows_left.cols,
                           skipped = at_once - i % at_once, share = ceil_div(k, panels), first = panel * share;
        if (rows_left.rows <= skipped || k <= first) return {nullptr, 0, 1};
        return {
            rows_left.block(skipped, first, std::min(at_once, rows_left.rows - skipped), std::min(share, k - first)),
            tiles};
    }
};

}  // namespace tw::cpu
