// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Few rows times weights that lie across k: what it takes to read the weights once, tile by tile. Their boxes are of 64
// columns, so that no width shares them evenly, and a last wave of few blocks reads slower than the memory could give:
// a multiprocessor whose neighbour is at work gets 36 bytes a nanosecond, one alone 66. What is cut along k is even,
// but its sums are written and read.
//
//    96 tiles   |################|################|        |   whole: two of three multiprocessors have one, 16.1 us
//    in fours   |################|################|########|   384 parts, 2.9 waves of them, + sums: 15.3 us
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cuda/tiles/async_shapes_sm90.hpp"
#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda::sm90 {

/// Bytes, or bytes a nanosecond, and nanoseconds: as 1100 times of 40 shapes were on an H200, 4 to 64 rows.
struct WeightsCosts {
    double launch = 1750, memory = 4500;
    double alone = 66, beside = 36;  ///< for a multiprocessor of its two
    double hidden = .55;             ///< of what a last wave waits, where there are waves before it
    double rows = 72000;             ///< from L2, for what is multiplied by the weights
    double adding = 700, sums = 2400;
};
inline constexpr WeightsCosts weights_costs{};

struct Weights {
    std::int64_t columns, k;

    constexpr double bytes() const { return 2 * static_cast<double>(columns) * static_cast<double>(k); }
    /// They do not lie in L2 from one product to the next.
    constexpr bool come_from_memory() const { return columns * k >= std::int64_t{8} << 20; }
};

/// Tiles of a wave that is not whole, and pieces of it where each is cut into `parts`.
struct LastTiles {
    std::int64_t tiles, left;

    constexpr LastTiles(std::int64_t columns, int width, int multiprocessors)
        : tiles((columns + width - 1) / width), left(tiles % multiprocessors) {}
    /// All beside one another, or in three waves where there are none before.
    constexpr bool may_be_cut(int parts, int multiprocessors) const {
        return left > 0 && left * parts <= (tiles > left ? 1 : 3) * std::int64_t{multiprocessors};
    }
};

/// Of reading them by tiles of `width` columns, the last wave's in so many parts.
constexpr double weights_time(const Weights& weights, int width, int parts, int multiprocessors,
                              const WeightsCosts& by = weights_costs) {
    const LastTiles last(weights.columns, width, multiprocessors);
    const double piece = 2.0 * width * static_cast<double>(weights.k) / parts;
    const std::int64_t pieces = last.left * parts, in_last = pieces % multiprocessors;
    const bool is_first = last.tiles == last.left, is_only = is_first && pieces < multiprocessors;
    const auto active = static_cast<double>(in_last);
    const double crowd = std::min(1.0, 2 * active / multiprocessors);
    // The only wave's blocks are put where they are alone; those of a last one are where the waves before left them.
    const double of_one = is_only ? (crowd < 1 ? by.alone : by.beside) : by.alone - (by.alone - by.beside) * crowd;
    const double waits = in_last > 0 ? active * piece * (1 / std::min(by.memory, active * of_one) - 1 / by.memory) : 0;
    return weights.bytes() / by.memory + waits * (is_first ? 1 : by.hidden);
}

/// Of `rows` times the weights by tiles of 64 rows.
constexpr double few_rows_time(std::int64_t rows, const Weights& weights, int width, int parts, int multiprocessors,
                               const WeightsCosts& by = weights_costs) {
    const LastTiles last(weights.columns, width, multiprocessors);
    const double read_again =
        2 * static_cast<double>(last.tiles) * static_cast<double>(rows) * static_cast<double>(weights.k) / by.rows;
    // A warp has 16 rows, and those without any keep nothing.
    const auto kept = static_cast<double>(last.left * parts * ((rows + 15) / 16 * 16) * width);
    return by.launch + weights_time(weights, width, parts, multiprocessors, by) + read_again +
           (parts > 1 ? by.adding + kept * 8 / by.sums : 0);
}

/// One row of tiles by weights that do not lie in L2.
constexpr bool r9_has_few_rows(const Sizes& s) {
    return s.m <= 128 && s.k >= 1024 && Weights{s.n, s.k}.come_from_memory();
}

/// Of one product whose rows fill no tile of 64.
constexpr bool r9_reads_weights(const Sizes& s, const R9Operands& o) {
    return r9_has_few_rows(s) && s.m <= 64 && s.products == 1 && !o.is_f32 && !o.a_across && o.b_across && !o.b_between;
}

/// What r9 takes, and how long.
struct R9Choice {
    Tile tile;
    double time;
};
/// most_parts: 1 where a row's bits may follow from k alone.
constexpr R9Choice quickest_of_weights(std::int64_t rows, const Weights& weights, int multiprocessors,
                                       int most_parts = 4) {
    R9Choice best{};
    double least = 0;
    for (const int width : {64, 128})
        for (const int parts : {1, 2, 3, 4}) {
            if (parts > most_parts) break;
            if (parts > 1 && !LastTiles(weights.columns, width, multiprocessors).may_be_cut(parts, multiprocessors))
                continue;
            // Parts that gain less than a hundredth are not worth other bits.
            const double time = few_rows_time(rows, weights, width, parts, multiprocessors),
                         weighed = time * (parts > 1 ? 1.01 : 1);
            if (least == 0 || weighed < least) least = weighed, best = {{64, width, r9_level_k(parts)}, time};
        }
    return best;
}

}  // namespace tw::cuda::sm90
