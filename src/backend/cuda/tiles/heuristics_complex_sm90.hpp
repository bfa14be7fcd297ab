// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tiles of r7_hierarchical_complex, which is paced by a multiprocessor's arithmetic: the one with the least time of
// whole waves. Rates are as measured on an H100.
#pragma once

#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda::sm90 {

/// A tile, what it has in TFLOP/s where there are many, and nanoseconds before and behind k: where rows of C begin at
/// multiples of 16 bytes, and where they don't.
struct RatedTile {
    int rows, columns;
    double rate, start, start_of_ones;

    constexpr double start_for(std::int64_t columns_of_c) const { return columns_of_c % 2 ? start_of_ones : start; }
};

/// Starts are as measured on an H200: 3004 x 4099 x 15 took 271, 189 and 93 us.
inline constexpr RatedTile r7_complex_tiles[] = {
    {128, 128, 53, 10000, 46000}, {64, 64, 48.5, 1300, 8000}, {32, 32, 38, 300, 700}};

template <int count>
constexpr RatedTile quickest(const RatedTile (&tiles)[count], const Sizes& s) {
    RatedTile best{};
    double least = 0;
    for (const RatedTile& tile : tiles) {
        const std::int64_t waves = (s.tiles(tile.rows, tile.columns) + s.multiprocessors - 1) / s.multiprocessors;
        const double of_tile =
            8e-3 * tile.rows * tile.columns * static_cast<double>(s.k) * s.multiprocessors / tile.rate;
        const double time = static_cast<double>(waves) * (tile.start_for(s.n) + of_tile);
        if (best.rows == 0 || time < least) best = tile, least = time;
    }
    return best;
}
template <int count>
constexpr tw::Tile tile_of(const RatedTile (&tiles)[count], const Sizes& s) {
    const RatedTile best = quickest(tiles, s);
    return {best.rows, best.columns, 8};
}

}  // namespace tw::cuda::sm90
