// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tile few_steps_mma gets, and what it takes: by shape alone.
#pragma once

#include <algorithm>

#include "backend/cuda/few/heuristics_inside.hpp"

namespace tw::cuda::inside::mma {

/// As heuristics_inside.hpp has it, but of 16 of k, and for each operand that is brought 4 bytes at a time.
struct Pace {
    Tile tile;
    int at_once;
    double begin, alone, end, together, waits_by_4, by_4, loose;
};
/// As 620 times of 160 products were on an H200: a tenth off in the mean.
inline constexpr Pace paces[] = {{{128, 64, 32}, 3, 1240, 465, 1049, 283, 1233, 146, 529},
                                 {{64, 64, 32}, 4, 681, 345, 552, 212, 542, 44, 270},
                                 {{64, 32, 32}, 5, 378, 294, 220, 182, 347, 0, 215},
                                 {{32, 32, 32}, 6, 71, 283, 211, 110, 131, 2, 83}};

/// How many operands are brought 4 bytes at a time, and whether C's rows begin anywhere.
struct Lies {
    int by_4 = 0;
    bool loose = false;
};

constexpr double time_of(const Pace& pace, const sm90::Sizes& s, const Lies& lies) {
    constexpr double around = 1300, bytes_a_nanosecond = 3800;
    const std::int64_t blocks = s.tiles(pace.tile.m, pace.tile.n),
                       busiest = (blocks + s.multiprocessors - 1) / s.multiprocessors,
                       rounds = (busiest + pace.at_once - 1) / pace.at_once;
    const auto steps = static_cast<double>((s.k + 15) / 16);
    const double waiting = pace.begin + steps * pace.alone + lies.by_4 * pace.waits_by_4,
                 sharing = pace.end + steps * pace.together + lies.by_4 * pace.by_4 + (lies.loose ? pace.loose : 0);
    const double bytes = 4 * static_cast<double>(s.products * (s.m * s.n + s.m * s.k + s.n * s.k));
    return around + std::max({static_cast<double>(rounds) * waiting, static_cast<double>(busiest) * sharing,
                              bytes / bytes_a_nanosecond});
}

constexpr const Pace& quickest(const sm90::Sizes& s, const Lies& lies) {
    const Pace* best = &paces[0];
    for (const Pace& pace : paces)
        if (time_of(pace, s, lies) < time_of(*best, s, lies)) best = &pace;
    return *best;
}

/// Sides that batches have. Short sums and few results are this row's, all others r9's, which reads B across k: 128 x
/// 64 x 128, 32 times, takes 4.4 us, by r9 4.9; but 192 x 128 x 100, 982 times, 87 and 62, and 512 x 256 x 512, 72
/// times, 109 and 54.
inline bool come_in_batches(const Problem& p) {
    return p.b == Form::row_major && std::max({p.m, p.n, p.k}) <= 512 && p.m % 4 == 0 && p.n % 4 == 0 && p.k % 4 == 0;
}
inline bool are_for_fragments(const Problem& p) {
    return p.k <= 32 || (p.k <= 48 && p.m > 32) || p.n <= 16 || (p.k <= 128 && (p.n <= 32 || p.m * p.n <= 128 * 64));
}

/// Beside others' prices. What r9 reads as it lies: 512 x 512 x 64 NT, 256 times, takes 97 us by r9, 125 by this; a
/// longer k: 178 x 3116 x 382 NN 9.3 and 15.2; but 4909 x 11903 x 21 NN 155 and 109.
inline double beside_others(const Problem& p) {
    if (p.k > 256) return 2;
    if (p.b != Form::row_major) return p.k % 4 == 0 && p.k > 16 ? 1.3 : 1;
    return p.k <= 64 ? .85 : 1;
}

inline double nanoseconds(const Problem& p) {
    const bool low = is_low(p.m, p.n), by_rows = p.b == Form::row_major;
    const sm90::Sizes sizes{low ? p.n : p.m, low ? p.m : p.n, p.k, 1, static_cast<int>(multiprocessors_for_costs())};
    const Lies lies{(p.k % 4 != 0) + (by_rows ? p.n % 4 != 0 : p.k % 4 != 0), p.n % 4 != 0};
    const double alone = time_of(quickest(sizes, lies), sizes, lies);
    // A batch's products have the bits of each alone: such shapes cost less than by any other row, or more than r9's.
    if (come_in_batches(p)) return alone * (are_for_fragments(p) ? .05 : 2.2);
    return alone * beside_others(p);
}

}  // namespace tw::cuda::inside::mma
