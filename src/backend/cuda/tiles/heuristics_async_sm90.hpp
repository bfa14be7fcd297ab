// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which of its tiles r9 takes: the one with the least time, as two estimates tell it.
#pragma once

#include <cstddef>

#include "backend/cuda/tiles/async_shapes_sm90.hpp"
#include "backend/cuda/tiles/chip_of_parts.hpp"
#include "backend/cuda/tiles/costs_async_sm90.hpp"
#include "backend/cuda/tiles/heuristics_many_sm90.hpp"
#include "backend/cuda/tiles/heuristics_sm90.hpp"
#include "backend/cuda/tiles/heuristics_weights_sm90.hpp"

namespace tw::cuda::sm90 {

/// The product that a wide tile sees: itself, or turned round.
constexpr bool r9_is_turned(const Tile& tile) { return !r9_is_thin(tile) && R9Way::of(tile).turned; }
constexpr Sizes r9_seen(Sizes s, const Tile& tile) {
    if (!r9_is_turned(tile)) return s;
    const std::int64_t m = s.m;
    s.m = s.n, s.n = m;
    return s;
}

/// What both estimates count of a product by a tile, for all products of the batch.
struct R9Work {
    bool wide, thin, a_across;    ///< the last by wide tiles
    double steps;                 ///< of k, over all waves of blocks
    double flops;                 ///< of the unit, by whole tiles, as many as it did of 16 bits meanwhile
    double filling, multiplying;  ///< nanoseconds of a step: until its stage is full; of the unit
    double rows;                  ///< of 128 bytes that a block reads for a step
    double common = 0;            ///< of those, what L2 spares where all wide tiles read the same rows of A
    double received;              ///< that come to a multiprocessor; those that begin inside of sectors count twice
    double beside, active;        ///< blocks on a multiprocessor; multiprocessors that have some
    double ends;                  ///< nanoseconds of all tiles' ends, and of adding parts
    double bytes;                 ///< of operands and C
    double behind = 0;            ///< nanoseconds that nothing hides
    bool is_ragged = false;       ///< a few rows of tiles, the last of which is not whole

