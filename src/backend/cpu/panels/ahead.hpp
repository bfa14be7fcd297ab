// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a row of tiles asks the caches for while it is computed.
#pragma once

#include <algorithm>

#include "backend/contract.hpp"
#include "backend/cpu/product/blocks.hpp"

namespace tw::cpu {

/// The panel of A behind this one, of which each tile asks for its share: so many lines of each row that is contiguous.
/// Steps and lines are in elements of T, which a tile counts in; a narrow operand has fewer bytes than it takes them
/// for.
template <class T>
struct Ahead {
    const T* data = nullptr;
    std::int64_t step = 0, rows = 0, lines = 0;
    std::int64_t share = 0;       // from one tile to the next
    std::int64_t tiles_left = 0;  // that ask for some: a short panel has fewer lines than the row has tiles

    /// `rows_left`: of A, from this panel of `mr` rows on.
    Ahead(const Matrix& rows_left, int mr, std::int64_t tiles, bool wanted) {
        if (!wanted || rows_left.rows <= mr) return;
        const Matrix next = rows_left.block(mr, 0, std::min<std::int64_t>(mr, rows_left.rows - mr), rows_left.cols);
        if (next.col_step != 1) {
            if (next.row_step == 1) ask_for_columns(next, tiles);
            return;
        }
        data = static_cast<const T*>(next.data);
        const std::int64_t line = line_of(next), wide = width_of(next);
        step = next.row_step / wide, rows = next.rows, lines = ceil_div(ceil_div(next.cols, line), tiles),
        share = lines * line / wide, tiles_left = ceil_div(ceil_div(next.cols, line), lines);
    }
    /// All of a block whose columns are contiguous.
    Ahead(const Matrix& block, std::int64_t tiles) {
        if (block.rows > 0 && block.cols > 0) ask_for_columns(block, tiles);
    }
    /// A panel that lies ready, `size` elements long; null: nothing is asked for.
    Ahead(const T* panel, std::int64_t size, std::int64_t tiles) : data(panel) {
        constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
        if (!panel) return;
        step = line, rows = ceil_div(ceil_div(size, line), tiles), lines = 1, share = rows * line;
        tiles_left = ceil_div(ceil_div(size, line), rows);
    }
    void advance() {
        data += share;
        if (--tiles_left <= 0) rows = 0;
    }

private:
    static std::int64_t line_of(const Matrix& x) { return 64 / static_cast<std::int64_t>(size_of(x.type)); }
    static std::int64_t width_of(const Matrix& x) {  // a T has so many of its elements
        return static_cast<std::int64_t>(sizeof(T)) / static_cast<std::int64_t>(size_of(x.type));
    }
    /// Of each column the lines up to its end: where it begins within a line, that came with the rows above.
    void ask_for_columns(const Matrix& next, std::int64_t tiles) {
        const std::int64_t line = line_of(next), wide = width_of(next);
        step = next.col_step / wide, rows = ceil_div(next.cols, tiles), lines = ceil_div(next.rows, line),
        share = rows * step, tiles_left = ceil_div(next.cols, rows);
        data = static_cast<const T*>(next.block(next.rows - 1, 0, 1, 1).data) - (lines - 1) * (line / wide);
    }
};

}  // namespace tw::cpu
