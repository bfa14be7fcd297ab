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

/// Five values from `middle` on, so close together that their spread is nothing.
std::vector<double> five_at(double middle) {
    return {middle, middle + 1e-9, middle + 2e-9, middle + 3e-9, middle + 4e-9};
}

TEST(Compare, FiveSamplesAndTwoPercentAreTheLeast) {
    EXPECT_EQ(compare(five_at(1), five_at(1.021)).verdict, Verdict::quicker);
    EXPECT_EQ(compare(five_at(1), five_at(1.019)).verdict, Verdict::same);
    EXPECT_EQ(compare(five_at(1), five_at(0.979)).verdict, Verdict::slower);
    EXPECT_EQ(compare(five_at(1), five_at(0.981)).verdict, Verdict::same);
    std::vector<double> four = five_at(2);
    four.pop_back();
    EXPECT_EQ(compare(five_at(1), four).verdict, Verdict::unclear);
    EXPECT_EQ(compare(four, five_at(1)).verdict, Verdict::unclear);
    EXPECT_NEAR(compare(four, five_at(1)).ratio, 0.5, 1e-8) << "what it looks like is said all the same";
    EXPECT_NEAR(compare(five_at(1), five_at(2)).probability, 2.0 / 252, 1e-12);
    EXPECT_EQ(compare({1}, {}).ratio, 1);
}

TEST(Compare, ADifferenceWithinTheSpreadOfEitherIsNone) {
    const std::vector<double> wide{0.9, 0.95, 1.0, 1.05, 1.1, 0.9001, 1.0999, 0.9002, 1.0998, 0.9003, 1.0997};
    EXPECT_EQ(compare(wide, five_at(1.11)).verdict, Verdict::quicker) << "beyond half of the middle's width";
    EXPECT_EQ(compare(five_at(1.09), wide).verdict, Verdict::same);
    EXPECT_EQ(compare(wide, five_at(1.09)).verdict, Verdict::same);
}

TEST(Compare, TheSentencesSayWhatWasFound) {
    EXPECT_EQ(sentence_of({Verdict::quicker, 1.234, 0.0012}), "1.23x, quicker (p 0.001)");
    EXPECT_EQ(sentence_of({Verdict::slower, 0.5, 0.004}), "0.50x, slower (p 0.004)");
    EXPECT_EQ(sentence_of({Verdict::same, 0.98, 0.4}), "0.98x, no difference beyond noise");
    EXPECT_EQ(sentence_of({}), "1.00x, too noisy to tell");
}

Row row_of(const char* kernel) {
    return {.provider = "tilewright",
            .device = "cpu",
            .kernel = kernel,
            .type = "f32",
            .accuracy = "fp32",
            .m = 7,
            .n = 8,
            .k = 9,
            .seconds = around(1, 0.01)};
}

TEST(Compare, EachPartOfTheQuestionMustBeTheSame) {
    const std::vector<Row> now{row_of("cpu.a")};
    const auto pairs_with = [&](auto&& change) {
        Row old = row_of("cpu.a");
        change(old);
        return against_baseline(now, {old}).size();
    };
    EXPECT_EQ(pairs_with([](Row&) {}), 1u);
    EXPECT_EQ(pairs_with([](Row& row) { row.m = 1; }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.n = 1; }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.k = 1; }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.products = 2; }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.type = "f64"; }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.threads = 2; }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.provider = "another"; }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.device = "cuda"; }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.accuracy = "tf32"; }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.seconds.clear(); }), 0u);
    EXPECT_EQ(pairs_with([](Row& row) { row.times_mean_nothing = true; }), 0u);
    Row untimed = row_of("cpu.a");
    untimed.seconds.clear();
    EXPECT_TRUE(against_baseline({untimed}, now).empty());
}

TEST(Compare, AmongSeveralTheKernelDecidesByItsNameOrAFormerOne) {
    const Row now = row_of("cpu.r1_naive.f32");
    const std::vector<Row> old{row_of("cpu.another"), row_of("cpu.r1_naive.f32"), row_of("cpu.a_third")};
    const std::vector<Row> rows{now};
    const auto pairs = against_baseline(rows, old);
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].now, &rows[0]);
    EXPECT_EQ(pairs[0].before, &old[1]);
    const std::vector<Row> strangers{row_of("cpu.another"), row_of("cpu.a_third")};
    EXPECT_TRUE(against_baseline(rows, strangers).empty());
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
