// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Few rows of C, whose sums wait in the cache while B passes by, some of its rows at a time.
#pragma once

#include "backend/cpu/micro/crowded.hpp"
#include "backend/cpu/micro/pack_narrow.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"
#include "base/cpu_core.hpp"

namespace tw::cpu {

constexpr std::int64_t most_rows = 128;  // of A at a time: with more, a packed B repays its copy
constexpr std::int64_t fewest_at_a_time = 8,
                       most_at_a_time = 32;      // rows of B: with more sums, more work for each coming
constexpr std::int64_t waiting_bytes = 1 << 16;  // of sums, by lines four times as many
constexpr std::int64_t copied_bytes = 1 << 14;   // of B
constexpr std::int64_t tiles_ahead = 4;          // from the one that is computed to the one whose B is asked for
/// On a core that splits vectors a line of each of so many rows goes together, and one further on is asked for in each
/// step, by so many rows of C: rows of B a power of two apart find a place in L2 until the next lines are wanted.
constexpr std::int64_t many_by_lines = 48, lines_ahead = 2, fewest_by_lines = 5;
constexpr std::int64_t most_width = 64;  // of a tile, in elements
/// A strip, in elements: whole tiles of any width. One or two rows of C have strips so wide that most rows of B are
/// read from end to end: pieces of them come a fifth more slowly.
constexpr std::int64_t narrowest = 192, widest = 85 * narrowest;

/// Rows of B pass by as they lie, narrow ones widened in registers; or copies of pieces of them, which stay in L1
/// between being made and being read: what is contiguous along k is read so, in pieces of whole lines.
template <class T>
struct Cut {
    std::int64_t rows, panels, depth, at_a_time, width, strip;  // width: of a tile
    bool copies, by_lines;

    /// `lies_well`: B's rows are contiguous.
    Cut(const MicroKernel<T>& kernel, std::int64_t m, std::int64_t k, Type of_b, bool lies_well)
        : rows(block_size(std::min(m, most_rows), kernel.low, 1)),
          panels(ceil_div(std::min(m, most_rows), rows)),
          depth(k_block<T>(k)),
          at_a_time(std::clamp(round_up(2 * m, 8), fewest_at_a_time, most_at_a_time)),
          width(kernel.passed_widths[rows]),
          copies(!lies_well),
          by_lines(lies_well && goes_by_lines(kernel, m, of_b)) {
        constexpr std::int64_t elements = copied_bytes / static_cast<std::int64_t>(sizeof(T));
        const bool in_long_vectors = kernel.lanes * static_cast<int>(sizeof(T)) >= 64;  // their strips are wide
        const std::int64_t waiting = (by_lines ? 4 : 1) * waiting_bytes / static_cast<std::int64_t>(sizeof(T));
        strip = std::clamp(waiting / (panels * rows) / narrowest * narrowest, narrowest, widest);
        if (by_lines) at_a_time = many_by_lines, width = std::min<std::int64_t>(width, 64 / sizeof(T));
        if (!copies) return;
        strip = width;
        at_a_time = in_long_vectors ? depth : elements / strip;
    }
    /// Of rows of B that pass by, on a core that splits vectors.
    static bool goes_by_lines(const MicroKernel<T>& kernel, std::int64_t m, Type of_b) {
        return of_b == type_of<T> && m >= fewest_by_lines && splits(kernel);
    }
    std::int64_t packed() const { return round_up(panels * rows * depth, 64); }
    std::int64_t waiting() const { return panels * rows * strip; }
    std::int64_t copied() const { return copies ? at_a_time * strip : 0; }
    std::int64_t elements() const { return packed() + waiting() + (copies ? copied() : at_a_time * most_width); }
};

/// What rows of B that pass by take on such a core, over the kernel's rate, as timed on a Zen 1: with few rows of C, or
/// a narrow B, sums that come and go cost more; by lines, rows of B that do not fight come late.
template <class T>
double split_pace(const MicroKernel<T>& kernel, std::int64_t m, std::int64_t n, Type of_b) {
    const auto rows = static_cast<double>(std::max<std::int64_t>(m, 2));
    if (!Cut<T>::goes_by_lines(kernel, m, of_b)) return (m <= kernel.low ? 0.78 : 1) * (1.5 + 5 / rows);
    return fights<T>(n) ? 1.25 + 2.7 / rows : 1.05 + 8 / rows;
}

/// At most `most_rows` rows of C, or a part of their columns.
template <class T>
class Slab {
public:
    /// `a` and `b`: the product's, which may be narrow.
    Slab(const MicroKernel<T>& kernel, const Product<T>& x, const Matrix& a, const Matrix& b, const Cut<T>& cut,
         T* memory)
        : kernel_(kernel),
          x_(x),
          a_(a),
          b_(b),
          cut_(cut),
          width_(cut.width),
          strip_(block_size(x.n(), cut.strip, width_)),
          packed_(memory),
          sums_(memory + cut.packed()),
          copied_(sums_ + cut.waiting()),
          kept_(copied_ + cut.copied()) {}

