// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Strips of B as r6 meets them: how a product is cut into tiles, and all the strips of one part of C.
#pragma once

#include <cstdlib>
#include <utility>

#include "backend/cpu/micro/crowded.hpp"
#include "backend/cpu/micro/pack.hpp"
#include "backend/cpu/micro/tile_of_c.hpp"
#include "backend/cpu/panels/ahead.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"

namespace tw::cpu {

constexpr std::int64_t rows_worth_packing = 48;       // a strip of B met by so many rows of A repays a copy,
constexpr std::int64_t span_worth_packing = 1 << 18;  // if it is spread over so many bytes that it stays in no cache
constexpr std::int64_t many_rows = 256, short_span = 1 << 15;  // by short vectors also one that merely leaves L1

constexpr std::int64_t short_k = 64;     // whose tiles wait for their C,
constexpr std::int64_t far_c = 1 << 14;  // if it has so many elements that it is not near

/// How a product is cut: tiles of `rows` x `width`, as equal as they can be, so that no tile is a sliver. Few rows
/// of A at a time where they are contiguous: each has an address of its own, and those whose steps are powers of two
/// would fight for one cache set.
template <class T>
struct Strips {
    std::int64_t rows, width;
    bool packs;

    /// `part`: the columns that a thread has of few rows of C.
    Strips(const MicroKernel<T>& kernel, const Product<T>& x, std::int64_t part)
        : rows(block_size(x.m(), x.a.col_step == 1 ? most_rows_of(kernel, x.m(), x.n()) : kernel.mr, 1)),
          width(width_of(kernel, rows, x.n(), part)) {
        const std::int64_t span = k_block<T>(x.k()) * std::abs(x.b.row_step) * static_cast<std::int64_t>(sizeof(T));
        const bool in_short_vectors = kernel.lanes * static_cast<int>(sizeof(T)) <= 32;
        packs = x.b.col_step != 1 || (x.m() >= rows_worth_packing && span >= span_worth_packing) ||
                (in_short_vectors && x.m() >= many_rows && span >= short_span);
    }
    /// So few columns are one strip of three vectors by four rows, not one of two and a sliver.
    static std::int64_t most_rows_of(const MicroKernel<T>& kernel, std::int64_t m, std::int64_t n) {
        const bool in_short_vectors = kernel.lanes * static_cast<int>(sizeof(T)) <= 32;
        const bool fit = n > 2 * kernel.lanes && n <= 3 * kernel.lanes && kernel.widths[4] >= 3 * kernel.lanes;
        return in_short_vectors && fit && m >= rows_worth_packing ? 4 : kernel.low;
    }
    /// Rows of B come from memory more quickly by whole lines, one of each.
    static std::int64_t width_of(const MicroKernel<T>& kernel, std::int64_t rows, std::int64_t n, std::int64_t part) {
        constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T)), fewest = 3;
        const std::int64_t widest = kernel.widths[rows];
        if (part == n && n <= widest) return widest;
        const bool by_lines = rows >= fewest && is_split(kernel, rows);
        return block_size(part, by_lines ? std::min(widest, line) : widest, kernel.lanes);
    }
    /// All of them, unless rows are so few that each thread has whole columns.
    static std::int64_t part_of(const MicroKernel<T>& kernel, std::int64_t m, std::int64_t n, int workers) {
        constexpr std::int64_t few_rows = 12;
        return m <= few_rows && workers > 1 ? std::min(n, round_up(ceil_div(n, workers), kernel.lanes)) : n;
    }
};

