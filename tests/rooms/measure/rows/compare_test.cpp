// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/rows/compare.hpp"

#include <gtest/gtest.h>

namespace tw::measure {
namespace {

std::vector<double> around(double middle, double noise, int count = 12) {
    std::vector<double> samples;
    for (int i = 0; i < count; ++i) samples.push_back(middle * (1 + noise * ((i * 7) % 11 - 5) / 5));
    return samples;
}

TEST(Compare, AClearDifferenceIsSaid) {
    EXPECT_EQ(compare(around(1, 0.02), around(1.2, 0.02)).verdict, Verdict::quicker);
    EXPECT_EQ(compare(around(1.2, 0.02), around(1, 0.02)).verdict, Verdict::slower);
    EXPECT_NEAR(compare(around(1, 0.02), around(1.2, 0.02)).ratio, 1.2, 0.01);
}

TEST(Compare, NoiseIsNotADifference) {
    EXPECT_EQ(compare(around(1, 0.05), around(1.01, 0.05)).verdict, Verdict::same);
    EXPECT_EQ(compare(around(1, 0.8), around(1.1, 0.8)).verdict, Verdict::unclear);
    EXPECT_EQ(compare({1, 1, 1}, {2, 2, 2}).verdict, Verdict::unclear) << "three samples prove nothing";
    EXPECT_EQ(compare({}, {1}).verdict, Verdict::unclear);
}

TEST(Compare, ABaselineIsMatchedByQuestion) {
    Row now;
    now.provider = "tilewright";
    now.kernel = "cpu.a";
    now.m = now.n = now.k = 8;
    now.type = "f32";
    now.seconds = around(1, 0.01);
    Row before = now, other = now;
    before.seconds = around(0.5, 0.01);
    before.kernel = "cpu.b";
    other.m = 9;
    const std::vector<Row> rows{now}, old{before, other};
    const auto pairs = against_baseline(rows, old);
    ASSERT_EQ(pairs.size(), 1u) << "multiply() may have chosen another kernel then";
    EXPECT_EQ(pairs[0].comparison.verdict, Verdict::slower);
}

}  // namespace
}  // namespace tw::measure