    /// `completed` gets each strip of C after its last block of k.
    void multiply(const auto& completed) const {
        for (std::int64_t p = 0; p < x_.k(); p += cut_.depth) {
            const std::int64_t block = std::min(cut_.depth, x_.k() - p);
            for (std::int64_t i = 0; i < x_.m(); i += cut_.rows) {
                const std::int64_t rows = std::min(cut_.rows, x_.m() - i);
                pack_any(kernel_, a_.block(i, p, rows, block), static_cast<int>(rows), packed_ + i * cut_.depth);
            }
            for (std::int64_t j = 0; j < x_.n(); j += strip_) {
                const std::int64_t cols = std::min(strip_, x_.n() - j);
                Product<T> strip{x_.a, x_.b, x_.c.block(0, j, x_.m(), cols), x_.alpha, p == 0 ? x_.beta : T(1)};
                const Matrix b = b_.block(p, j, block, cols);
                for (std::int64_t q = 0; q < block; q += cut_.at_a_time)
                    pass(strip, b, q, std::min(cut_.at_a_time, block - q));
                if (x_.c.col_step != 1) add_to_c(strip);
                if (p + block == x_.k()) completed(erase(strip.c), j);
            }
        }
    }

private:
    /// Rows q and on of the strip's B pass by, or copies of them.
    void pass(const Product<T>& strip, const Matrix& all_of_b, std::int64_t q, std::int64_t count) const {
        const Matrix rows_of_b = all_of_b.block(q, 0, count, strip.n());
        const bool ends = q + count == all_of_b.rows;
        if (!cut_.copies) return meet(strip, rows_of_b, q, ends);
        pack_any(kernel_, rows_of_b.transposed(), static_cast<int>(cut_.strip), copied_);
        meet(strip, {copied_, type_of<T>, count, strip.n(), cut_.strip}, q, ends);
    }

    /// All panels of A meet some rows of B, whose columns lie side by side.
    void meet(const Product<T>& strip, const Matrix& b, std::int64_t q, bool ends) const {
        const std::int64_t count = b.rows;
        const bool meets_c = strip.c.col_step == 1;
        const bool keeps = !cut_.copies && !cut_.by_lines && strip.m() > cut_.rows;
        const std::int64_t panels = ceil_div(strip.m(), cut_.rows);
        const bool in_long_vectors = kernel_.lanes * static_cast<int>(sizeof(T)) >= 64;
        const bool asks =
            ((strip.m() > 1 && !cpu_core().splits_vectors()) || in_long_vectors || cut_.by_lines) && !cut_.copies;
        const std::int64_t at_once = panels == 1 && !asks ? b.cols / width_ : 0;  // tiles, by one call
        for (std::int64_t j = 0, tiles = 1; j < b.cols; j += tiles * width_) {
            const std::int64_t cols = std::min(width_, b.cols - j);
            tiles = j == 0 ? std::max<std::int64_t>(at_once, 1) : 1;
            const Matrix asked = asks ? ahead_of(b, j) : Matrix{};
            for (std::int64_t i = 0; i < strip.m(); i += cut_.rows) {
                const std::int64_t rows = std::min(cut_.rows, strip.m() - i);
                const bool is_first = i == 0, from_kept = keeps && !is_first;
                kernel_.pass({.tile = {.k = count,
                                       .a = packed_ + i * cut_.depth + q * rows,
                                       .a_row_step = 1,
                                       .a_step = rows,
                                       .b = nullptr,
                                       .b_step = 0,
                                       .c = &strip.c(i, j),
                                       .c_step = strip.c.row_step,
                                       .alpha = strip.alpha,
                                       .beta = strip.beta,
                                       .rows = static_cast<int>(rows),
                                       .cols = static_cast<int>(cols)},
                              .b = from_kept ? kept_ : b.at(0, j),
                              .b_type = from_kept ? type_of<T> : b.type,
                              .b_step = from_kept ? round_up(cols, kernel_.lanes) : b.row_step,
                              .sums = sums_ + i * cut_.strip + j,
                              .sums_step = cut_.strip,
                              .asked = asks ? asked.at(i / cut_.rows * ceil_div(count, panels), 0) : nullptr,
                              .asked_every = !asks || (cut_.by_lines && !is_first) ? 0
                                             : cut_.by_lines                       ? 1
                                                                                   : panels,
                              .kept = keeps && is_first ? kept_ : nullptr,
                              .begins = q == 0,
                              .ends = meets_c && ends,
                              .tiles = tiles});
            }
        }
    }

    /// What is wanted some tiles after column j of B: in the same rows, or in the next ones to pass by.
    Matrix ahead_of(const Matrix& b, std::int64_t j) const {
        const std::int64_t then = j + (cut_.by_lines ? lines_ahead : tiles_ahead) * width_;
        if (then < b.cols) return b.block(0, then, b.rows, 1);
        return b.block(b.rows, then - round_up(b.cols, width_), b.rows, 1);
    }

    /// A C without contiguous rows meets its sums one by one, with the same roundings in the same order.
    void add_to_c(const Product<T>& strip) const {
        for (std::int64_t i = 0; i < strip.m(); ++i)
            for (std::int64_t j = 0; j < strip.n(); ++j) strip.finish(i, j, sums_[i * cut_.strip + j]);
    }

    const MicroKernel<T>& kernel_;
    const Product<T>& x_;
    const Matrix &a_, &b_;
    const Cut<T>& cut_;
    std::int64_t width_, strip_;
    T *packed_, *sums_, *copied_, *kept_;
};

}  // namespace tw::cpu
