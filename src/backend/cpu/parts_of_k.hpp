// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A C too small for all threads, of a long k: each block of k is summed by itself, by whoever is free, and then added
// to C in the order in which one thread would have added it. So the bits are the same.
//
//        block 0      block 1      block 2
//      +---------+  +---------+  +---------+
//      | sums    |  | sums    |  | sums    |        C = alpha sums 0 + beta C,  then += alpha sums 1,  += alpha sums 2
//      +---------+  +---------+  +---------+
#pragma once

#include <atomic>

#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/grid.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/product/product.hpp"

namespace tw::cpu {

template <class T>
struct PartsOfK {
    std::int64_t depth, blocks, sums;  // sums: of one block, in elements
    std::int64_t at_once;              // blocks whose sums wait together

    PartsOfK(std::int64_t m, std::int64_t n, std::int64_t k)
        : depth(k_block<T>(k)),
          blocks(ceil_div(k, depth)),
          sums(round_up(m * n, 64 / static_cast<std::int64_t>(sizeof(T)))),
          at_once(std::min(blocks,
                           most_waiting / static_cast<std::int64_t>(sizeof(T)) / std::max<std::int64_t>(sums, 1))) {}

    std::int64_t elements() const { return at_once * sums; }
    bool fit() const { return at_once > 1; }

    /// multiply(worker, product, p, cell) for each block of k, from `p` on, of each cell of C; `product` is that of the
    /// cell, and its C lies among `all` sums.
    void share(const Call& call, const Product<T>& x, const Part& cell, T* all, const Finisher& finisher,
               const auto& multiply) const {
        const std::int64_t across = ceil_div(x.n(), cell.cols), cells = ceil_div(x.m(), cell.rows) * across;
        const auto cell_of = [&](std::int64_t item) {
            const std::int64_t i = item / across * cell.rows, j = item % across * cell.cols;
            return Part{i, j, std::min(cell.rows, x.m() - i), std::min(cell.cols, x.n() - j)};
        };
        // The last to come adds a cell's blocks, unless that is work for all.
        const bool adds_by_cells =
            cells <= most_counted && blocks <= at_once && cell.rows * cell.cols * blocks <= alone;
        std::atomic<std::int64_t> done[most_counted]{};
        for (std::int64_t first = 0; first < blocks; first += at_once) {
            const std::int64_t count = std::min(at_once, blocks - first);
            share_out(call, count * cells, [&](int worker, std::int64_t item) {
                const Part own = cell_of(item % cells);
                const std::int64_t p = (first + item / cells) * depth, some = std::min(depth, x.k() - p);
                const View<T> c{all + item / cells * sums + own.i * x.n() + own.j, own.rows, own.cols, x.n(), 1};
                multiply(
                    worker,
                    Product<T>{x.a.block(own.i, p, own.rows, some), x.b.block(p, own.j, some, own.cols), c, T(1), T(0)},
                    p, own);
                if (!adds_by_cells || done[item % cells].fetch_add(1, std::memory_order_acq_rel) + 1 < count) return;
                add(x, all, first, count, own, finisher);
            });
            if (adds_by_cells) return;
            constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
            const std::int64_t each = std::max(line, ceil_div(x.m() * x.n(), call.threads)),
                               cols = block_size(x.n(), each, line), rows = std::max<std::int64_t>(1, each / cols),
                               beside = ceil_div(x.n(), cols);
            share_out(call, ceil_div(x.m(), rows) * beside, [&](int, std::int64_t item) {
                const std::int64_t i = item / beside * rows, j = item % beside * cols;
                add(x, all, first, count, {i, j, std::min(rows, x.m() - i), std::min(cols, x.n() - j)}, finisher);
            });
        }
    }

private:
    static constexpr std::int64_t most_waiting = 1 << 22;  // bytes, which the last cache keeps until they are added
    static constexpr std::int64_t most_counted = 64, alone = 3 << 12;  // cells; elements

    /// Adds `count` blocks to a part of C, from the block `first` on.
    void add(const Product<T>& x, const T* all, std::int64_t first, std::int64_t count, const Part& to,
             const Finisher& finisher) const {
        const View<T> c = x.c.block(to.i, to.j, to.rows, to.cols);
        for (std::int64_t p = 0; p < count; ++p) {
            const Product<T> part{{}, {}, c, x.alpha, first + p == 0 ? x.beta : T(1)};
            const T* row = all + p * sums + to.i * x.n() + to.j;
            for (std::int64_t i = 0; i < c.rows; ++i, row += x.n()) {
                if (c.col_step != 1)
                    for (std::int64_t j = 0; j < c.cols; ++j) part.finish(i, j, row[j]);
                else part.finish_row(i, row);
            }
        }
        if (first + count == blocks) finisher(erase(c), to.i, to.j);
    }
};

}  // namespace tw::cpu