/// Few columns of a C that lies by rows, by an A that lies by columns: turned, rows that pass by are contiguous, and
/// C's few results go one by one. Or more rows than are summed on squares, by a B that lies by columns: turned, it is
/// read as it lies, and the few rows are what is packed, in vectors that they must fill, the long ones of f32 above
/// all; of a short k C's results are too much of the work. As timed on a core that splits vectors.
template <class T>
bool goes_across(const MicroKernel<T>& kernel, std::int64_t m, std::int64_t n, std::int64_t k, bool a_lies_by_columns,
                 bool b_lies_by_columns) {
    constexpr std::int64_t few = 16, some = 32;
    if (a_lies_by_columns && n <= few && m >= rows_worth_packing) return is_split(kernel, n);
    const bool fill_vectors = m >= kernel.lanes && 4 * m > 3 * round_up(m, kernel.lanes);
    return b_lies_by_columns && m > most_turned && m <= some && n >= rows_worth_packing && k >= short_k &&
           (fill_vectors || sizeof(T) == sizeof(double)) && splits(kernel);
}
template <class T>
bool goes_across(const MicroKernel<T>& kernel, const Product<T>& x) {
    return goes_across(kernel, x.m(), x.n(), x.k(), x.a.row_step == 1 && x.a.col_step != 1,
                       x.b.row_step == 1 && x.b.col_step != 1);
}

/// Asks for a tile of C that is about to be computed.
template <class T>
void ask_for(const View<T>& c) {
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t i = 0; i < c.rows; ++i) {
        for (std::int64_t j = 0; j < c.cols; j += line) __builtin_prefetch(&c(i, j), 1);
        __builtin_prefetch(&c(i, c.cols - 1), 1);
    }
}

/// Tiles of one block of k, whose operands and place in C are yet to be said.
template <class T>
MicroTile<T> tile_of_block(const Product<T>& x) {
    return {.k = x.k(),
            .a = nullptr,
            .a_row_step = x.a.row_step,
            .a_step = x.a.col_step,
            .b = nullptr,
            .b_step = 0,
            .c = nullptr,
            .c_step = 0,
            .alpha = x.alpha,
            .beta = x.beta,
            .rows = 0,
            .cols = 0};
}

/// All the strips of one block of k, whose columns of A are x.a. `strip_of(j, cols)` has one of B in memory, and says
/// how far apart its rows are; `completed` gets each tile of C. The next strip of x.b, if that is there, is asked for
/// while one is met: its rows may lie on a page each, which no hardware fetches ahead. By 64-byte tiles only for few
/// rows of C, where B is most of what is read.
template <class T>
void multiply_strips(const MicroKernel<T>& kernel, const Product<T>& x, const Strips<T>& cut, const SlabSteps* slabs,
                     bool asks, const auto& strip_of, const auto& completed) {
    const std::int64_t tiles = ceil_div(x.m(), cut.rows);
    const Matrix columns = erase(x.b.transposed());
    const bool in_short_vectors = kernel.lanes * static_cast<int>(sizeof(T)) <= 32;
    const bool asks_ahead = x.b.data && (in_short_vectors || (x.m() < rows_worth_packing && x.b.col_step == 1));
    MicroTile<T> tile = tile_of_block(x);
    for (std::int64_t j = 0; j < x.n(); j += cut.width) {
        const std::int64_t cols = std::min(cut.width, x.n() - j);
        const auto [strip, step] = strip_of(j, cols);
        tile.b = strip, tile.b_step = step;
        Ahead<T> ahead(columns.block(j, 0, x.n() - j, x.k()), static_cast<int>(cut.width), tiles, asks_ahead);
        tile.ahead_step = ahead.step, tile.ahead_lines = ahead.lines;
        for (std::int64_t i = 0; i < x.m(); i += cut.rows, ahead.advance()) {
            const View<T> c = x.c.block(i, j, std::min(cut.rows, x.m() - i), cols);
            tile.a = &x.a(i, 0);
            tile.ahead = ahead.data, tile.ahead_rows = ahead.rows;
            if (asks) ask_for(c);
            run_tile_in_slabs(kernel, tile, c, slabs);
            completed(c, i, j);
        }
    }
}

