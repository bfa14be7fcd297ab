// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include <vector>

#include "measure/basis/statistics.hpp"

namespace tw::measure {
namespace {

using Samples = std::vector<double>;

TEST(Statistics, MedianAndQuantilesLieBetweenNeighbours) {
    EXPECT_DOUBLE_EQ(median(Samples{3, 1, 2}), 2);
    EXPECT_DOUBLE_EQ(median(Samples{4, 1, 2, 3}), 2.5);
    EXPECT_DOUBLE_EQ(quantile(Samples{0, 10}, 0.25), 2.5);
    EXPECT_TRUE(median(Samples{}) != median(Samples{}));
}

TEST(Statistics, IntervalOfTheMedianComesFromTheBinomialTable) {
    // n = 6: 2 / 64 lies outside the whole range, 14 / 64 outside the next: the range itself is the 95 % interval.
    EXPECT_EQ(median_interval(Samples{1, 2, 3, 4, 5, 6}).low, 1);
    // n = 15: the table gives the 4th and the 12th value (96.5 %).
    Samples fifteen;
    for (int i = 1; i <= 15; ++i) fifteen.push_back(i);
    EXPECT_EQ(median_interval(fifteen).low, 4);
    EXPECT_EQ(median_interval(fifteen).high, 12);
    EXPECT_FALSE(interval_is_95(5));
}

TEST(Statistics, SpreadIsRelativeToTheMedian) { EXPECT_DOUBLE_EQ(spread(Samples{8, 9, 10, 11, 12}), 0.1); }

TEST(Statistics, RankTestMatchesTheExactTable) {
    // Complete separation of 4 and 4: 2 of 70 orders are as extreme.
    EXPECT_NEAR(rank_test(Samples{1, 2, 3, 4}, Samples{5, 6, 7, 8}), 2.0 / 70, 1e-12);
    // 3 against 4 with U = 1: orders with U <= 1 are 2 of 35, and twice that.
    EXPECT_NEAR(rank_test(Samples{1, 2, 4}, Samples{3, 5, 6, 7}), 4.0 / 35, 1e-12);
    EXPECT_NEAR(rank_test(Samples{1, 4, 5, 8}, Samples{2, 3, 6, 7}), 1, 1e-12);
}

TEST(Statistics, RankTestHandlesTiesAndLargeSamples) {
    EXPECT_EQ(rank_test(Samples{5, 5, 5}, Samples{5, 5, 5}), 1);
    Samples slow, quick;
    for (int i = 0; i < 40; ++i) slow.push_back(100 + i % 7), quick.push_back(90 + i % 7);
    EXPECT_LT(rank_test(slow, quick), 1e-6);
    EXPECT_GT(rank_test(slow, slow), 0.9);
    EXPECT_EQ(rank_test(slow, Samples{}), 1);
}

TEST(Statistics, GeometricMean) { EXPECT_NEAR(geometric_mean(Samples{0.5, 2, 4}), 1.5874010519682, 1e-12); }

}  // namespace
}  // namespace tw::measure
