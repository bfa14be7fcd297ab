// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tile a product gets where a rung has several: a function for each rung, of sizes alone, with the reason on the
// line above each rejection. Rates are as measured on an H200; how many multiprocessors there are is always asked of
// the device. The rungs that Ampere runs too, r7 and r8_mma_sync, choose there as they do here.
#pragma once

#include <cstdint>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/operands/batched.hpp"

namespace tw::cuda::sm90 {

/// What a choice is made from.
struct Sizes {
    std::int64_t m, n, k, products;
    int multiprocessors;

    /// Tiles of so many rows and columns, over all products.
    constexpr std::int64_t tiles(int rows, int columns) const {
        return (m + rows - 1) / rows * ((n + columns - 1) / columns) * products;
    }
};
inline Sizes sizes_of(const Call& call) { return {call.m(), call.n(), call.k(), products_of(call), multiprocessors()}; }

/// r7's tiles: 64 x 64, 128 x 128 and 128 x 256.
enum class R7 { small, middle, wide };

constexpr bool r7_fills_wide(const Sizes& s) {
    // A matrix that a smaller tile holds would leave most of a wide one empty.
    if (s.m <= 64 || s.n <= 128) return false;
    // With fewer wide tiles than multiprocessors some would have nothing to do.
    return s.tiles(128, 256) >= s.multiprocessors;
}

/// Up to here wide tiles have a kernel of their own, whose loop is slower and whose ends are quicker.
inline constexpr int r7_most_k_of_shallow = 1024;

/// by_16: both operands lie so that the copies of 16 bytes reach them, as the kernel for short k wants it.
constexpr R7 r7_tile(const Sizes& s, bool by_16) {
    const bool wide = r7_fills_wide(s);
    if (wide && by_16 && s.k <= r7_most_k_of_shallow) return R7::wide;
    // Two middle tiles share a multiprocessor: one begins while the other multiplies. From 256 of k on wide tiles gain
    // more by reading less.
    const bool overlaps = s.m > 64 && s.n > 64 && s.tiles(128, 128) >= 2 * std::int64_t{s.multiprocessors};
    if (overlaps && s.k <= 256) return R7::middle;
    return wide ? R7::wide : R7::small;
}

/// r8_mma_sync: 128 rows by so many columns.
constexpr int r8_mma_sync_columns(const Sizes& s) {
    // With fewer wide tiles than multiprocessors some would have nothing to do.
    return s.tiles(128, 256) >= s.multiprocessors ? 256 : 128;
}

/// A tile of the rungs that are paced by a multiprocessor's arithmetic, and its rate beside the largest one's.
struct PacedTile {
    int rows, columns;
    double rate;
};

/// The rows of the tile with the least time of whole waves.
template <int count>
constexpr int paced_rows(const PacedTile (&tiles)[count], const Sizes& s) {
    int best = 0;
    double least = 0;
    for (const auto& [rows, columns, rate] : tiles) {
        const std::int64_t waves = (s.tiles(rows, columns) + s.multiprocessors - 1) / s.multiprocessors;
        const double time = static_cast<double>(waves) * rows * columns / rate;
        if (best == 0 || time < least) best = rows, least = time;
    }
    return best;
}

/// On an H100 at 2048, 1024 and 512 a large tile has 54 TFLOP/s, a middle one eight tenths of that rate and a small one
/// some six.
constexpr int r8_dmma_side(const Sizes& s) { return paced_rows({{128, 128, 1}, {64, 64, .8}, {32, 32, .55}}, s); }

/// Tiles of r9 and r10: 128 rows by so many columns, a cluster's blocks one below the other.
struct Tile128 {
    int columns, cluster;
    double rate;       ///< of the quickest shape's, in the middle of a long product
    double start = 0;  ///< steps of 64 of k that filling and emptying the pipeline cost a wave
};

/// Whole waves of tiles, each at its shape's rate. The unit does not matter, only which is least.
constexpr double time_of(const Tile128& tile, const Sizes& s) {
    const std::int64_t fit = s.multiprocessors / tile.cluster, at_once = fit > 0 ? fit : 1;
    const std::int64_t tiles = s.tiles(128 * tile.cluster, tile.columns);
    const auto waves = static_cast<double>((tiles + at_once - 1) / at_once);
    const double steps = static_cast<double>(s.k) / 64;
    return waves * tile.columns / tile.rate * steps + (waves + 1) * tile.start * tile.columns;
}

template <int count>
constexpr int quickest(const Tile128 (&tiles)[count], const Sizes& s) {
    int best = 0;
    double least = 0;
    for (const Tile128& tile : tiles) {
        const double time = time_of(tile, s);
        if (best == 0 || time < least) best = tile.columns, least = time;
    }
    return best;
}

/// Rows of r9's tiles side by side: widths that one instruction of the unit has.
struct Widths {
    int count;
    int of[16];

