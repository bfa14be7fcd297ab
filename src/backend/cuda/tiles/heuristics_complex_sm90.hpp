// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tiles of the complex rungs, which are paced by a multiprocessor's arithmetic: the one with the least time of whole
// waves. Rates are as measured on an H100.
#pragma once

#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda::sm90 {

/// A tile, and what it has in TFLOP/s where there are many.
struct RatedTile {
    int rows, columns;
    double rate;
};

inline constexpr RatedTile r7_complex_tiles[] = {{128, 128, 53}, {64, 64, 48.5}, {32, 32, 38}};
inline constexpr RatedTile r8_dmma_complex_tiles[] = {{128, 64, 54}, {64, 64, 51}, {64, 32, 48}, {32, 32, 45}};

template <int count>
constexpr RatedTile quickest(const RatedTile (&tiles)[count], const Sizes& s) {
    RatedTile best{};
    double least = 0;
    for (const RatedTile& tile : tiles) {
        const std::int64_t waves = (s.tiles(tile.rows, tile.columns) + s.multiprocessors - 1) / s.multiprocessors;
        const double time = static_cast<double>(waves) * tile.rows * tile.columns / tile.rate;
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
