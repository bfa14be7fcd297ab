// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tile few_steps gets, and what it takes: by shape alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/tiles/heuristics_sm90.hpp"
#include "tilewright/plan.hpp"

namespace tw::cuda::inside {

/// A tile, how many of its blocks a multiprocessor has at once, and nanoseconds: of a block's beginning and of 8 of k
/// where it waits for itself alone; of its end and of 8 of k where it shares its multiprocessor; of an operand that is
/// brought 4 bytes at a time, where it waits and where it shares, and of the other one besides; and of rows of C that
/// begin anywhere.
struct Pace {
    Tile tile;
    int at_once;
    double begin, alone, end, together, waits_by_4, by_4, other_by_4, loose;
};
/// As 1200 times of 400 products were on an H200, whole ones and batches: a fourteenth off in the mean.
inline constexpr Pace paces[] = {{{128, 64, 32}, 2, 930, 396, 1500, 268, 1070, 290, 710, 470},
                                 {{64, 64, 32}, 4, 170, 309, 666, 161, 1200, 180, 1570, 280},
                                 {{64, 32, 32}, 4, 30, 247, 483, 113, 280, 90, 1230, 140}};
inline constexpr double around = 1500;

/// How operands and C lie.
struct Lies {
    bool by_4 = false, both_by_4 = false, loose = false;
};

constexpr double time_of(const Pace& pace, const sm90::Sizes& s, const Lies& lies = {}) {
    const std::int64_t blocks = s.tiles(pace.tile.m, pace.tile.n),
                       busiest = (blocks + s.multiprocessors - 1) / s.multiprocessors,
                       rounds = (busiest + pace.at_once - 1) / pace.at_once;
    const auto steps = static_cast<double>((s.k + 7) / 8);
    const double begin = pace.begin + (lies.by_4 ? pace.waits_by_4 : 0) + (lies.both_by_4 ? pace.other_by_4 : 0),
                 end = pace.end + (lies.by_4 ? pace.by_4 : 0) + (lies.loose ? pace.loose : 0);
    return around + std::max(static_cast<double>(rounds) * (begin + steps * pace.alone),
                             static_cast<double>(busiest) * (end + steps * pace.together));
}

constexpr const Pace& quickest(const sm90::Sizes& s, const Lies& lies = {}) {
    const Pace* best = &paces[0];
    for (const Pace& pace : paces)
        if (time_of(pace, s, lies) < time_of(*best, s, lies)) best = &pace;
    return *best;
}

/// Rows of which a tile's 64 would be empty for the most part: such a product is seen from C's other side.
constexpr bool is_low(std::int64_t m, std::int64_t n) { return m <= 32 && n > m; }

}  // namespace tw::cuda::inside