/// Few columns by one block of k: all strips of B, which lie one behind the other, stay near while rows of A pass by,
/// each of which comes from memory once.
template <class T>
void multiply_rows(const MicroKernel<T>& kernel, const Product<T>& x, const Strips<T>& cut, const SlabSteps* slabs,
                   const T* strips, const auto& completed) {
    const std::int64_t tiles = ceil_div(x.n(), cut.width);
    MicroTile<T> tile = tile_of_block(x);
    tile.b_step = cut.width;
    for (std::int64_t i = 0; i < x.m(); i += cut.rows) {
        Ahead<T> ahead(erase(x.a.block(i, 0, x.m() - i, x.k())), static_cast<int>(cut.rows), tiles, true);
        tile.ahead_step = ahead.step, tile.ahead_lines = ahead.lines;
        tile.a = &x.a(i, 0), tile.b = strips;
        for (std::int64_t j = 0; j < x.n(); j += cut.width, tile.b += x.k() * cut.width, ahead.advance()) {
            const View<T> c = x.c.block(i, j, std::min(cut.rows, x.m() - i), std::min(cut.width, x.n() - j));
            tile.ahead = ahead.data, tile.ahead_rows = ahead.rows;
            run_tile_in_slabs(kernel, tile, c, slabs);
            completed(c, i, j);
        }
    }
}

/// A strip's, or those of few columns.
template <class T>
std::int64_t panel_elements(const MicroKernel<T>& kernel, std::int64_t k) {
    return k_block<T>(k) * kernel.widths[1];
}

/// Whether a panel has room for all columns, and there are rows enough to repay their copy.
template <class T>
bool go_by_rows(const MicroKernel<T>& kernel, std::int64_t rows, std::int64_t cols, std::int64_t width) {
    return rows >= rows_worth_packing && round_up(cols, width) <= kernel.widths[1];
}

/// All the strips of one part of C, block of k by block of k: a part belongs to one worker. `completed` gets each tile
/// of C after its last block.
template <class T>
void multiply_part(const MicroKernel<T>& kernel, const Product<T>& x, const Strips<T>& cut, const SlabSteps* slabs,
                   T* panel, const auto& completed) {
    const std::int64_t depth = k_block<T>(x.k());
    const bool asks = x.k() <= short_k && x.c.col_step == 1 && x.m() * x.n() >= far_c;
    // One strip of 64-byte tiles goes by rows anyway, and what fetches ahead sees to rows that are contiguous.
    const bool gains = kernel.lanes * static_cast<int>(sizeof(T)) <= 32 || x.n() > cut.width || x.a.col_step != 1;
    const bool by_rows = gains && panel && go_by_rows(kernel, x.m(), x.n(), cut.width);
    for (std::int64_t p = 0; p < x.k(); p += depth) {
        const std::int64_t block = std::min(depth, x.k() - p);
        const Product<T> some{x.a.block(0, p, x.m(), block), x.b.block(p, 0, block, x.n()), x.c, x.alpha,
                              p == 0 ? x.beta : T(1)};
        const auto ends = [&](const View<T>& c, std::int64_t i, std::int64_t j) {
            if (p + block == x.k()) completed(c, i, j);
        };
        const auto pack = [&](const View<const T>& strips) {
            pack_panels(kernel, strips.transposed(), static_cast<int>(cut.width), panel);
            return std::pair<const T*, std::int64_t>(panel, cut.width);
        };
        if (by_rows) {
            multiply_rows(kernel, some, cut, slabs, pack(some.b).first, ends);
            continue;
        }
        multiply_strips(
            kernel, some, cut, slabs, asks,
            [&](std::int64_t j, std::int64_t cols) {
                const View<const T> strip = some.b.block(0, j, block, cols);
                if (cut.packs) return pack(strip);
                return std::pair<const T*, std::int64_t>(strip.data, strip.row_step);
            },
            ends);
    }
}

}  // namespace tw::cpu
