// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tile few_tiles_sliced gets, and what it takes, by sizes alone.
#pragma once

#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda::sliced {

/// A tile, how many of its blocks a multiprocessor has at once, and nanoseconds: of a wave's beginning and end, and of
/// a step of k where a block is alone on its multiprocessor and where it is not. Fitted to 80 times on an H200, of
/// products whole and in parts: a tenth off in the mean.
struct Pace {
    Tile tile;
    int at_once;
    double ends, alone, together;
};
inline constexpr Pace paces[] = {{{64, 64, 8}, 1, 2600, 25, 25}, {{32, 32, 8}, 2, 1200, 12, 16.4}};

/// Of k, for each block of a cluster that shares it: all its warps have as much.
constexpr std::int64_t length_of_rank(std::int64_t k, int ranks) {
    constexpr std::int64_t of_warps = 64;
    return ranks == 1 ? k : (k + ranks * of_warps - 1) / (ranks * of_warps) * of_warps;
}

/// ranks: blocks of a cluster that share k, whose sums are added at the end.
constexpr double time_of(const Pace& pace, const sm90::Sizes& s, int ranks = 1) {
    const double around = ranks > 1 ? 5300 : 3400;
    const std::int64_t tiles = s.tiles(pace.tile.m, pace.tile.n) * ranks,
                       fit = std::int64_t{s.multiprocessors} * pace.at_once, left = tiles % fit;
    const auto k = static_cast<double>(length_of_rank(s.k, ranks));
    const double last = left == 0 ? 0 : pace.ends + (left <= s.multiprocessors ? pace.alone : pace.together) * k;
    return around + static_cast<double>(tiles / fit) * (pace.ends + pace.together * k) + last;
}
constexpr const Pace& quickest(const sm90::Sizes& s) {
    return time_of(paces[1], s) < time_of(paces[0], s) ? paces[1] : paces[0];
}

struct Way {
    const Pace* pace;
    int ranks;
};
/// By shape alone. Of a small C few_tiles's parts are as soon added by a kernel of their own (128 x 128 x 1152 6.0 us,
/// 8.0 by clusters; 610 x 128 x 1152 17.9 and 15.1). A cluster's blocks stand in one group of multiprocessors, which
/// are not all as large: fewer of them than the chip has places for run at once.
constexpr Way way_of(const sm90::Sizes& s) {
    Way best{&quickest(s), 1};
    if (s.m * s.n <= 16384) return best;
    double least = time_of(*best.pace, s);
    for (const Pace& pace : paces)
        for (const int ranks : {2, 4, 8}) {
            const std::int64_t blocks = s.tiles(pace.tile.m, pace.tile.n) * ranks;
            const std::int64_t room = std::int64_t{s.multiprocessors} * pace.at_once * (ranks == 2 ? 30 : 27) / 32;
            if (blocks > room || s.k < 128 * ranks) continue;
            const double time = time_of(pace, s, ranks);
            if (time < least) least = time, best = {&pace, ranks};
        }
    return best;
}

}  // namespace tw::cuda::sliced
