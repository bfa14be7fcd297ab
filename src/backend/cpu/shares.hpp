// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How r6's strips go to threads: in cells of some rows by some strips, or, where C has too few of them, in blocks of k
// besides.
#pragma once

#include "backend/cpu/parts_of_k.hpp"
#include "backend/cpu/product/grid.hpp"
#include "backend/cpu/strips.hpp"
#include "base/caches.hpp"

namespace tw::cpu {

template <class T>
struct Shares {
    Part cell{};
    bool cuts_k = false;
    double cost;  ///< until the last cell is through, in products

    /// `rows`, `width`: of a tile, or of columns that stay together; `packs`: each cell packs its strips.
    Shares(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t rows, std::int64_t width, bool packs,
           const PartsOfK<T>& parts, bool may_cut_k, int workers)
        : m_(m), n_(n), k_(k), workers_(workers), packing_(packs ? packed_rows : 0) {
        constexpr double adding = 20, beginning = 1 << 17;  // an element of a block's sums, and a second round
        const std::int64_t cols = std::max(width, block_size(n, ceil_div(n, cells_each * workers), width));
        const std::int64_t across = ceil_div(n, cols);
        const std::int64_t high = rows_of_cell(across, rows);
        cell = {0, 0, high, cols};
        cost = last(across, 1, high);
        if (!may_cut_k || !parts.fit()) return;
        if (comes_in_short_pieces()) {
            cuts_k = true, cell = {0, 0, round_up(m, rows), round_up(ceil_div(n, 2), width)};
            return;
        }
        const std::int64_t lower = rows_of_cell(across * parts.blocks, rows);
        const double sums = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(parts.blocks);
        const double in_blocks = last(across, parts.blocks, lower) + beginning + adding * sums / workers;
        if (in_blocks < cost) cuts_k = true, cell.rows = lower, cost = in_blocks;
    }

    /// Columns that stay together: all of few, on a core that splits vectors, where each row of A meets them at once.
    /// In cells of some columns A would come from memory once for each. Other cores were not timed.
    static std::int64_t together(const MicroKernel<T>& kernel, std::int64_t m, std::int64_t n, std::int64_t width,
                                 int workers) {
        return splits(kernel) && go_by_rows(kernel, m / (cells_each * workers), n, width) ? n : width;
    }

    /// How many threads' work is done at once.
    double sharing() const {
        return static_cast<double>(m_ + packing_) * static_cast<double>(n_) * static_cast<double>(k_) / cost;
    }

private:
    /// Very few rows by a far B, each of whose rows comes sooner from end to end than in a piece for each thread.
    bool comes_in_short_pieces() const {
        constexpr std::int64_t very_few = 8, short_bytes = 1024, many = 12, size = sizeof(T);
        return packing_ == 0 && m_ <= very_few && workers_ >= many && n_ * size < short_bytes * workers_ &&
               n_ * k_ * size > caches().l2.bytes * workers_;
    }

    static constexpr std::int64_t packed_rows = 34;  // in whose time a strip is packed
    static constexpr std::int64_t cells_each = 4;    // cores are not equally quick

    /// As high as makes the last of all cells end soonest. `beside`: cells in one row of them.
    std::int64_t rows_of_cell(std::int64_t beside, std::int64_t rows) const {
        std::int64_t best = round_up(m_, rows);
        const auto time = [&](std::int64_t high) {
            return rounds(beside, high) * static_cast<double>(high + packing_);
        };
        for (std::int64_t down = 2; beside * down <= cells_each * workers_ && down * rows < m_ + rows; ++down)
            if (const std::int64_t high = block_size(m_, ceil_div(m_, down), rows); time(high) < 0.97 * time(best))
                best = high;
        return best;
    }
    double rounds(std::int64_t beside, std::int64_t high) const {
        return static_cast<double>(ceil_div(beside * ceil_div(m_, high), workers_));
    }
    double last(std::int64_t across, std::int64_t blocks, std::int64_t high) const {
        return rounds(across * blocks, high) * static_cast<double>((high + packing_) * std::min(cell.cols, n_)) *
               static_cast<double>(k_) / static_cast<double>(blocks);
    }

    std::int64_t m_, n_, k_, workers_, packing_;
};

/// The threads share out cells of C, or blocks of k of them. own(worker, product, p, part, completed) multiplies one of
/// them, from p on. `together`: columns that no cell cuts. `sums`: room for those of blocks; null: there is none, as a
/// slab may have it.
template <class T>
void share_strips(const Call& call, const Product<T>& x, const Strips<T>& cut, std::int64_t together, T* sums,
                  const Finisher& finisher, const auto& own) {
    const PartsOfK<T> parts(x.m(), x.n(), x.k());
    const Shares<T> shares(x.m(), x.n(), x.k(), cut.rows, together, cut.packs, parts, sums, call.threads);
    if (shares.cuts_k) {
        parts.share(call, x, shares.cell, sums, finisher,
                    [&](int worker, const Product<T>& product, std::int64_t p, const Part& part) {
                        own(worker, product, p, part, [](const auto&, auto, auto) {});
                    });
        return;
    }
    const std::int64_t across = ceil_div(x.n(), shares.cell.cols);
    share_out(call, ceil_div(x.m(), shares.cell.rows) * across, [&](int worker, std::int64_t item) {
        const std::int64_t i = item / across * shares.cell.rows, j = item % across * shares.cell.cols,
                           rows = std::min(shares.cell.rows, x.m() - i), cols = std::min(shares.cell.cols, x.n() - j);
        const Product<T> product{x.a.block(i, 0, rows, x.k()), x.b.block(0, j, x.k(), cols),
                                 x.c.block(i, j, rows, cols), x.alpha, x.beta};
        own(worker, product, 0, Part{i, j, rows, cols}, [&](const View<T>& tile, std::int64_t at_i, std::int64_t at_j) {
            finisher(erase(tile), i + at_i, j + at_j);
        });
    });
}

/// Where the sums of blocks of k begin in the call's scratch; null: it is too short for them.
template <class T>
T* sums_behind(const Call& call, std::int64_t own) {
    const std::int64_t room = own + PartsOfK<T>(call.m(), call.n(), call.k()).elements();
    const bool has_room = room * static_cast<std::int64_t>(sizeof(T)) <= std::ssize(call.scratch);
    return has_room ? reinterpret_cast<T*>(call.scratch.data()) + own : nullptr;
}

}  // namespace tw::cpu
