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

TEST(HeuristicsSm90, DoublesTakeLargeTilesWhereTheirWavesAreFull) {
    EXPECT_EQ(r8_dmma_side(cube(4096)), 128);
    EXPECT_EQ(r8_dmma_side(cube(1024)), 64) << "64 large tiles for 132 multiprocessors, or 256 middle ones";
    EXPECT_EQ(r8_dmma_side(cube(288)), 32);
    EXPECT_EQ(r8_dmma_side({64, 1 << 20, 512, 1, 132}), 64) << "half of each large tile would be empty";
    EXPECT_EQ(r8_dmma_side({16, 4096, 4096, 1, 132}), 32);
    EXPECT_EQ(r8_dmma_side({512, 512, 512, 64, 132}), 128) << "64 products fill the device";
}

TEST(HeuristicsSm90, WavesOfTilesDecideTheWidth) {
    EXPECT_EQ(r10_fp16x3_columns(cube(8192)), 192);
    EXPECT_EQ(r10_fp16x3_columns({4096, 4096, 4096, 1, 132}), r10_fp16x3_columns({4096, 4096, 64, 1, 132}))
        << "its pipeline costs nothing to fill, so k decides nothing";
    EXPECT_EQ(r10_fp16x1_columns(cube(8192)), 256);
}

TEST(HeuristicsSm90, ADeviceThatCantBeAskedHasOneMultiprocessor) {
    EXPECT_TRUE(r9_possible({}, r9_tile(cube(4096, 1), {}, false)));
    EXPECT_GT(r10_fp16x3_columns(cube(4096, 1)), 0);
}

TEST(HeuristicsSm90, R9TakesWideLevelAndThinTilesWhereTheyBelong) {
    EXPECT_EQ(r9_tile(cube(8192), {}, false), (Tile{128, 256, 8}));
    const Tile few = r9_tile({32, 14336, 4096, 1, 132}, {}, true);
    EXPECT_EQ(few.m, 64) << "two thirds of a higher tile would be empty";
    EXPECT_LE(few.k, 0) << "no two rows of tiles share anything";
    EXPECT_EQ(r9_tile(cube(256), {}, false).k, -1) << "thin tiles, for the others are too few";
}

TEST(HeuristicsSm90, WhatR9ChoosesIsPossible) {
    for (const bool a_across : {false, true})
        for (const bool b_across : {false, true})
            for (const bool is_f32 : {false, true})
                for (const bool by_group : {false, true})
                    for (const std::int64_t m : {1, 17, 64, 65, 129, 1000, 9000})
                        for (const std::int64_t n : {1, 40, 1000, 50257})
                            for (const std::int64_t k : {1, 64, 1000, 100000}) {
                                if (is_f32 && (a_across || b_across)) continue;
                                const R9Operands o{a_across, b_across, is_f32, by_group};
                                const Tile tile = r9_tile({m, n, k, 1, 132}, o, false);
                                EXPECT_TRUE(r9_possible(o, tile)) << tile.m << ' ' << tile.n << ' ' << tile.k;
                            }
}

/// Else a batch would not have the bits of its products one at a time.
TEST(HeuristicsSm90, PartsOfKFollowFromOneProductsShape) {
    const Sizes long_k{64, 64, 100000, 1, 132};
    const int parts = r9_parts(long_k, {});
    EXPECT_GT(parts, 1);
    Sizes many = long_k, little_chip = long_k;
    many.products = 500, little_chip.multiprocessors = 20;
    EXPECT_EQ(r9_parts(many, {}), parts);
    EXPECT_EQ(r9_parts(little_chip, {}), parts);
    EXPECT_EQ(r9_parts(long_k, {.a_across = true, .b_across = true, .c_by_group = false, .adds = true}), parts);
    EXPECT_EQ(-r9_tile(many, {.b_across = true}, false).k, parts);
    EXPECT_GE(r9_tile(long_k, {}, true).k, -1) << "one order: nothing is cut";
    EXPECT_EQ(r9_parts(cube(4096), {}), 1);
    EXPECT_EQ(r9_parts(long_k, {.is_f32 = true}), 1);
}

TEST(HeuristicsSm90, AStageFitsBesideTheOthers) {
    for (const int rows : {88, 128, 256, 384})
        for (const int blocks : {1, 2})
            EXPECT_LE(blocks * (r9_stages(rows, 0, blocks) * (rows * 128 + 16) + 2048), 233472) << rows;
    EXPECT_GE(r9_stages(384, 32768, 1), 3);
}

TEST(HeuristicsSm90, LongRowsAreSplitBeforeTheProduct) {
    EXPECT_EQ(r10_first_columns(2, 8192), 12);
    EXPECT_EQ(r10_first_columns(2, 8193), 0);
}

}  // namespace
}  // namespace tw::cuda::sm90
