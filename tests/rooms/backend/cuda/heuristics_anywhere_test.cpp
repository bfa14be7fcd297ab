// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How few_rows_anywhere cuts a product, on paper.
#include "backend/cuda/heuristics_anywhere.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace tw::cuda::anywhere {
namespace {

TEST(HeuristicsAnywhere, TilesAndPartsAreThoseThatTheKernelHas) {
    for (const std::int64_t few : {1, 16, 33, 100, 512})
        for (const std::int64_t rows : {64, 1001, 50257, 1 << 24})
            for (const std::int64_t k : {64, 767, 100001})
                for (const int size : {2, 4})
                    for (const bool along : {false, true}) {
                        const int products = size == 4 ? 3 : 1;
                        const Cutting cut = cutting(few, rows, k, size, products, along);
                        EXPECT_TRUE(cut.height % 16 == 0 && cut.height >= 64 && cut.height <= 128) << cut.height;
                        EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(cut.sums())) &&
                                    cut.sums() <= parts::most);
                        EXPECT_TRUE(cut.parts == 1 || over(k, 128 / size) / cut.parts >= 4) << "no part is short";
                        EXPECT_GT(nanoseconds(few, rows, k, size, products, along, cut), 0);
                    }
}

TEST(HeuristicsAnywhere, ALongProductOfFewTilesIsCutIntoMoreParts) {
    EXPECT_GE(cutting(17, 293, 12433, 4, 1, true).parts, 16);
    EXPECT_LE(cutting(2, 128257, 4096, 2, 1, false).parts, 4);
}

/// 40 tiles, of 132 multiprocessors.
TEST(HeuristicsAnywhere, PartsFillOneWave) { EXPECT_EQ(cutting(128, 5120, 13824, 4, 3, true).parts, 3); }

TEST(HeuristicsAnywhere, AStageIsDeepAlongKUnlessItsFewRowsFillIt) {
    EXPECT_EQ(halves_of(true, 128, 2), 2);
    EXPECT_EQ(halves_of(true, 64, 4), 2);
    EXPECT_EQ(halves_of(true, 128, 4), 1);
    EXPECT_EQ(halves_of(false, 32, 2), 1);
}

}  // namespace
}  // namespace tw::cuda::anywhere