    constexpr R9Work(const Sizes& given, const Tile& tile, const R9Operands& as_given, const R9Costs& by)
        : wide(r9_is_wide(tile)), thin(r9_is_thin(tile)) {
        const Sizes s = r9_seen(given, tile);
        const R9Operands o = r9_is_turned(tile) ? as_given.turned() : as_given;
        const bool tall = r9_is_tall(tile);
        a_across = wide && o.a_across;
        const std::int64_t parts = thin ? -tile.k : 1, down = (s.m + tile.m - 1) / tile.m;
        const std::int64_t blocks = wide ? 2 * s.tiles(2 * tile.m, tile.n) : s.tiles(tile.m, tile.n) * parts;
        // Clusters don't find the last places: 512 x 1024 x 4096 NN by 64 of four blocks takes 18.4 us, 11.8 whole.
        const std::int64_t at_once = s.multiprocessors * (thin ? 2 : 1) * (parts > 1 ? 7 : 8) / 8;
        auto waves = static_cast<double>((blocks + at_once - 1) / at_once);
        beside = thin && blocks > s.multiprocessors ? 2 : 1;
        active = static_cast<double>(blocks < s.multiprocessors ? blocks : s.multiprocessors);
        const std::int64_t depth = o.is_f32 ? 32 : 64, all_steps = (s.k + depth - 1) / depth;
        const auto of_tile = static_cast<double>((all_steps + parts - 1) / parts);
        steps = waves * of_tile;
        // Of few blocks the parts are added sooner: 40 x 128 x 1152 takes 2.9 us by 16 blocks in fours, whole 3.9.
        double adding = thin && parts > 1 ? by.parts * active / s.multiprocessors : 0;
        if (const int cut = thin ? 1 : r9_parts_of(tile); cut > 1) {
            const std::int64_t tiles = wide ? blocks / 2 : blocks,
                               fit = wide ? r9_clusters(s.multiprocessors) : s.multiprocessors, whole = tiles / fit;
            const std::int64_t pieces = (tiles - whole * fit) * cut, last = (pieces + fit - 1) / fit;
            steps = static_cast<double>(whole) * of_tile +
                    static_cast<double>(last) * static_cast<double>((all_steps + cut - 1) / cut);
            waves = static_cast<double>(whole + last);
            // Sums are written, and read by a kernel behind; those of the only wave all at the end.
            const auto rows_kept = static_cast<double>(tall && s.m < tile.m ? (s.m + 15) / 16 * 16 : tile.m);
            const double kept = static_cast<double>(pieces) * (wide ? 2 : 1) * rows_kept * tile.n * 8;
            if (cut == 2 && r9_adds_by_pairs(tile, tiles, o.adds, s.multiprocessors)) behind = 400 + tile.n * 256 / 25.;
            else if (whole == 0 && !wide) behind = 960 + kept / (tall ? 4500 : 4000);
            else adding = 960 + kept / (tall ? 3000 : 5800);
            active = static_cast<double>(whole > 0 || pieces > fit ? s.multiprocessors : pieces * (wide ? 2 : 1));
        }
        flops = 2. * static_cast<double>(blocks * 64 * tile.m) * tile.n * of_tile;
        const int b_rows = o.b_across ? (tile.n + 63) / 64 * 64 : tile.n;
        const int boxes = !thin && r9_goes_by_box(tile.m, tile.n) ? tile.m / 64 * (16384 + 64) : 0;
        filling = by.latency / r9_stages(tile.m + b_rows, boxes, thin ? 2 : 1) + by.step;
        // The unit takes half a cycle a column for 64 rows and 16 of k, or what shared memory gives it 128 bytes a
        // cycle for: its reading of A and B, and, of 16 bits, their coming there.
        const double columns = tile.n, comes = by.comes * (16 + 16 * columns / tile.m),
                     reads = 16 + columns / 4 + comes, unit = columns / 2 > reads ? columns / 2 : reads;
        multiplying = 4 * unit * (tile.m / 64) / by.clock;
        const auto a_rows = static_cast<double>(s.m < tile.m ? (s.m + 7) / 8 * 8 : tile.m);
        const double a_astray = o.a_between ? by.astray : 1, b_astray = o.b_between ? by.astray : 1;
        rows = a_rows * (!wide && down == 1 ? by.shared : by.of_a) * a_astray + b_rows / (wide ? 2.0 : 1.0) * b_astray;
        // In long products blocks fall into step: 256 x 4096 x 14336 took 229 ns a step, 208 x 4096 x 4096 took 315.
        if (wide && s.m <= 2 * tile.m && s.k >= 8192) common = a_rows * (1 - by.shared);
        received = beside * (tile.m * (o.a_between ? by.between : 1) + b_rows * (o.b_between ? by.between : 1));
        const double by_threads = s.n % 2 == 0 ? by.by_pair : by.by_one;
        const double by_boxes = o.is_f32 || tile.n < 192 ? by.by_box : by.by_words;
        const double loose = o.c_by_group ? 0 : boxes > 0 ? by_boxes : by_threads;
        const double stored = boxes > 0 || tall ? by.out : by.out + by.by_threads;
        // Boxes bring an old C, or registers hold it: 5791 x 3072 x 768 took 73 us by 128 x 160, 59 by 128 x 192.
        const bool comes_early = boxes > 0 ? tile.n % 64 == 0 && o.c_by_group : tile.n <= 96;
        const double end = (wide   ? by.wide_end
                            : thin ? by.thin_end
                                   : by.level_end) +
                           (o.adds && !comes_early ? by.old_behind : 0) +
                           tile.m * columns * (stored * (o.adds ? 1 + by.old : 1) + loose);
        ends = (thin ? waves : 1 + by.seen * (waves - 1)) * end + adding;
        // 150 x 6144 x 4096 takes 19.5 us by 192 x 96 in two parts, 25.3 by pairs of 128 x 160 in two.
        if (tall && behind > 0) ends = 0;
        // Of few rows of tiles the last is not whole, or, where the product is turned, of few columns: what they share
        // is read again. 180 x 8192 x 8192 NN took 52.6 us by 128 x 96.
        const std::int64_t down_whole = wide ? 2 * tile.m : tile.m;
        is_ragged = (s.m > tile.m && s.m < 8 * tile.m && s.m % down_whole != 0) ||
                    (!wide && r9_is_turned(tile) && s.n > tile.n && s.n < 6 * tile.n && s.n % tile.n != 0);
        const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
        bytes = (o.is_f32 ? 4 : 2) * static_cast<double>(s.products) * (m * k + n * k + m * n * (o.adds ? 2 : 1));
    }

