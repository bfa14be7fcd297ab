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

constexpr double time_of(const Pace& pace, const sm90::Sizes& s) {
    constexpr double around = 3400;
    const std::int64_t tiles = s.tiles(pace.tile.m, pace.tile.n), fit = std::int64_t{s.multiprocessors} * pace.at_once,
                       left = tiles % fit;
    const auto k = static_cast<double>(s.k);
    const double last = left == 0 ? 0 : pace.ends + (left <= s.multiprocessors ? pace.alone : pace.together) * k;
    return around + static_cast<double>(tiles / fit) * (pace.ends + pace.together * k) + last;
}
constexpr const Pace& quickest(const sm90::Sizes& s) {
    return time_of(paces[1], s) < time_of(paces[0], s) ? paces[1] : paces[0];
}

}  // namespace tw::cuda::sliced
