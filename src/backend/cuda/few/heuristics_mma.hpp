// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tile few_steps_mma gets, and what it takes: by shape alone.
#pragma once

#include <algorithm>

#include "backend/cuda/few/heuristics_inside.hpp"
#include "backend/cuda/tiles/chip_of_parts.hpp"

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

/// A cluster's blocks, each with a part of k.
inline constexpr int most_parts = 8;
/// Nanoseconds until the blocks of a cluster have each other's sums, and of an element of them; what blocks that share
/// a multiprocessor wait for that.
inline constexpr double joining = 910, of_element = .082, joining_together = 1000;
/// Of 16 of k that come 4 bytes at a time, beyond the first stages: 34 x 1471 x 1962 NT took 15.3 us in 8 parts.
inline constexpr double more_by_4 = 100;

/// k in so many parts.
constexpr double time_of(const Pace& pace, const sm90::Sizes& s, const Lies& lies, int parts) {
    constexpr double around = 1300, bytes_a_nanosecond = 3800;
    const std::int64_t blocks = s.tiles(pace.tile.m, pace.tile.n) * parts,
                       busiest = (blocks + s.multiprocessors - 1) / s.multiprocessors,
                       rounds = (busiest + pace.at_once - 1) / pace.at_once;
    const auto steps = static_cast<double>(parts == 1 ? (s.k + 15) / 16 : (s.k + 32 * parts - 1) / (32 * parts) * 2);
    const double by_4 = lies.by_4 * more_by_4 * (steps > 8 ? steps - 8 : 0);
    const double waiting = pace.begin + steps * pace.alone + lies.by_4 * pace.waits_by_4 + by_4 +
                           (parts > 1 ? joining + of_element * pace.tile.m * pace.tile.n : 0),
                 sharing = pace.end + steps * pace.together + lies.by_4 * pace.by_4 + by_4 / 2 +
                           (lies.loose ? pace.loose : 0) + (parts > 1 ? joining_together : 0);
    const double bytes = 4 * static_cast<double>(s.products * (s.m * s.n + s.m * s.k + s.n * s.k));
    return around + std::max({static_cast<double>(rounds) * waiting, static_cast<double>(busiest) * sharing,
                              bytes / bytes_a_nanosecond});
}

constexpr const Pace& quickest(const sm90::Sizes& s, const Lies& lies, int parts) {
    const Pace* best = &paces[0];
    for (const Pace& pace : paces)
        if (time_of(pace, s, lies, parts) < time_of(*best, s, lies, parts)) best = &pace;
    return *best;
}

/// Sides that batches have. Short sums and few results are this row's, all others r9's, which reads B across k: 128 x
/// 64 x 128, 32 times, takes 4.4 us, by r9 4.9; but 192 x 128 x 100, 982 times, 87 and 62, and 512 x 256 x 512, 72
/// times, 109 and 54. Cubes of other sizes than batches have are one product: 244 cubed takes 4.8 us by parts, by r9
/// 6.8.
inline bool are_sides_of_batches(const Problem& p) {
    const bool is_lone = p.m == p.n && p.n == p.k && p.m > 128 && p.m % 128 != 0 && p.m != 192;
    return p.a == Form::row_major && std::max({p.m, p.n, p.k}) <= 512 && p.m % 4 == 0 && p.n % 4 == 0 && p.k % 4 == 0 &&
           !is_lone;
}
inline bool come_in_batches(const Problem& p) { return are_sides_of_batches(p) && p.b == Form::row_major; }
inline bool are_for_fragments(const Problem& p) {
    return p.k <= 32 || (p.k <= 48 && p.m > 32) || p.n <= 16 || (p.k <= 128 && (p.n <= 32 || p.m * p.n <= 128 * 64));
}

/// The product as the row sees it, and how it lies as far as its shape tells.
struct Seen {
    sm90::Sizes sizes;
    Lies lies;

    explicit Seen(const Problem& p, int multiprocessors) {
        const bool low = is_low(p.m, p.n);
        sizes = {low ? p.n : p.m, low ? p.m : p.n, p.k, 1, multiprocessors};
        const std::int64_t of_a = p.a == Form::col_major ? p.m : p.k, of_b = p.b == Form::row_major ? p.n : p.k;
        lies = {(of_a % 4 != 0) + (of_b % 4 != 0), p.n % 4 != 0};
    }
};

/// Small products, whose few tiles leave the chip idle; attention's heads are batches. Long weights are
/// few_rows_anywhere's and r9's: 32 x 5120 x 13824 NN took 145 us in parts, cuBLAS 70; 1719 x 109 x 334 NN 10.3, by
/// r9 8.3. A batch of 128 x 100 x 512 NT, 136 times, 53 in parts, by r9 22.
inline bool may_be_cut(const Problem& p) {
    const bool both_across = p.a == Form::col_major && p.b == Form::row_major, is_head = p.k == p.m && p.n <= 128;
    return !are_sides_of_batches(p) && std::min(p.m, p.n) >= 32 && !is_head && p.k >= 128 && p.k <= 2000 &&
           p.m * p.n <= (both_across ? 270'000'000 : 160'000'000) / p.k && (both_across || std::max(p.m, p.n) <= 1100);
}
/// Into how many parts k is cut: by the shape alone, so that a batch has the bits of each product.
inline int parts_of(const Problem& p) {
    if (!may_be_cut(p)) return 1;
    const Seen seen(p, parts::chip);
    const auto time = [&](int parts) {
        return time_of(quickest(seen.sizes, seen.lies, parts), seen.sizes, seen.lies, parts);
    };
    int best = 1;
    double least = .95 * time(1);
    for (int parts = 2; parts <= most_parts && p.k >= 2 * 32 * parts; parts *= 2)
        if (const double its = time(parts); its < least) best = parts, least = its;
    return best;
}

/// Beside others' prices. What r9 reads as it lies: 512 x 512 x 64 NT, 256 times, takes 97 us by r9, 125 by this, but
/// 192 x 32 x 32, 1545 times, 52 and 26; a longer k: 178 x 3116 x 382 NN 9.3 and 15.2; but 4909 x 11903 x 21 NN 155 and
/// 109, and 5762 x 10374 x 22 NT 154 and 114.
inline double beside_others(const Problem& p, int parts, int by_4) {
    if (p.a != Form::row_major && parts == 1) return 3;
    if (p.k > 256 && parts == 1) return 2;
    // Parts of two operands that both come 4 bytes at a time: 459 x 226 x 515 NT 10.2, by r9 8.8.
    if (parts > 1 && by_4 == 2 && std::min(p.m, p.n) > 128) return 1.3;
    const bool is_read = p.b != Form::row_major && p.k % 4 == 0;
    if (is_read && (p.k > 32 || (p.k > 16 && p.m * p.n > 128 * 128))) return 1.3;
    return p.k <= 64 ? .85 : 1;
}

inline double nanoseconds(const Problem& p) {
    const Seen seen(p, static_cast<int>(multiprocessors_for_costs()));
    const int parts = parts_of(p);
    const double alone = time_of(quickest(seen.sizes, seen.lies, parts), seen.sizes, seen.lies, parts);
    // A batch's products have the bits of each alone: such shapes cost less than by any other row, or more than r9's.
    if (come_in_batches(p)) return alone * (are_for_fragments(p) ? .05 : 2.2);
    return alone * beside_others(p, parts, seen.lies.by_4);
}

}  // namespace tw::cuda::inside::mma