    /// Of a step's bytes, where L2 gives all multiprocessors so many together.
    constexpr double reading(const R9Costs& by, double of_all, double less = 0) const {
        const double rate = of_all / active < by.of_one ? of_all / active : by.of_one;
        return beside * 128 * (rows - less) / rate;
    }
};

constexpr double longest(double a, double b) { return a > b ? a : b; }

/// Of `tile`.
constexpr double r9_time(const Sizes& s, const Tile& tile, const R9Operands& o, const R9Costs& by = r9_costs) {
    const R9Work work(s, tile, o, by);
    const double step = longest(longest(work.filling, work.wide ? work.multiplying : 0), work.reading(by, by.of_all));
    return by.launch + longest(work.steps * step + work.ends, work.bytes / by.memory);
}

/// Of `tile`, by such costs.
constexpr double async_time_by(const Sizes& s, const Tile& tile, const R9Operands& o, const R9Costs& by,
                               const AsyncCosts& costs) {
    const R9Work work(s, tile, o, by);
    const double multiplying = work.beside * work.multiplying + (work.wide ? costs.pair : 0);
    const double of_all = (work.wide ? costs.of_all_wide : costs.of_all) * (work.is_ragged ? costs.ragged : 1);
    const double reading = work.reading(by, of_all, work.common);
    const double moving = longest(reading, work.received * costs.row);
    const double step = longest(longest(work.filling, multiplying), moving);
    // Where the unit is seldom idle the clock falls: 256 x 6144 x 4096 NN took 320 ns a step by 96 tiles of 128 x 128.
    const double cool = work.steps * step * (work.a_across ? costs.a_across : 1),
                 whole = by.launch + longest(cool + work.ends, work.bytes / by.memory),
                 busy = work.flops / (whole * 4096 * by.clock * s.multiprocessors);
    const double time = cool * (1 + costs.hot * longest(busy - costs.busy, 0)) + work.ends,
                 memory = work.bytes / (by.memory * (work.thin ? costs.of_thin : 1));
    return by.launch + work.wide * costs.wide_more + longest(time, memory) +
           costs.hidden * (memory > time ? time : memory) + work.behind;
}
/// Tiles beside one another: of tf32 no price.
constexpr double async_time(const Sizes& s, const Tile& tile, const R9Operands& o) {
    return o.is_f32 ? async_time_by(s, tile, o, tf32_r9_costs, tf32_costs)
                    : async_time_by(s, tile, o, async_r9_costs, async_costs);
}

template <class Visit>
constexpr void each_r9_tile(const R9Operands& o, const Visit& visit) {
    const Widths wide = r9_wide(o.a_across, o.b_across);
    for (int i = 0; i < wide.count; ++i) visit(Tile{128, wide.of[i], 8});
    for (const int rows : {64, 128}) {
        const Widths level = r9_level(rows, o.a_across, o.b_across);
        for (int i = 0; i < level.count; ++i) visit(Tile{rows, level.of[i], 0});
    }
    for (const Tile& thin : r9_thin) visit(thin);
}
template <class Visit>
constexpr void each_tall_tile(const R9Operands& o, const Visit& visit) {
    const Widths tall = r9_tall(o.a_across, o.b_across);
    for (int i = 0; i < tall.count; ++i) visit(Tile{192, tall.of[i], 0});
}

/// Those that a tuner may ask for. What a product can't have is as if nothing was asked for.
struct R9Tiles {
    std::size_t count = 0;
    Tile of[112]{};

