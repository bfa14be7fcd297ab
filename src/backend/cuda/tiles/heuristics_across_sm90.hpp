// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tf32 where an operand lies across k: whether it is read so, by which tile, and what that takes.
#pragma once

#include <cstdint>

#include "backend/cuda/tiles/chip_of_parts.hpp"
#include "backend/cuda/tiles/heuristics_async_sm90.hpp"

namespace tw::cuda::sm90 {

inline constexpr Widths across_widths{6, {64, 96, 128, 160, 192, 256}};

/// Of so many rows of the operand that goes through registers by a width of the other: two blocks side by side that
/// share the other's, one block alone, or two beside one another on a multiprocessor. Nanoseconds of a step of 32 of k,
/// of a tile's end, and of a wave.
struct AcrossPace {
    int rows, blocks_a_chip;  ///< a tile's rows; per multiprocessor, in halves
    bool in_pairs;
    double step, step_of_width, end, end_of_width, wave;
};
inline constexpr AcrossPace across_pairs{256, 1, true, 122.1, 1.749, 2841, 5.12, 3},
    across_alone{128, 2, false, 101.2, 1.85, 791, 11.43, 173}, across_beside{64, 4, false, 0, 4.688, 5, 17.53, 474};

/// Tile::m, ::n, ::k: 128 by a width and 8 are two blocks, 0 is one, 16 are blocks with equal shares of all tiles'
/// steps, 32 and more are a cluster's, a sixteenth of it, with a part of k each; 64 are two beside one another. Of 240
/// shapes that all were timed for none lost 3 % by the widths that pairs and blocks beside one another lack.
constexpr int least_of_pairs = 128, most_of_pairs = 160, of_beside = 64, most_across_parts = 8;
constexpr int across_shares = parts::chip;  ///< blocks
constexpr int in_shares = 0;                ///< instead of a count of parts
constexpr bool is_shared(const Tile& tile) { return tile.k == 16; }
constexpr int across_parts_of(const Tile& tile) { return is_shared(tile) ? in_shares : tile.k < 32 ? 1 : tile.k / 16; }
constexpr int k_of_parts(int parts) { return parts == in_shares ? 16 : 16 * parts; }
constexpr bool across_has(const Tile& tile, std::int64_t products) {
    if (!across_widths.has(tile.n)) return false;
    const bool is_one = products == 1;
    if (tile.m == 128)
        return tile.k == 0 || (tile.k == 8 && is_one && tile.n >= least_of_pairs && tile.n <= most_of_pairs) ||
               (is_one && tile.k == 16) ||
               (is_one && tile.k >= 32 && tile.k <= 16 * most_across_parts && tile.k % 16 == 0);
    return tile.m == 64 && tile.k == 0 && tile.n == of_beside;
}
/// Asked for, where both operands lie along k: the same, and one more.
constexpr bool is_along(const Tile& tile) {
    return tile.k > 0 && tile.k % 2 == 1 && across_has({tile.m, tile.n, tile.k - 1}, 1);
}
constexpr const AcrossPace& across_pace(const Tile& tile) {
    return tile.m == 64 ? across_beside : tile.k == 8 ? across_pairs : across_alone;
}

/// Blocks of a cluster are on neighbouring multiprocessors, of which 14 to 18 are one group: 40 clusters of three took
/// an H200 two waves, and 32 of four.
constexpr std::int64_t across_fit(std::int64_t multiprocessors, int parts, const AcrossPace& pace) {
    constexpr int of_132[] = {0, 132, 132, 117, 124, 115, 114, 112, 120};
    if (parts == 1) return multiprocessors * pace.blocks_a_chip / 2;
    return (multiprocessors * of_132[parts] + 131) / 132;
}
/// What a cluster's blocks take to add up their sums: once, and for each column. In one wave a product by parts was
/// timed at .75 to .96 of this model's time (133 x 4096 x 11008 NN 59 us, of 72), in more waves at 1.0 to 1.4, and by
/// five parts or more somewhat later.
constexpr double joining_across = 1900, joining_of_width = 10, of_one_wave = .87, of_waves = 1.2, of_many = 1.1;

/// All blocks have as much to do, and what the memory gives is the limit, at 4.17 bytes a picosecond, or the unit,
/// which waits now and then. Sums that blocks send one another are written and read by who has nothing else to do. 64 x
/// 28672 x 8192 NN took 233 us, whole 246 to 277; 305 x 5120 x 13824 160, by a cluster's parts 190; but 128 x 8192 x
/// 8192 81, by parts 73.
constexpr double time_in_shares(const Sizes& s, const Tile& tile) {
    constexpr double start = 3000, of_column = 85, memory = 4170, waiting = 1.3;
    const std::int64_t across = (s.n + tile.n - 1) / tile.n, columns = s.n < tile.n ? (s.n + 7) / 8 * 8 : tile.n,
                       steps = s.tiles(128, tile.n) * ((s.k + 31) / 32);
    const double bytes = 4 * static_cast<double>(s.m * s.k * across + s.n * s.k + s.m * s.n),
                 reading = bytes / memory * (tile.n > 64 ? 1.05 : 1),
                 multiplying = static_cast<double>((steps + across_shares - 1) / across_shares) *
                               (across_alone.step + across_alone.step_of_width * tile.n) * waiting;
    return start + of_column * static_cast<double>(columns) + (reading > multiplying ? reading : multiplying);
}

constexpr bool is_one_wave(const Sizes& s, const Tile& tile) {
    const AcrossPace& pace = across_pace(tile);
    const int parts = across_parts_of(tile);
    return s.tiles(pace.rows, tile.n) * parts <= across_fit(s.multiprocessors, parts, pace);
}
/// In a single wave blocks whose tile is empty for the most part run ahead of the others, and what they share with them
/// is read from memory more than once: 305 x 5120 x 13824 took 211 us by pairs of 128 columns, by 160 171; 342 rows
/// took 178. Where such blocks are few it does not matter.
constexpr bool hurries_ahead(const Sizes& s, const Tile& tile) {
    const std::int64_t left = s.n % tile.n;
    return is_one_wave(s, tile) && s.n > tile.n && s.n < 4 * tile.n && left > 0 && 5 * left < 3 * tile.n;
}

/// As 1800 times of the tiles of 140 products and batches were on an H200: what is chosen takes 1.027 of the quickest
/// tile's time in the mean. Shared memory, which the words and the unit's other operand come out of, is as busy as the
/// unit.
constexpr double across_time(const Sizes& s, const Tile& tile) {
    if (is_shared(tile)) return time_in_shares(s, tile);
    const AcrossPace& pace = across_pace(tile);
    const int parts = across_parts_of(tile);
    const std::int64_t tiles = s.tiles(pace.rows, tile.n) * parts, fit = across_fit(s.multiprocessors, parts, pace);
    const double step = pace.step + pace.step_of_width * tile.n,
                 end = pace.end + pace.end_of_width * tile.n / parts + (tile.n == 256 ? 2412 : 0) +
                       (parts > 1 ? joining_across + joining_of_width * tile.n : 0);
    const double of_wave = static_cast<double>((s.k + 32 * parts - 1) / (32 * parts)) * step + end;
    double waves = static_cast<double>((tiles + fit - 1) / fit);
    // Half a wave of blocks beside one another has a multiprocessor for each.
    if (tile.m == 64 && tiles % fit > 0 && tiles % fit <= fit / 2) waves -= .29;
    const double bytes = 4 * static_cast<double>(s.products * (s.m * s.k + s.n * s.k + s.m * s.n));
    const bool is_cut = parts > 1, few_read = is_cut && tiles < s.multiprocessors * 112 / 132;
    const double time = waves * of_wave + pace.wave,
                 memory =
                     bytes / 4947 *
                     (few_read ? static_cast<double>(s.multiprocessors) * 112 / 132 / static_cast<double>(tiles) : 1),
                 all = 2740 + (time > memory ? time + .488 * memory : memory + .488 * time);
    if (!is_cut) return all;
    const double narrow = tile.n == 64 && s.n > 64 ? 1.1 : 1, many = parts >= 5 ? of_many : 1;
    return all * narrow * many * (tiles <= fit ? of_one_wave : of_waves) * (hurries_ahead(s, tile) ? 1.3 : 1);
}

template <class Takes, class Time>
constexpr Tile quickest_across(const Sizes& s, int parts, const Takes& takes, const Time& time_of_tile) {
    Tile best{};
    double least = 0;
    for (int i = 0; i < across_widths.count; ++i)
        for (const Tile& tile : {Tile{128, across_widths.of[i], 8}, Tile{128, across_widths.of[i], 0},
                                 Tile{64, across_widths.of[i], 0}, Tile{128, across_widths.of[i], k_of_parts(parts)}}) {
            if (!across_has(tile, s.products) || across_parts_of(tile) != parts || !takes(tile)) continue;
            const double time = time_of_tile(tile);
            if (least == 0 || time < least) best = tile, least = time;
        }
    return best;
}
/// turns: the other operand is copied in front. Blocks beside one another began late behind a copy: 640 cubed TN took
/// 13.8 us by 64 x 64, 9.6 by 128 x 64.
constexpr Tile across_tile(const Sizes& s, bool turns, int parts) {
    return quickest_across(
        s, parts, [&](const Tile& tile) { return !turns || tile.m == 128 || s.n <= 64; },
        [&](const Tile& tile) { return across_time(s, tile); });
}

constexpr int least_rows_of_parts = 17, least_rows_of_shares = 9;  ///< of the operand along k
/// Few rows by long weights. In batches these would go one by one, so that short weights are none of them.
constexpr bool may_be_shared(const Sizes& s) {
    return s.n >= least_rows_of_shares && s.n <= 320 && s.m >= 1024 && s.m * s.k >= std::int64_t{4} << 20;
}
/// Into how many parts k is cut, by the shape alone: the chip is the one that parts are counted for. best(sizes,
/// parts): a tile's time. Heads of attention and small sides come in batches, whose products have the bits of each
/// alone.
template <class Time>
constexpr int parts_across(Sizes s, const Time& best_time) {
    const std::int64_t longest = s.m > s.n ? (s.m > s.k ? s.m : s.k) : (s.n > s.k ? s.n : s.k);
    const bool is_head = s.k == s.n && s.m <= 128;
    s.products = 1, s.multiprocessors = parts::chip;
    if (longest <= 1100 || is_head || s.m < 64) return 1;
    int best = 1;
    double least = .97 * best_time(s, 1);
    if (s.n >= least_rows_of_parts && s.tiles(128, 256) <= parts::chip)
        for (int parts = 2; parts <= most_across_parts && s.k >= 256 * parts; ++parts)
            if (const double its = best_time(s, parts); its < least) best = parts, least = its;
    return may_be_shared(s) && best_time(s, in_shares) < (s.n > 64 ? .93 : 1) * least ? in_shares : best;
}
constexpr int across_parts(const Sizes& s, bool one_order) {
    return one_order ? 1 : parts_across(s, [](const Sizes& of, int parts) {
        const Tile tile = across_tile(of, false, parts);
        // 200 x 4096 x 4096 NN took 52 us whole, 37 in three parts.
        return across_time(of, tile) * (parts == 1 && hurries_ahead(of, tile) ? 1.1 : 1);
    });
}

/// The other operand's copy, where it lies across k, too.
constexpr double across_turning(std::int64_t rows, std::int64_t k) {
    return 2000 + 4 * static_cast<double>(rows * k) / 1100;
}

/// Beside other rows' prices: large products draw so much power that the clock falls. 5768 cubed NN took 1171 us, r10
/// 874.
constexpr double across_price(const Sizes& s, bool turns) {
    const double flops = 2 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    const Tile tile = across_tile(s, turns, across_parts(s, false));
    const double time = across_time(s, tile) + (turns ? across_turning(s.n, s.k) : 0);
    if (is_shared(tile) && s.n <= 64) return time;  // the memory's: 64 x 128256 x 8192 NN 1036, few_rows_anywhere 1162
    return time * (flops < 5e10 ? 1 + .35 * flops / 5e10 : 1.35);
}

/// Both operands along k: from the side of the longer one, whose rows go through registers.
constexpr Sizes seen_along(const Sizes& s) {
    return {s.m > s.n ? s.m : s.n, s.m > s.n ? s.n : s.m, s.k, s.products, s.multiprocessors};
}
/// Pairs lose 4 % at most beside blocks alone, and gain 18: 390 x 128256 x 4096 took 1471 and 1732 us.
constexpr double time_along(const Sizes& s, const Tile& tile) {
    if (across_parts_of(tile) != 1) return across_time(s, tile);
    return (across_pace(tile).in_pairs ? 1 : 1.06) * across_time(s, tile) * (hurries_ahead(s, tile) ? 1.3 : 1);
}
constexpr Tile along_tile(const Sizes& seen, int parts) {
    return quickest_across(
        seen, parts, [](const Tile&) { return true; }, [&](const Tile& tile) { return time_along(seen, tile); });
}
constexpr int along_parts(const Sizes& seen, bool one_order) {
    return one_order
               ? 1
               : parts_across(seen, [](const Sizes& of, int parts) { return time_along(of, along_tile(of, parts)); });
}
constexpr double along_time(const Sizes& s) {
    const Sizes seen = seen_along(s);
    return time_along(seen, along_tile(seen, along_parts(seen, false)));
}
/// Whether few rows by long weights that both lie along k are seen from the weights' side: 279 x 10240 x 8192 takes 175
/// us so, by r9's tiles 306. 128 rows or less are one tile wide, which pays sooner than is reckoned: 114 x 128256 x
/// 8192 1069 and 1243.
constexpr bool along_pays(const Sizes& s) {
    const Sizes seen = seen_along(s);
    if (s.products > 1 || seen.n > 1100 || seen.n <= 64 || s.k < 2048) return false;
    const int parts = along_parts(seen, false);
    if (parts == 1 && seen.n > 768) return false;
    // 385 x 5120 x 13824 took 338 us by parts of more than a wave, by r9's tiles 237.
    const double share = parts == in_shares                ? .95
                         : parts > 1                       ? (is_one_wave(seen, along_tile(seen, parts)) ? 1 : .9)
                         : seen.n <= 128 && seen.m >= 8192 ? 1.1
                                                           : .95;
    return along_time(s) < share * async_time_of_choice(s, {.is_f32 = true});
}

/// Whether k of such a product is cut, if it is seen so.
constexpr bool along_cuts(const Sizes& s) { return along_pays(s) && along_parts(seen_along(s), false) != 1; }

enum class FirstAcross { none, a, b };

/// The operand that is read across k, by shape and forms; of two the larger one. None: what lies so is copied first, as
/// where products are small.
constexpr FirstAcross first_across(const Sizes& s, Form a, Form b) {
    const bool of_a = a == Form::col_major, of_b = b == Form::row_major;
    if ((!of_a && !of_b) || s.k < 32) return FirstAcross::none;
    const bool is_a = of_a && (!of_b || s.m >= s.n);
    const Sizes seen{is_a ? s.m : s.n, is_a ? s.n : s.m, s.k, 1, s.multiprocessors};
    const bool turns = of_a && of_b;
    const int parts = across_parts(seen, false);
    if (seen.m < 64 || (seen.n < 64 && parts == 1)) return FirstAcross::none;
    const double time = across_time(seen, across_tile(seen, turns, parts)) + (turns ? across_turning(seen.n, s.k) : 0);
    constexpr R9Operands along{.is_f32 = true};
    const double copied = r9_time(s, r9_tile(s, along, false), along) + (of_a ? across_turning(s.m, s.k) : 0) +
                          (of_b ? across_turning(s.n, s.k) : 0);
    return time > copied ? FirstAcross::none : is_a ? FirstAcross::a : FirstAcross::b;
}

/// Into how many parts k of such a product is cut, if its operands lie for TMA, or once they do.
constexpr int parts_of_choice(const Sizes& s, Form a, Form b) {
    const FirstAcross first = first_across(s, a, b);
    const bool is_a = first == FirstAcross::a;
    if (first != FirstAcross::none) {
        const int parts = across_parts({is_a ? s.m : s.n, is_a ? s.n : s.m, s.k, 1, s.multiprocessors}, false);
        if (parts != 1) return parts;
    }
    return along_pays(s) ? along_parts(seen_along(s), false) : 1;
}
constexpr bool across_cuts(const Sizes& s, Form a, Form b) { return parts_of_choice(s, a, b) != 1; }

/// What blocks send one another that share steps, at most.
constexpr std::size_t bytes_of_shares = std::size_t{across_shares} * 128 * 256 * 4;

}  // namespace tw::cuda::sm90
