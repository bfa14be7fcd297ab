// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical_complex's tiles, on paper: an H100's 132 multiprocessors, and other numbers of them.
#include "backend/cuda/tiles/heuristics_complex_sm90.hpp"

#include <gtest/gtest.h>

namespace tw::cuda::sm90 {
namespace {

constexpr Sizes cube(std::int64_t n, int multiprocessors = 132) { return {n, n, n, 1, multiprocessors}; }

TEST(HeuristicsComplex, LargeProductsTakeTheTileOfTheBestRate) {
    const auto best = [](const auto& tiles) {
        RatedTile of_all{};
        for (const RatedTile& tile : tiles)
            if (tile.rate > of_all.rate) of_all = tile;
        return of_all.rows * of_all.columns;
    };
    EXPECT_EQ(quickest(r7_complex_tiles, cube(32768)).rows * quickest(r7_complex_tiles, cube(32768)).columns,
              best(r7_complex_tiles));
}

TEST(HeuristicsComplex, SmallOnesTakeTilesThatGiveEveryMultiprocessorSomething) {
    for (const std::int64_t n : {16, 128, 256}) {
        EXPECT_EQ(tile_of(r7_complex_tiles, cube(n)), (tw::Tile{32, 32, 8})) << n;
    }
}

TEST(HeuristicsComplex, WavesDecideBetween) {
    EXPECT_EQ(tile_of(r7_complex_tiles, cube(1024)).m, 64) << "64 large tiles for 132 multiprocessors";
    EXPECT_EQ(tile_of(r7_complex_tiles, cube(3072)).m, 64) << "five waves of large tiles, of which the last is short";
}

TEST(HeuristicsComplex, ADeviceThatCantBeAskedHasOneMultiprocessor) {
    EXPECT_GT(tile_of(r7_complex_tiles, cube(4096, 1)).m, 0);
}

}  // namespace
}  // namespace tw::cuda::sm90