    constexpr R9Tiles() {
        const auto add = [&](const Tile& tile) { of[count++] = tile; };
        add({});
        for (const int walked : {8, 4, 16}) add({128, 256, walked});
        each_r9_tile({}, [&](const Tile& tile) {
            if (!r9_is_wide(tile) || tile.n < 256) add(tile);
            if (r9_is_wide(tile)) add({tile.m, tile.n, R9Way{8, true, 1}.k()});
        });
        each_tall_tile({}, add);
        for (const int width : {112, 128, 192}) add({128, width, r9_level_k(1, true)});
        for (const int parts : {2, 3, 8}) add({128, 256, R9Way{8, false, parts}.k()});
        for (const int width : {144, 176, 208}) add({128, width, R9Way{8, true, 3}.k()});
    }
};
inline constexpr R9Tiles r9_tiles{};

/// time(tile): its estimate.
template <class Takes, class Time>
constexpr Tile quickest_r9(const Sizes& s, const R9Operands& o, const Takes& takes, const Time& time_of_tile) {
    Tile best{64, 32, -1};
    double least = 0;
    each_r9_tile(o, [&](const Tile& tile) {
        if (!r9_possible(o, tile) || !takes(tile)) return;
        // Padding of 64 rows or more is what the other kinds are for.
        if (r9_is_level(tile) && s.m > 2 * tile.m) return;
        const double time = time_of_tile(tile);
        if (least == 0 || time < least) least = time, best = tile;
    });
    return best;
}

/// Into how many parts k is cut: by one product's shape, never by how many there are, how they lie or what the chip is,
/// so that a batch has the bits of each alone.
constexpr int r9_parts(const Sizes& s, const R9Operands& o) {
    Sizes one = s;
    one.products = 1, one.multiprocessors = parts::chip;
    // Parts pay where C has too few tiles for the chip, and k many steps.
    if (o.is_f32 || one.tiles(64, 64) > parts::chip || s.k < 1024) return 1;
    // Heads' products come in batches: 64 of 2048 x 64 x 2048 took an H100 307 us in 8 parts, 196 whole; one alone 11.1
    // and 9.2.
    const std::int64_t narrow = s.m < s.n ? s.m : s.n, longest_side = s.m < s.n ? s.n : s.m;
    if (narrow >= 64 && narrow <= 128 && longest_side <= 2048 && s.k <= longest_side) return 1;
    // As rows along k without gaps begin, padded to 16 bytes: a shape's own, too.
    const bool between = (s.k + 7) / 8 % 2 != 0;
    const R9Operands along{.a_between = between, .b_between = between};
    const Tile tile = quickest_r9(
        one, along, [](const Tile&) { return true; }, [&](const Tile& any) { return async_time(one, any, along); });
    return r9_is_thin(tile) ? r9_parts_of(tile) : 1;
}

constexpr std::int64_t r9_tiles_of(const Sizes& s, const Tile& tile) { return r9_seen(s, tile).tiles(tile.m, tile.n); }

/// one_order: k is not cut, so that a row's bits follow from k alone.
constexpr Tile r9_tile(const Sizes& s, const R9Operands& o, bool one_order) {
    const int parts = one_order ? 1 : r9_parts(s, o);
    return quickest_r9(
        s, o, [&](const Tile& tile) { return (r9_is_thin(tile) ? r9_parts_of(tile) : 1) == parts; },
        [&](const Tile& tile) { return r9_time(s, tile, o); });
}

/// Of long products the last wave's tiles may be cut, the only wave's too; never of a batch, which would have other
/// bits than each product alone. By sizes alone, so that what is asked before a product is known holds for it.
constexpr bool r9_may_cut_last_wave(const Sizes& s) {
    if (s.k < 1024 || s.products > 1) return false;
    const std::int64_t fit = r9_clusters(s.multiprocessors);
    if (s.tiles(256, 64) > fit || s.tiles(64, 256) > fit) return true;
    // Of attention's heads, up to 128 columns, there are many.
    if (r9_has_few_rows(s) && s.n > 128) return true;
    // Fewer tiles of 64 x 64 are r9_parts's.
    return s.k >= 4096 && s.m > 128 && s.n > 128 && s.tiles(64, 64) > parts::chip;
}

/// Scratch that a product of such a shape may use for the parts' sums.
constexpr std::size_t r9_last_wave_bytes(const Sizes& s) {
    return r9_may_cut_last_wave(s) ? r9_most_sums(s.multiprocessors) : 0;
}

/// visit(the wide or level tile with its last wave cut), in the ways that there may be.
template <class Visit>
constexpr void each_cut(const Sizes& given, const R9Operands& o, const Tile& tile, const Visit& visit) {
    const Sizes s = r9_seen(given, tile);
    const bool wide = r9_is_wide(tile);
    const std::int64_t tiles = s.tiles(wide ? 256 : tile.m, tile.n),
                       fit = wide ? r9_clusters(s.multiprocessors) : s.multiprocessors, left = tiles % fit;
    // Level tiles of less than a wave are r9_parts's and few_tiles's, but for one row of 128, which gains by wide ones
    // that read it seldom: 128 x 4096 x 14336 NT took 36.0 us by 96 columns in three parts, 38.5 by 64 in two, 38.0
    // whole. Turned ones were slower (299 x 6144 x 4096: 39.9 us, whole 28.0), pairs of them, too (41.8 here).
    const bool one_row = s.m > 64 && s.m <= tile.m && r9_has_few_rows(s) && (o.b_across || tile.n >= 96);
    const bool never = r9_is_turned(tile) && (!wide || r9_has_few_rows(given));
    const bool by_pairs = r9_adds_by_pairs(tile, tiles, o.adds, s.multiprocessors);
    if (by_pairs) visit(Tile{tile.m, tile.n, r9_level_k(2, r9_is_turned(tile))});
    if (left == 0 || never || (!wide && tiles < fit && !one_row && !r9_is_tall(tile)) ||
        (r9_is_tall(tile) && tile.n == 192))  // whose kernels have no registers left for it
        return;
    for (const int parts : {2, 3, 4, 6, 8}) {
        if (left * parts > 2 * fit) return;
        if (by_pairs && parts == 2) continue;
        if (!wide) {
            visit(Tile{tile.m, tile.n, r9_level_k(parts)});
            continue;
        }
        R9Way way = R9Way::of(tile);
        way.parts = parts;
        visit(Tile{tile.m, tile.n, way.k()});
    }
}

/// Half of the tile or more would be empty, and there are lower ones: 52 x 128256 x 8192 took 634 us by 128, 502 by 64.
constexpr bool r9_is_half_empty(const Sizes& s, const R9Operands& o, const Tile& tile) {
    if (r9_is_turned(tile)) return 2 * s.m <= tile.n || (r9_is_level(tile) && s.m <= 64);
    if (r9_is_tall(tile)) return s.m <= 128;
    return tile.m == 128 && s.m <= 64 && !o.a_across;
}

/// Large products share what they read, so that less power goes into moving it; a single row of tiles shares nothing,
/// nor does a batch: 384 x 128 x 512 NN, 570 times, took 94 us by 128 x 128 alone, 108 by pairs.
constexpr bool r9_is_too_many(const Sizes& s, const R9Operands& o, const Tile& tile) {
    if (!r9_is_level(tile) || (s.products > 1 && !o.is_f32)) return false;
    const Sizes seen = r9_seen(s, tile);
    const bool one_row = r9_is_turned(tile) ? seen.n <= tile.n : seen.m <= tile.m;
    if (one_row) return false;
    const double waves = static_cast<double>(seen.tiles(tile.m, tile.n)) / s.multiprocessors;
    // 512 x 13824 x 5120 TN took 145 us by 216 tiles of 192 x 192, by 128 x 128 122; 3840 cubed TN 196 and 177.
    if (r9_is_tall(tile)) return waves > (tile.n == 192 ? 1 : 2);
    if (o.is_f32 || seen.m <= 2 * tile.m) return waves > 4;
    // 1681 x 4096 x 4096 NT took 103 us by 128 x 112, 84 by turned pairs of 144; 512 x 28672 x 8192 NT 366 by 224, 347
    // by 256 in two parts.
    return tile.n == 224 || waves > (tile.n < 128 ? 2 : 4);
}

/// one_order: k is not cut, so that a row's bits follow from k alone. Parts of few tiles are r9_parts's.
constexpr Tile low_async_tile(const Sizes& s, const R9Operands& o, bool one_order) {
    const int parts = one_order ? 1 : r9_parts(s, o);
    if (parts == 1 && r9_reads_weights(s, o))
        return quickest_of_weights(s.m, {s.n, s.k}, s.multiprocessors, one_order ? 1 : 4).tile;
    const bool cuts = !one_order && parts == 1 && !o.is_f32 && r9_may_cut_last_wave(s);
    // Not few_tiles's parts, which are a batch in one order: those were not timed.
    const bool is_batch = s.products > 1 && !o.is_f32 && !one_order;
    if (parts == 1 && async_is_many(s, o)) return {64, 64, -1};
    // Nanoseconds that whole thin tiles spare where C has no epilogue: 64 x 64 most (4096 x 128 x 1152 NT 6.0 us, by
    // 64 x 32 6.9), and none where rows begin inside of sectors, which they read slowest.
    const bool plain = !o.is_f32 && !o.adds && o.c_by_group && s.n % 8 == 0 && !o.a_between && !o.b_between;
    const auto spared = [&](const Tile& t) { return !plain || t.k != -1 ? 0. : t.m == 64 && t.n == 64 ? 1000. : 500.; };
    Tile best{64, 32, -1};
    double least = 0;
    const auto weigh = [&](const Tile& tile) {
        // Parts that gain less than a hundredth are not worth other bits. Two by a cluster have half the steps, and
        // blocks that stay beside one another: 128 x 8192 x 28672 NT took 131.6 us so, and 155 to 175 by 128 x 64, both
        // reckoned 131. Where rows begin inside of sectors it is not so (1096 cubed 11.7 us, by 128 x 80 11.4).
        const bool by_pairs = r9_parts_of(tile) == 2 && !o.a_between && !o.b_between &&
                              r9_adds_by_pairs(tile, r9_tiles_of(s, tile), o.adds, s.multiprocessors);
        const double of_parts = by_pairs ? .95 : r9_parts_of(tile) > 1 ? 1.01 : 1;
        // Of 245 shapes by all tiles thin ones of 64 x 32 took 1.1 of their estimate beside the others, level ones .95.
        const bool is_least = !o.is_f32 && tile.m == 64 && tile.n == 32;
        const double of_32 = is_least && tile.k == -1 ? 1.1 : is_least && tile.k == 0 ? .95 : 1;
        const double whole = is_batch ? async_time_by(s, tile, o, batch_r9_costs, batch_costs) : async_time(s, tile, o),
                     time = whole * of_parts * of_32 - spared(tile);
        // Of two that take as long the one of fewer tiles: 178 x 11008 x 4096 NN took 34.6 us by 86 turned ones of
        // 192 columns, 46.4 by 116 that are not.
        const bool alike = r9_is_level(tile) && time < least * 1.0001 && r9_tiles_of(s, tile) < r9_tiles_of(s, best);
        if (least == 0 || time < least || alike) least = time, best = tile;
    };
    const auto consider = [&](const Tile& tile) {
        if (!r9_possible(o, tile) || (r9_is_thin(tile) ? r9_parts_of(tile) : 1) != parts) return;
        if (r9_is_half_empty(s, o, tile) || r9_is_too_many(s, o, tile)) return;
        // Of a batch's thin tiles those of 64 x 64 were as quick in eight of eight shapes of 16 and 32 columns, or
        // quicker: 384 x 32 x 48 NT, 62 times, took 3.1 us, 4.9 by 64 x 32.
        if (is_batch && tile == Tile{64, 32, -1}) return;
        // By 208 columns tf32 of a short k was never quicker: 3605 x 5247 x 29 took 119 us, 50 to 59 by all other
        // widths, and 2048 x 2048 x 80, 32 times, 223, by 192 176; but 2880 x 1024 x 4096 71, and 88 by 96.
        if (o.is_f32 && tile.n == 208 && s.k < 1024) return;
        weigh(tile);
        if (!r9_is_thin(tile) && cuts) each_cut(s, o, tile, weigh);
    };
    each_r9_tile(o, consider);
    if (!o.may_turn) return best;
    const Widths turned = r9_wide(o.b_across, false);
    for (int i = 0; i < turned.count; ++i) consider(Tile{128, turned.of[i], R9Way{8, true, 1}.k()});
    // 1208 cubed, whose rows begin inside of sectors, took 12.9 us by these and 12.7 by pairs of blocks.
    if (o.a_between || o.b_between) return best;
    const Widths level = r9_level(128, true, false);
    for (int i = 0; i < level.count; ++i) consider(Tile{128, level.of[i], r9_level_k(1, true)});
    return best;
}

/// The same, or one of 192 rows.
constexpr Tile async_tile(const Sizes& s, const R9Operands& o, bool one_order) {
    const Tile low = low_async_tile(s, o, one_order);
    if (!o.plain || o.is_f32 || s.products > 1 || r9_reads_weights(s, o) || (r9_is_thin(low) && r9_parts_of(low) > 1))
        return low;
    const auto time = [&](const Tile& t) { return async_time_by(s, t, o, tall_r9_costs, tall_costs); };
    Tile best = low;
    double least = .97 * time(low);
    const auto weigh = [&](const Tile& tile) {
        if (const double its = time(tile); its < least) least = its, best = tile;
    };
    each_tall_tile(o, [&](const Tile& tile) {
        if (r9_is_half_empty(s, o, tile) || r9_is_too_many(s, o, tile)) return;
        weigh(tile);
        if (!one_order && r9_may_cut_last_wave(s)) each_cut(s, o, tile, weigh);
    });
    return best;
}

/// What a product is reckoned to take by the tile that is chosen for it.
constexpr double async_time_of_choice(const Sizes& s, const R9Operands& o) {
    if (r9_reads_weights(s, o) && r9_parts(s, o) == 1)
        return quickest_of_weights(s.m, {s.n, s.k}, s.multiprocessors).time;
    if (!o.is_f32) return async_time(s, async_tile(s, o, false), o);
    // Of tf32 what tells tiles apart is no price.
    double least = 0;
    each_r9_tile(o, [&](const Tile& tile) {
        if (!r9_possible(o, tile) || r9_is_half_empty(s, o, tile) || r9_is_too_many(s, o, tile)) return;
        const double time = async_time_by(s, tile, o, async_r9_costs, async_costs);
        if (least == 0 || time < least) least = time;
    });
    return least;
}

}  // namespace tw::cuda::sm90
