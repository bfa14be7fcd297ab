// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A few rows of C where B is contiguous along k: some columns of B at a time, read from end to end as they lie, so few
// that the processor fetches ahead in each of them.
#pragma once

#include "backend/cpu/micro/pack_narrow.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"
#include "base/caches.hpp"
#include "base/cpu_core.hpp"

namespace tw::cpu {

template <class T>
struct TurnedCut {
    static constexpr std::int64_t fighting = 4096, ways = 8;  // lines so far apart share a set of L1, which holds few,
    static constexpr std::int64_t most_columns = 12;          // but for those of so many ways
    std::int64_t rows, depth, width;

    /// `apart`: bytes from one column to the next.
    TurnedCut(std::int64_t m, std::int64_t k, std::int64_t apart)
        : rows(std::min<std::int64_t>(m, most_turned)),
          depth(k_block<T>(k)),
          width(apart % fighting == 0 && caches().l1.ways < most_columns ? ways
                                                                         : 64 / static_cast<std::int64_t>(sizeof(T))),
          packed_(round_up(rows * k, 64)) {}

    /// No more rows than registers have sums for, and columns whose elements lie side by side.
    static bool suits(const MicroKernel<T>& kernel, std::int64_t m, bool is_contiguous_along_k) {
        return kernel.turn && m <= most_turned && is_contiguous_along_k;
    }
    std::int64_t packed() const { return packed_; }
    std::int64_t sums() const { return rows * width; }
    std::int64_t elements() const { return packed() + sums(); }

private:
    std::int64_t packed_;
};

template <class T>
class TurnedSlab {
public:
    /// `a` and `b`: the product's, which may be narrow. `b` may be some of the columns.
    TurnedSlab(const MicroKernel<T>& kernel, const Product<T>& x, const Matrix& a, const Matrix& b,
               const TurnedCut<T>& cut, T* memory)
        : kernel_(kernel), x_(x), b_(b), cut_(cut), a_(memory), sums_(memory + cut.packed()) {
        if (a.rows == 1 && a.col_step == 1 && a.type == type_of<T>) a_ = static_cast<const T*>(a.data);
        else pack_any(kernel, a, static_cast<int>(a.rows), memory);
    }

    /// `completed` gets each strip of C after its last block of k.
    void multiply(const auto& completed) const {
        for (std::int64_t j = 0; j < x_.n(); j += cut_.width) {
            const View<T> c = x_.c.block(0, j, x_.m(), std::min(cut_.width, x_.n() - j));
            for (std::int64_t p = 0; p < x_.k(); p += cut_.depth) {
                sum_block(j, c.cols, p, std::min(cut_.depth, x_.k() - p));
                for (std::int64_t i = 0; i < c.rows; ++i) add_to_c(c.block(i, 0, 1, c.cols), i, p == 0);
            }
            completed(erase(c), j);
        }
    }

private:
    /// What fetches ahead in each column does not know where the next ones begin, which counts where they are short.
    void sum_block(std::int64_t j, std::int64_t cols, std::int64_t p, std::int64_t depth) const {
        const bool asks = depth == x_.k() && j + 2 * cut_.width <= x_.n();
        kernel_.turn({.k = depth,
                      .a = a_ + p * x_.m(),
                      .b = b_.at(p, j),
                      .b_type = b_.type,
                      .b_step = b_.col_step,
                      .sums = sums_,
                      .sums_step = cut_.width,
                      .cols = cols,
                      .rows = static_cast<int>(x_.m()),
                      .ahead = asks ? b_.at(0, j + cut_.width) : nullptr,
                      .in_halves = in_halves()});
    }

    /// Turning is most of what few rows take; of narrow columns it takes all of them at once.
    bool in_halves() const {
        const bool all_at_once = b_.type == type_of<T> || cut_.width > cut_.ways;
        return x_.m() <= most_in_halves && all_at_once && cpu_core().splits_vectors();
    }

    /// One row, with the roundings of any other kernel's sums.
    void add_to_c(const View<T>& row, std::int64_t i, bool is_first) const {
        const T* const sums = sums_ + i * cut_.width;
        const Product<T> x{{}, {}, row, x_.alpha, is_first ? x_.beta : T(1)};
        if (row.col_step != 1 || x.beta != 0) {
            for (std::int64_t j = 0; j < row.cols; ++j) x.finish(0, j, sums[j]);
            return;
        }
        for (std::int64_t j = 0; j < row.cols; ++j) row.data[j] = x.alpha * sums[j];
    }

    const MicroKernel<T>& kernel_;
    const Product<T>& x_;
    const Matrix& b_;
    const TurnedCut<T>& cut_;
    const T* a_;
    T* sums_;
};

}  // namespace tw::cpu
