// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Into how many parts few_steps cuts k, and what it takes then: by shape alone.
#pragma once

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/few/heuristics_mma.hpp"
#include "backend/cuda/few/little_tiles.hpp"

namespace tw::cuda::inside::steps {

/// A cluster's blocks, each with a part of k.
inline constexpr int most_parts = 8;

struct Cut {
    int parts;
    Tile tile;
    double time;
};

/// As heuristics_inside.hpp has it, and a cluster's joining as few_steps_mma's.
constexpr double time_of(const Pace& pace, sm90::Sizes s, const Lies& lies, int parts) {
    if (parts == 1) return inside::time_of(pace, s, lies);
    s.k = (s.k + 32 * parts - 1) / (32 * parts) * 32, s.products *= parts;
    const bool alone = s.tiles(pace.tile.m, pace.tile.n) <= s.multiprocessors;
    return inside::time_of(pace, s, lies) + mma::joining + mma::of_element * pace.tile.m * pace.tile.n +
           (alone ? 0 : mma::joining_together);
}

constexpr Cut quickest(const sm90::Sizes& s, const Lies& lies, int parts) {
    Cut best{parts, {}, 0};
    for (const Pace& pace : paces)
        if (const double time = time_of(pace, s, lies, parts); best.time == 0 || time < best.time)
            best = {parts, pace.tile, time};
    return best;
}

/// Few tiles, of which each is some waiting for memory: 64 x 1024 x 1024 NT took 18.8 us whole, cuBLAS 12.5.
inline bool may_be_cut(const Problem& p) {
    const bool may_be_batch = std::max({p.m, p.n, p.k}) <= 512 && p.m % 4 == 0 && p.n % 4 == 0 && p.k % 4 == 0 &&
                              !(p.m == p.n && p.n == p.k && p.m > 128 && p.m % 128 != 0 && p.m != 192);
    const bool is_head = (p.k == p.m && p.n <= 128) || p.k <= 128;
    return !may_be_batch && !is_head && std::min(p.m, p.n) >= 32 && p.k <= 2048;
}

/// The cut of a product as the row sees it. B that lies across k, and lines along k that begin anywhere, are brought 4
/// bytes at a time.
inline Cut cut_of(const Problem& p, int multiprocessors) {
    const bool low = is_low(p.m, p.n), between = p.k % 4 != 0;
    const sm90::Sizes sizes{low ? p.n : p.m, low ? p.m : p.n, p.k, 1, multiprocessors};
    const Lies lies{p.b == Form::row_major || between, between, p.n % 4 != 0};
    Cut best = quickest(sizes, lies, 1);
    if (!may_be_cut(p)) return best;
    for (int parts = 2; parts <= most_parts && p.k >= 64 * parts; parts *= 2)
        if (const Cut its = quickest(sizes, lies, parts); its.time < .95 * best.time) best = its;
    return best;
}

/// Of a short k other rows of f32 say less than they take, of a long one alone this does. With tf32's accuracy others
/// take what is cut.
inline double alone_nanoseconds(const Problem& p) {
    const Cut cut = cut_of(p, static_cast<int>(multiprocessors_for_costs()));
    // 345 x 128 x 1152 NT took .96 of its time, 64 x 1024 x 1024 NT 1.28, 256 x 1024 x 256 NT 1.47.
    const bool is_large = std::min(p.m, p.n) >= 64 && p.m * p.n >= 60'000;
    if (cut.parts > 1) return cut.time * (little::is_of_tf32(p) ? 1.6 : is_large ? 1.35 : 1.1);
    const double of_short = little::is_of_tf32(p) ? 1 : .85;
    return cut.time * (p.k <= 192 ? of_short : 1.2);
}

}  // namespace tw::cuda::inside::steps
