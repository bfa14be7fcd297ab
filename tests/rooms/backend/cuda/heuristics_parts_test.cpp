// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Into how many parts k is cut, on paper.
#include "backend/cuda/heuristics_parts.hpp"

#include <gtest/gtest.h>

namespace tw::cuda::parts {
namespace {

TEST(HeuristicsParts, APartBeginsAtSixteenBytesAndLittleIsLeft) {
    for (const std::int64_t k : {513, 1024, 9001, 52081, 500000})
        for (int count = 2; count <= most && length(k, count) > 0; count *= 2) {
            EXPECT_EQ(length(k, count) % 8, 0);
            EXPECT_LE(length(k, count) * count, k);
            EXPECT_LT(k - length(k, count) * count, 8 * count) << k << " in " << count;
        }
    EXPECT_EQ(length(1027, 1), 1027) << "all of k is one part";
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
        return quickest(40, 40, k, [&](std::int64_t l, int) { return start + static_cast<double>(l) * 30; }, least);
    };
    EXPECT_EQ(count_for(1000000, 1000), most) << "each part more is quicker";
    EXPECT_GT(least, 0);
    EXPECT_EQ(count_for(600, 1000), 8) << "64 of k are the least: 600 / 8 is 75";
    EXPECT_EQ(count_for(400, 1000), 1);
    EXPECT_EQ(least, 0) << "whole";
}

}  // namespace
}  // namespace tw::cuda::parts