    constexpr bool has(int width) const {
        for (int i = 0; i < count; ++i)
            if (of[i] == width) return true;
        return false;
    }
};

/// How r9's operands lie, and what C asks for.
struct R9Operands {
    bool a_across = false, b_across = false, is_f32 = false;
    bool c_by_group = true;  ///< C's rows start at multiples of 16 bytes
    bool adds = false;       ///< an old C or a residual is read
};

/// r9's three kinds of tiles. Tile::k says which: over 0, rows of tiles that are walked together; 0; or minus the parts
/// that k is cut into.
///   wide   128 rows, two blocks share B's tile
///   level  few rows; widths such that one wave of blocks has all columns
///   thin   small, two blocks a multiprocessor, parts of k
constexpr Widths r9_wide(bool a_across, bool b_across) {
    if (b_across) return a_across ? Widths{2, {128, 256}} : Widths{4, {64, 128, 192, 256}};
    if (a_across) return {3, {128, 192, 256}};
    return {11, {64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 256}};
}
constexpr Widths r9_level(int rows, bool a_across, bool b_across) {
    if (a_across) return {0, {}};
    if (b_across) return rows == 64 ? Widths{2, {64, 128}} : Widths{1, {64}};
    if (rows == 64) return {13, {24, 32, 40, 48, 56, 64, 80, 88, 96, 112, 128, 144, 160}};
    return {9, {32, 40, 48, 56, 64, 80, 88, 96, 112}};
}
constexpr bool r9_possible(const R9Operands& o, const Tile& tile) {
    // The unit takes tf32 along k alone, and its tests of many widths are spared.
    if (o.is_f32 && tile.k == 0 && tile.n > 96) return false;
    // Sums that may have to be made again leave no registers for 256 columns.
    if (o.is_f32 && tile.n == 256) return false;
    // Only 128 and 256 columns go through boxes in shared memory, which rows that start anywhere want.
    if (tile.k > 0 && tile.n != 128 && tile.n != 256 && !o.c_by_group) return false;
    if (tile.k > 0) return tile.m == 128 && r9_wide(o.a_across, o.b_across).has(tile.n);
    if (tile.k == 0) return (tile.m == 64 || tile.m == 128) && r9_level(tile.m, o.a_across, o.b_across).has(tile.n);
    const int parts = -tile.k;
    if (o.is_f32 && parts > 1) return false;
    if (parts != 1 && parts != 2 && parts != 4 && parts != 8) return false;
    return parts * 8 <= tile.n && ((tile.m == 64 && (tile.n == 32 || tile.n == 64)) || (tile.m == 128 && tile.n == 64));
}

/// Stages of so many rows of 128 bytes in what a multiprocessor has of shared memory for each of `blocks`, beside
/// `staging`.
constexpr int r9_stages(int rows, int staging, int blocks) {
    constexpr int of_all = 233472, of_system = 1024, to_start_on = 1024, barriers = 16, most = 16;
    const int fit = (of_all / blocks - of_system - to_start_on - staging) / (rows * 128 + barriers);
    return fit < most ? fit : most;
}

/// What a choice of r9 rests on: nanoseconds, and bytes or cycles a nanosecond. Fitted to the times of 11 000 pairs of
/// a shape and a tile on an H200: what it chooses takes 1.04 of the quickest tile's time in the mean.
struct R9Costs {
    double launch, wide_end, level_end, thin_end;  ///< of a call; of a tile of each kind, in the middle and at its end
    double out;                                    ///< of an element of a tile of C
    double old;                                    ///< of one that is read, in those
    double clock;                                  ///< cycles of the unit
    double of_one, of_all;                         ///< bytes from L2, for a multiprocessor and for all together
    double latency, step;                          ///< until a stage is full, over all stages; of a step besides
    double parts;                                  ///< adding them
    double memory;                                 ///< bytes
    double seen;                                   ///< of an end that the next tile does not hide
    double shared;                                 ///< of A's bytes, where all blocks read the same
};
inline constexpr R9Costs r9_costs{967, 1330, 1180, 1110, .06, 11.9, 1.46, 100, 6430, 842, 52, 1890, 3980, .65, .46};

/// Of `tile`, for all products of the batch.
constexpr double r9_time(const Sizes& s, const Tile& tile, const R9Operands& o, const R9Costs& by = r9_costs) {
    const bool wide = tile.k > 0, thin = tile.k < 0;
    const std::int64_t parts = thin ? -tile.k : 1, down = (s.m + tile.m - 1) / tile.m;
    const std::int64_t blocks = wide ? 2 * s.tiles(2 * tile.m, tile.n) : s.tiles(tile.m, tile.n) * parts;
    const std::int64_t at_once = thin ? 2 * s.multiprocessors : s.multiprocessors;
    const auto waves = static_cast<double>((blocks + at_once - 1) / at_once);
    const double beside = thin && blocks > s.multiprocessors ? 2 : 1;  // blocks on a multiprocessor
    const auto active = static_cast<double>(blocks < s.multiprocessors ? blocks : s.multiprocessors);
    const std::int64_t depth = o.is_f32 ? 32 : 64, all_steps = (s.k + depth - 1) / depth;
    const auto steps = static_cast<double>((all_steps + parts - 1) / parts);
    const int b_rows = o.b_across ? (tile.n + 63) / 64 * 64 : tile.n;
    const int boxes = wide && (tile.n == 128 || tile.n == 256) ? 2 * 16384 : 0;
    double step = by.latency / r9_stages(tile.m + b_rows, boxes, thin ? 2 : 1) + by.step;
    // The unit takes half a cycle a column for 64 rows and 16 of k, or what shared memory can read for it.
    const double columns = tile.n, reads = 16 + columns / 4, unit = columns / 2 > reads ? columns / 2 : reads;
    if (const double multiplying = 4 * unit * (tile.m / 64) / by.clock; wide && multiplying > step) step = multiplying;
    const auto a_rows = static_cast<double>(s.m < tile.m ? (s.m + 7) / 8 * 8 : tile.m);
    const double rows = a_rows * (!wide && down == 1 ? by.shared : 1) + b_rows / (wide ? 2.0 : 1.0);
    const double rate = by.of_all / active < by.of_one ? by.of_all / active : by.of_one;
    if (const double reading = beside * 128 * rows / rate; reading > step) step = reading;
    const double end = (wide   ? by.wide_end
                        : thin ? by.thin_end
                               : by.level_end) +
                       tile.m * columns * by.out * (o.adds ? 1 + by.old : 1);
    const double ends = thin ? waves : 1 + by.seen * (waves - 1);
    double time = waves * steps * step + ends * end + (parts > 1 ? by.parts : 0);
    const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
    const double bytes =
        (o.is_f32 ? 4 : 2) * static_cast<double>(s.products) * (m * k + n * k + m * n * (o.adds ? 2 : 1));
    if (bytes / by.memory > time) time = bytes / by.memory;
    return by.launch + time;
}

template <class Visit>
constexpr void each_r9_tile(const R9Operands& o, const Visit& visit) {
    const Widths wide = r9_wide(o.a_across, o.b_across);
    for (int i = 0; i < wide.count; ++i) visit(Tile{128, wide.of[i], 8});
    for (const int rows : {64, 128}) {
        const Widths level = r9_level(rows, o.a_across, o.b_across);
        for (int i = 0; i < level.count; ++i) visit(Tile{rows, level.of[i], 0});
    }
    for (const int parts : {1, 2, 4, 8})
        for (const Tile thin : {Tile{64, 32, -parts}, Tile{64, 64, -parts}, Tile{128, 64, -parts}}) visit(thin);
}

template <class Takes>
constexpr Tile quickest_r9(const Sizes& s, const R9Operands& o, const Takes& takes) {
    Tile best{128, 128, 8};
    double least = 0;
    each_r9_tile(o, [&](const Tile& tile) {
        if (!r9_possible(o, tile) || !takes(tile)) return;
        // Padding of 64 rows or more is what the other kinds are for.
        if (tile.k == 0 && s.m > 2 * tile.m) return;
        const double time = r9_time(s, tile, o);
        if (least == 0 || time < least) least = time, best = tile;
    });
    return best;
}

/// Into how many parts k is cut: by one product's shape, never by how many there are, how they lie or what the chip is,
/// so that a batch has the bits of each alone.
constexpr int r9_parts(const Sizes& s, const R9Operands& o) {
    constexpr int chip = 132;
    Sizes one = s;
    one.products = 1, one.multiprocessors = chip;
    // Parts pay where C has too few tiles for the chip, and k many steps.
    if (o.is_f32 || one.tiles(64, 64) > chip || s.k < 1024) return 1;
    const Tile tile = quickest_r9(one, R9Operands{}, [](const Tile&) { return true; });
    return tile.k < 0 ? -tile.k : 1;
}

/// one_order: k is not cut, so that a row's bits follow from k alone.
constexpr Tile r9_tile(const Sizes& s, const R9Operands& o, bool one_order) {
    const int parts = one_order ? 1 : r9_parts(s, o);
    return quickest_r9(s, o, [&](const Tile& tile) { return tile.k < 0 ? -tile.k == parts : parts == 1; });
}

constexpr int r10_fp16x3_columns(const Sizes& s) { return quickest({{192, 2, 1}, {176, 2, 0.99}, {128, 1, 0.93}}, s); }
constexpr int r10_fp16x1_columns(const Sizes& s) { return quickest({{256, 2, 1}, {128, 2, 0.93}}, s); }

/// r10 splits the rows of so many first columns of tiles before the product, all others beside it: while these columns
/// are multiplied, the warps that split late rows keep up with what the next need. 0: all rows are split before.
constexpr int r10_first_columns(int parts, std::int64_t k) {
    // Late rows of more than 8192 elements hold the product up: 16384 has 210 TFLOP/s with them, 213 to 220 without.
    if (k > 8192) return 0;
    return parts == 2 ? 12 : parts == 3 ? 24 : 4;
}

}  // namespace tw::cuda::sm90
