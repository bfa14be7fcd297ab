// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How few_rows_anywhere cuts a product, and what it takes: by shape alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "backend/cuda/few/anywhere_depth.hpp"
#include "backend/cuda/heuristics_few_rows.hpp"
#include "backend/cuda/heuristics_parts.hpp"

namespace tw::cuda::anywhere {

inline constexpr std::int64_t most_few = 512;

/// Rows of weights of a tile, and into how many parts k is cut.
struct Cutting {
    int height, parts;

    /// Sums that are added, a power of two: those behind the parts are zeros.
    constexpr int sums() const { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(parts))); }
};

constexpr std::int64_t over(std::int64_t extent, std::int64_t side) { return (extent + side - 1) / side; }

/// Laying the few rows; then waves of tiles, each of a chain of stages. A stage takes what all of them together get out
/// of L2, of weights and of few rows, what TMA takes for short lines where k is contiguous, or the unit. Fitted on an
/// H200 to 90 times of 30 shapes: 24187 x 22 x 15534 of f16 takes 226 us (cuBLAS 411), 34 x 46227 x 4743 NN of tf32 265
/// (401), 46 x 2715 x 2335 of f32 25 (29).
constexpr double nanoseconds(std::int64_t few, std::int64_t rows, std::int64_t k, int size, int products, bool along,
                             const Cutting& cut) {
    const int columns = columns_of(few, size, false), halves = halves_of(along, columns, size);
    const std::int64_t across = over(few, columns), steps = over(k, halves * 128 / size),
                       items = over(rows, cut.height) * across * cut.parts, waves = over(items, parts::chip);
    const auto active = static_cast<double>(std::min<std::int64_t>(items, parts::chip));
    const double bytes = cut.height * 144.0 + columns * 128.0 * (products > 1 ? 2 : 1);
    const double lines = along ? (halves == 1    ? 5.4
                                  : products > 1 ? 5.2
                                                 : 4) *
                                     cut.height
                               : 240 + 2.6 * cut.height,
                 unit = 150 + 2 * columns * products;
    const double stage = halves * std::max({bytes * active / (size == 4 ? 6200 : 5000), lines, unit});
    const double laying = 2000 + static_cast<double>(few * k) * size / 1500;
    return 2 * few::launch + laying + 1500 + static_cast<double>(waves * over(steps, cut.parts)) * stage +
           parts::adding(few, rows, cut.sums());
}

constexpr Cutting cutting(std::int64_t few, std::int64_t rows, std::int64_t k, int size, int products, bool along) {
    Cutting best{128, 1};
    double least = 0;
    // 40 tiles of 128 x 5120 x 13824 have 3 parts for a wave, 4 are two.
    for (int count = 1; count <= parts::most && (count == 1 || over(k, 128 / size) / count >= 4);
         count += count < 8 ? 1 : count)
        for (const int height : {128, 112, 96, 64}) {
            const double time = nanoseconds(few, rows, k, size, products, along, {height, count});
            if (least == 0 || time < least) least = time, best = {height, count};
        }
    return best;
}

/// What three products take, as against other rows; the cut stays nanoseconds()'s. Fitted to 85 times on an H200, 5 %
/// off in the mean: 128 x 4096 x 4096 49 us, 17 x 8192 x 8192 86, 128 x 50257 x 768 TN 93, 426 x 3061 x 243 16. Other
/// rows' prices are 4 % too high, r10's 14 where there are more than 128 rows (512 x 10240 x 8192 TN: 679 us, and 699).
/// holds_all: the least numbers are looked for.
constexpr double price_of_split(std::int64_t few, std::int64_t rows, std::int64_t k, bool along, const Cutting& cut,
                                bool holds_all) {
    constexpr int size = 4, products = 3;
    const int columns = columns_of(few, size, holds_all), halves = halves_of(along, columns, size);
    const std::int64_t across = over(few, columns), steps = over(k, halves * 128 / size),
                       items = over(rows, cut.height) * across * cut.parts, waves = over(items, parts::chip);
    const auto active = static_cast<double>(std::min<std::int64_t>(items, parts::chip)),
               of_c = static_cast<double>(few * rows);
    const double bytes = cut.height * 144.0 + columns * 256.0, lines = (along ? 4.55 : 4.8) * cut.height,
                 unit = (125 + 2.15 * columns * products) * (holds_all ? 1.2 : 1);
    const double stage = halves * std::max({bytes * active / 6850, lines, unit});
    const double laying = 2000 + static_cast<double>(few * k) * size / 660,
                 around = columns == 32   ? 1200
                          : columns == 64 ? 2200
                                          : 2500,
                 ending = cut.parts > 1 ? 2100 + of_c * 8 * cut.sums() / 3500 : of_c * 4 / 4000;
    const double all = 2 * few::launch + laying + around +
                       static_cast<double>(waves) * (1340 + static_cast<double>(over(steps, cut.parts)) * stage) +
                       ending;
    return all * (few > 128 ? 1.14 : holds_all ? 1.06 : 1.04) + (holds_all ? 1 : 0);
}

/// The problem as it is turned.
struct Sides {
    std::int64_t few, rows, k;
    Form weights;
    int size;

    explicit Sides(const Problem& p)
        : few(std::min(p.m, p.n)),
          rows(std::max(p.m, p.n)),
          k(p.k),
          weights(p.m > p.n ? p.a : p.b),
          size(static_cast<int>(size_of(p.in))) {
        along_ = weights == (p.m > p.n ? Form::row_major : Form::col_major);
    }
    Cutting cut(int products) const { return cutting(few, rows, k, size, products, along_); }
    double nanoseconds(int products, bool holds_all) const {
        if (products > 1) return price_of_split(few, rows, k, along_, cut(products), holds_all);
        const double one = anywhere::nanoseconds(few, rows, k, size, products, along_, cut(products));
        return size == 4 ? std::min(one, price_of_split(few, rows, k, along_, cut(3), false) - 1) : one;
    }

private:
    bool along_;
};

}  // namespace tw::cuda::anywhere
