// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include <cmath>
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

// The table that textbooks print: for each number of samples, which one from the end bounds the 95 % interval.
TEST(Statistics, IntervalsAgreeWithThePrintedTableFrom1To32Samples) {
    constexpr int rank[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3,  3,  4, 4,
                            5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 8, 9, 9, 10, 10, 10};
    Samples samples;
    for (int n = 1; n <= 32; ++n) {
        samples.insert(samples.begin(), n);
        const Interval interval = median_interval(samples);
        EXPECT_EQ(interval.low, rank[n]) << n << " samples";
        EXPECT_EQ(interval.high, n + 1 - rank[n]) << n << " samples";
        EXPECT_EQ(interval_is_95(samples.size()), n >= 6);
    }
    const Interval of_none = median_interval(Samples{});
    EXPECT_TRUE(std::isnan(of_none.low) && std::isnan(of_none.high));
    EXPECT_TRUE(std::isnan(median(Samples{})) && std::isnan(geometric_mean(Samples{})));
}

TEST(Statistics, QuantilesAtTheEndsAreTheEnds) {
    const Samples samples{7, 3, 5};
    EXPECT_EQ(quantile(samples, 0), 3);
    EXPECT_EQ(quantile(samples, 1), 7);
    EXPECT_EQ(quantile(samples, 0.75), 6);
    EXPECT_EQ(quantile(Samples{4}, 0.3), 4);
}

// Exact up to 20 of each; beyond, and with ties, the normal approximation. Values from the formulas, worked elsewhere.
TEST(Statistics, TheRankTestIsExactUpToTwentyWithoutTies) {
    Samples whole, halves;
    for (int i = 0; i < 20; ++i) whole.push_back(i), halves.push_back(i + 5.5);
    EXPECT_NEAR(rank_test(whole, halves), 0.009483607191205005, 1e-14);
    EXPECT_NEAR(rank_test(halves, whole), 0.009483607191205005, 1e-14);
    whole.push_back(20);
    EXPECT_NEAR(rank_test(whole, halves), 0.019577853822259655, 1e-14);
    whole.pop_back();
    halves.push_back(25.5);
    EXPECT_NEAR(rank_test(whole, halves), 0.006419021853513674, 1e-14);
    EXPECT_NEAR(rank_test(Samples{1, 2, 2, 3}, Samples{2, 4, 5, 6}), 0.1037536775209857, 1e-14);
    EXPECT_EQ(rank_test(Samples{}, Samples{1}), 1);
}

TEST(Statistics, GeometricMean) { EXPECT_NEAR(geometric_mean(Samples{0.5, 2, 4}), 1.5874010519682, 1e-12); }

}  // namespace
}  // namespace tw::measure
