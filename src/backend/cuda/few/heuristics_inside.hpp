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
/// where it waits for itself alone; of its end and of 8 of k where it shares its multiprocessor; and of an operand that
/// is brought 4 bytes at a time, and of rows of C that begin anywhere.
struct Pace {
    Tile tile;
    int at_once;
    double begin, alone, end, together, by_4, loose;
};
/// As 60 products of a k of 33 to 165 were timed on an H200, by 64 x 64: 4096 x 4096 x 64 NT 50 us, 9821 x 2240 x 65 NN
/// 90, 8173 x 2506 x 90 NN 105.
inline constexpr Pace paces[] = {{{128, 64, 32}, 2, 2300, 360, 1000, 272, 600, 750},
                                 {{64, 64, 32}, 4, 2300, 300, 500, 140, 400, 400},
                                 {{64, 32, 32}, 4, 2300, 250, 400, 100, 250, 300}};
inline constexpr double around = 1500;

/// How operands and C lie.
struct Lies {
    bool by_4 = false, loose = false;
};

constexpr double time_of(const Pace& pace, const sm90::Sizes& s, const Lies& lies = {}) {
    const std::int64_t blocks = s.tiles(pace.tile.m, pace.tile.n),
                       busiest = (blocks + s.multiprocessors - 1) / s.multiprocessors,
                       rounds = (busiest + pace.at_once - 1) / pace.at_once;
    const auto steps = static_cast<double>((s.k + 7) / 8);
    const double waiting = static_cast<double>(rounds) * (pace.begin + steps * pace.alone);
    const double end = pace.end + (lies.by_4 ? pace.by_4 : 0) + (lies.loose ? pace.loose : 0);
    return around + std::max(waiting, static_cast<double>(busiest) * (end + steps * pace.together));
}

constexpr const Pace& quickest(const sm90::Sizes& s, const Lies& lies = {}) {
    const Pace* best = &paces[0];
    for (const Pace& pace : paces)
        if (time_of(pace, s, lies) < time_of(*best, s, lies)) best = &pace;
    return *best;
}

/// Rows of which a tile's 64 would be empty for the most part: such a product is seen from C's other side.
constexpr bool is_low(std::int64_t m, std::int64_t n) { return m <= 32 && n > m; }

/// B that lies across k, and lines along k that begin anywhere, are brought 4 bytes at a time. Of a short k other rows
/// say less than they take (5127 x 1251 x 74 NT: r7 34 us, and 40), of a long one alone this does.
inline double alone_nanoseconds(const Problem& p) {
    const bool low = is_low(p.m, p.n);
    const sm90::Sizes sizes{low ? p.n : p.m, low ? p.m : p.n, p.k, 1, static_cast<int>(multiprocessors_for_costs())};
    const Lies lies{p.b == Form::row_major || p.k % 4 != 0, p.n % 4 != 0};
    return time_of(quickest(sizes, lies), sizes, lies) * (p.k <= 192 ? .85 : 1.2);
}

}  // namespace tw::cuda::inside
