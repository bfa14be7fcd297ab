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

#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/product/product.hpp"

namespace tw::cpu {

template <class T>
struct PartsOfK {
    std::int64_t depth, blocks, sums;  // sums: of one block, in elements

    PartsOfK(std::int64_t m, std::int64_t n, std::int64_t k)
        : depth(k_block<T>(k)),
          blocks(ceil_div(k, depth)),
          sums(round_up(m * n, 64 / static_cast<std::int64_t>(sizeof(T)))) {}

    std::int64_t elements() const { return blocks * sums; }
    bool fit() const {
        constexpr std::int64_t most = 1 << 22;  // bytes, which the last cache keeps until they are added
        return blocks > 1 && elements() <= most / static_cast<std::int64_t>(sizeof(T));
    }

    /// Adds all blocks of some rows to C.
    void add_to_c(const Product<T>& x, const T* all, std::int64_t from, std::int64_t rows) const {
        for (std::int64_t p = 0; p < blocks; ++p) {
            const T beta = p == 0 ? x.beta : T(1);
            const Product<T> part{{}, {}, x.c.block(from, 0, rows, x.n()), x.alpha, beta};
            const T* row = all + p * sums + from * x.n();
            for (std::int64_t i = 0; i < rows; ++i, row += x.n()) {
                if (x.c.col_step != 1)
                    for (std::int64_t j = 0; j < x.n(); ++j) part.finish(i, j, row[j]);
                else add_row(part, row, &part.c(i, 0));
            }
        }
    }

private:
    static void add_row(const Product<T>& x, const T* row, T* out) {
        if (x.beta == T(0))
            for (std::int64_t j = 0; j < x.n(); ++j) out[j] = x.alpha * row[j];
        else
            for (std::int64_t j = 0; j < x.n(); ++j) out[j] = x.alpha * row[j] + x.beta * out[j];
    }
};

}  // namespace tw::cpu
