// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tile, as more tiles of more shapes were measured. What many multiprocessors read at about the same time comes
// out of L2 once: of tiles one above the other or side by side an H200 read 11 000 bytes a nanosecond and more, where
// r9_costs have 6430, so that tiles for few rows are right for many, too. 1855 x 10240 x 8192 of f16 took 512 us by
// 128 x 112 (r9_time: 904), 761 x 13824 x 5120 of bf16 150 by 128 x 128 (211) and 194 by what had been chosen.
#pragma once

#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda::sm90 {

/// Nanoseconds, and bytes or cycles a nanosecond, beside those of r9_costs.
struct AsyncCosts {
    double of_all;  ///< bytes from L2, for all multiprocessors together
    double over;    ///< of a step, beside the unit's work
    double hidden;  ///< of the shorter of the two, the memory's time and that of all steps
};
inline constexpr AsyncCosts async_costs{14000, 40, .1};

/// Of `tile`, for all products of the batch. An old C is on its way while the product is made, and costs nothing here.
constexpr double async_time(const Sizes& s, const Tile& tile, const R9Operands& o) {
    const R9Costs& by = r9_costs;
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
    const double multiplying = beside * (4 * unit * (tile.m / 64) / by.clock + async_costs.over);
    if (multiplying > step) step = multiplying;
    const auto a_rows = static_cast<double>(s.m < tile.m ? (s.m + 7) / 8 * 8 : tile.m);
    const double rows = a_rows * (!wide && down == 1 ? by.shared : 1) + b_rows / (wide ? 2.0 : 1.0);
    const double rate = async_costs.of_all / active < by.of_one ? async_costs.of_all / active : by.of_one;
    if (const double reading = beside * 128 * rows / rate; reading > step) step = reading;
    const double end = (wide ? by.wide_end : thin ? by.thin_end : by.level_end) + tile.m * columns * by.out;
    const double ends = thin ? waves : 1 + by.seen * (waves - 1);
    const double time = waves * steps * step + ends * end + (parts > 1 ? by.parts : 0);
    const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
    const double bytes =
        (o.is_f32 ? 4 : 2) * static_cast<double>(s.products) * (m * k + n * k + m * n * (o.adds ? 2 : 1));
    const double memory = bytes / by.memory;
    return by.launch + (memory > time ? memory + async_costs.hidden * time : time + async_costs.hidden * memory);
}

/// Short products of one wave of thin tiles, two blocks a multiprocessor: an H100 took, at 832 cubed of bf16, 5.7 us
/// for 64 x 64, 7.1 for 128 x 64 and 8.1 for 128 x 96; of 1024 x 2048 x 768 7.8 for 128 x 64, 9.6.
constexpr bool async_is_thin(const Sizes& s, const R9Operands& o, Tile& tile) {
    if (s.k > 1024 || s.m <= 64 || s.n <= 64) return false;
    for (const Tile& thin : {Tile{64, 64, -1}, Tile{128, 64, -1}})
        if (r9_possible(o, thin) && s.tiles(thin.m, thin.n) <= 2 * std::int64_t{s.multiprocessors})
            return tile = thin, true;
    return false;
}

/// one_order: k is not cut, so that a row's bits follow from k alone. Parts are r9_parts's, whatever the tile.
constexpr Tile async_tile(const Sizes& s, const R9Operands& o, bool one_order) {
    // Of many waves the power decides, and the widest tiles read least.
    if (s.tiles(128, 256) >= 3 * std::int64_t{s.multiprocessors}) {
        R9Operands plain = o;
        plain.adds = false;
        return r9_tile(s, plain, one_order);
    }
    const int parts = one_order ? 1 : r9_parts(s, o);
    Tile best{128, 128, 8};
    if (parts == 1 && async_is_thin(s, o, best)) return best;
    double least = 0;
    each_r9_tile(o, [&](const Tile& tile) {
        if (!r9_possible(o, tile) || (tile.k < 0 ? -tile.k != parts : parts != 1)) return;
        const double time = async_time(s, tile, o);
        if (least == 0 || time < least) least = time, best = tile;
    });
    return best;
}

}  // namespace tw::cuda::sm90
