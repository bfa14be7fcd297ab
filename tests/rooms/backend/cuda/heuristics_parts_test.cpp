// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Into how many parts k is cut, on paper.
#include "backend/cuda/heuristics_parts.hpp"

#include <gtest/gtest.h>

#include "backend/cuda/few/add_parts.hpp"

namespace tw::cuda::parts {
namespace {

TEST(HeuristicsParts, APartBeginsAtSixteenBytesAndLittleIsLeft) {
    for (const std::int64_t k : {513, 1024, 9001, 52081, 500000})
        for (const int granule : {1, 4, 8})
            for (int count = 2; count <= most && length(k, count, granule) > 0; count *= 2) {
                EXPECT_EQ(length(k, count, granule) % granule, 0);
                EXPECT_LE(length(k, count, granule) * count, k);
                EXPECT_LT(k - length(k, count, granule) * count, granule * count) << k << " in " << count;
            }
    EXPECT_EQ(length(1027, 1, 8), 1027) << "all of k is one part";
}

TEST(HeuristicsParts, AThreadAddsSixteenPartsAtMost) {
    for (const std::int64_t side : {8, 100, 1000})
        for (int count = 1; count <= most; count *= 2)
            for (const std::int64_t left : {0, 20, 900}) {
                EXPECT_LE(teams_of(side, side, count, left), std::min(count, 8));
                EXPECT_LE(count / teams_of(side, side, count, left), 16);
            }
    EXPECT_EQ(teams_of(1000, 1000, 8, 0), 1) << "elements enough for a chip";
    EXPECT_EQ(teams_of(1000, 1000, 8, 100), 8) << "but a long rest";
    EXPECT_EQ(teams_of(16, 51, 8, 0), 8);
}

TEST(HeuristicsParts, ShapesOfBatchesAndOfAttentionStayWhole) {
    for (const auto& [m, n, k] : {std::tuple{512, 512, 512},
                                  {16, 16, 512},
                                  {1024, 128, 1024},
                                  {128, 2048, 2048},
                                  {2048, 2048, 128},
                                  {1000, 80, 1000}})
        EXPECT_TRUE(may_be_many(m, n, k)) << m << 'x' << n << 'x' << k;
    for (const auto& [m, n, k] :
         {std::tuple{128, 128, 1152}, {36, 1024, 1024}, {53, 4096, 4096}, {640, 640, 640}, {16, 16, 513}})
        EXPECT_FALSE(may_be_many(m, n, k)) << m << 'x' << n << 'x' << k;
}

TEST(HeuristicsParts, TheQuickestCountIsTakenAndNoPartIsShort) {
    double least = -1;
    const auto count_for = [&](std::int64_t k, double start) {
        return quickest(40, 40, k, 8, [&](std::int64_t l, int) { return start + static_cast<double>(l) * 30; }, least);
    };
    EXPECT_EQ(count_for(1024000, 1000), most) << "each part more is quicker";
    EXPECT_GT(least, 0);
    EXPECT_EQ(count_for(600, 1000), 8) << "64 of k are the least: 600 / 8 is 75";
    EXPECT_EQ(count_for(400, 1000), 1);
    EXPECT_EQ(least, 0) << "whole";
    const auto short_step = [](std::int64_t l, int) { return 1000 + static_cast<double>(l) * 2; };
    EXPECT_EQ(quickest(16, 51, 48768, 8, short_step, least), 64) << "128 of them would leave 640 of k";
}

}  // namespace
}  // namespace tw::cuda::parts
