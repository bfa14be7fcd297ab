// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How few rows' weights are cut, on paper: an H200's 132 multiprocessors, and other numbers of them.
#include "backend/cuda/heuristics_few_rows.hpp"

#include <gtest/gtest.h>

#include "backend/cuda/few/wide_shares.hpp"

namespace tw::cuda::few {
namespace {

TEST(HeuristicsFewRows, TilesKeepTheMultiprocessorsEquallyBusy) {
    EXPECT_EQ(height_along_k(4096, 132), 32) << "128 tiles, one each";
    EXPECT_EQ(height_along_k(8192, 132), 64);
    EXPECT_EQ(height_along_k(14336, 132), 56) << "256 tiles, two each";
    EXPECT_EQ(height_along_k(11008, 132), 48) << "230 tiles; 1376 of 8 rows would be eleven chains, one by one";
    EXPECT_EQ(busiest(14336, 56, 132), 112);
    EXPECT_EQ(busiest(14336, 64, 132), 128);
}

TEST(HeuristicsFewRows, ATileIsEightRowsToTheUnitsSixtyFour) {
    for (std::int64_t n : {1, 7, 8, 9, 1000, 4096, 128256, 1 << 30})
        for (int multiprocessors : {1, 60, 114, 132}) {
            const int height = height_along_k(n, multiprocessors);
            EXPECT_TRUE(height >= 8 && height <= 64 && height % 8 == 0) << n << ' ' << multiprocessors;
        }
}

TEST(HeuristicsFewRows, ALongProductHasALongRing) {
    EXPECT_LT(stages_of(10240, 32 << 20), stages_of(10240, 200 << 20));
    EXPECT_EQ(stages_of(1 << 20, 1), 2) << "fewer are no ring";
}

TEST(HeuristicsFewRows, WideSharesCoverKAndFillTheChip) {
    for (const std::int64_t rows : {1, 33, 1000, 4096, 50000})
        for (const std::int64_t k : {1, 31, 4096, 300001})
            for (const std::size_t size : {8, 16})
                for (const bool along : {true, false}) {
                    const WideShares by = wide_shares(7, rows, k, along, size);
                    EXPECT_GE(std::int64_t{by.parts} * by.length, k);
                    EXPECT_LT(std::int64_t{by.parts - 1} * by.length, k) << "a part without work";
                    EXPECT_EQ(wide_warps % by.groups, 0);
                    EXPECT_EQ(by.parts & (by.parts - 1), 0);
                }
    EXPECT_EQ(wide_shares(1, 4096, 4096, true, 8).parts, 1) << "the chip is full";
    EXPECT_GT(wide_shares(1, 64, 100000, false, 8).parts, 8) << "two blocks are not";
    EXPECT_EQ(wide_shares(8, 4096, 4096, true, 8).passes, 1);
    EXPECT_EQ(wide_shares(8, 4096, 4096, true, 16).passes, 2);
}

}  // namespace
}  // namespace tw::cuda::few
