// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How few rows' weights are cut, on paper: an H200's 132 multiprocessors, and other numbers of them.
#include "backend/cuda/heuristics_few_rows.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tw::cuda::few
