// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tile choice, on paper: an H200's 132 multiprocessors, and other numbers of them.
#include "backend/cuda/tiles/heuristics_sm90.hpp"

#include <gtest/gtest.h>

namespace tw::cuda::sm90 {
namespace {

constexpr Sizes cube(std::int64_t n, int multiprocessors = 132) { return {n, n, n, 1, multiprocessors}; }

TEST(HeuristicsSm90, WideTilesNeedAProductThatFillsTheDevice) {
    EXPECT_EQ(r7_tile(cube(4096), true), R7::wide);
    EXPECT_EQ(r7_tile(cube(1024), true), R7::small) << "32 wide tiles for 132 multiprocessors";
    EXPECT_EQ(r7_tile(cube(1024, 32), true), R7::wide) << "as many as there are multiprocessors";
    EXPECT_EQ(r7_tile({64, 1 << 20, 512, 1, 132}, true), R7::small) << "half of each wide tile would be empty";
    EXPECT_EQ(r8_mma_sync_columns(cube(4096)), 256);
    EXPECT_EQ(r8_mma_sync_columns(cube(1024)), 128);
}

TEST(HeuristicsSm90, MiddleTilesAreForShortK) {
    EXPECT_EQ(r7_tile({4096, 4096, 256, 1, 132}, false), R7::middle);
    EXPECT_EQ(r7_tile({4096, 4096, 257, 1, 132}, false), R7::wide);
    EXPECT_EQ(r7_tile({4096, 4096, 256, 1, 132}, true), R7::wide) << "which have a kernel for short k";
    EXPECT_EQ(r7_tile({1024, 1024, 256, 4, 132}, false), R7::small) << "256 tiles, not two a multiprocessor";
}

TEST(HeuristicsSm90, WavesOfTilesDecideTheWidth) {
    EXPECT_EQ(r10_fp16x3_columns(cube(8192)), 192);
    EXPECT_EQ(r10_fp16x3_columns({4096, 4096, 4096, 1, 132}), r10_fp16x3_columns({4096, 4096, 64, 1, 132}))
        << "its pipeline costs nothing to fill, so k decides nothing";
    EXPECT_EQ(r10_fp16x1_columns(cube(8192)), 256);
}

TEST(HeuristicsSm90, ADeviceThatCantBeAskedHasOneMultiprocessor) { EXPECT_GT(r10_fp16x3_columns(cube(4096, 1)), 0); }

TEST(HeuristicsSm90, LongRowsAreSplitBeforeTheProduct) {
    EXPECT_EQ(r10_first_columns(2, 8192), 12);
    EXPECT_EQ(r10_first_columns(2, 8193), 0);
}

}  // namespace
}  // namespace tw::cuda::sm90
