// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/survey/changes.hpp"
#include "measure/survey/grid.hpp"
#include "measure/survey/survey_json.hpp"

namespace tw::measure {
namespace {

/// Ours takes a millisecond, the peer so many.
Outcome outcome(const char* kind, double ratio, std::int64_t m = 1) {
    Outcome one{.kernel = "a kernel", .peer = "a peer", .seconds = {1e-3}, .peer_seconds = {ratio * 1e-3}};
    one.what = {.kind = find_kind(kind), .family = "layers", .m = m, .n = 2, .k = 3};
    return one;
}

TEST(SurveyTable, KnownRatiosHaveKnownSharesAndMeans) {
    const auto lines = lines_by_kind(
        {outcome("f32", 4), outcome("bf16", 0.5), outcome("bf16", 0.95), outcome("bf16", 0.8), outcome("bf16", 2)});
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].name, "bf16");
    EXPECT_EQ(lines[0].count, 4);
    EXPECT_DOUBLE_EQ(lines[0].at_95, 0.5);
    EXPECT_DOUBLE_EQ(lines[0].at_80, 0.75);
    EXPECT_NEAR(lines[0].geometric_mean, std::pow(0.5 * 0.95 * 0.8 * 2, 0.25), 1e-12);
    EXPECT_DOUBLE_EQ(lines[0].least, 0.5);
    EXPECT_DOUBLE_EQ(lines[1].geometric_mean, 4);
}

TEST(SurveyTable, MediansMakeTheRatio) {
    Outcome one = outcome("f32", 1);
    one.seconds = {1, 3, 2}, one.peer_seconds = {100, 4, 1};
    EXPECT_DOUBLE_EQ(one.ratio(), 2);
}

TEST(SurveyTable, WhatFailedHasNoRatioAndIsTold) {
    Outcome wrong = outcome("f32", 1);
    wrong.seconds = {}, wrong.is_wrong = true, wrong.trouble = "an element of C was not written";
    const std::vector<Outcome> all{wrong, outcome("f32", 2)};
    EXPECT_EQ(lines_by_kind(all)[0].count, 1);
    const std::string text = table_of(all);
    EXPECT_NE(text.find("Not timed:"), std::string::npos) << text;
    EXPECT_NE(text.find("WRONG: an element of C was not written"), std::string::npos) << text;
}

TEST(SurveyTable, FamiliesComeInTheOrderOfTheirNamesEachOnce) {
    std::vector<Outcome> all(4, outcome("f32", 2));
    all[0].what.family = "thin", all[1].what.family = "attention", all[2].what.family = "layers";
    const std::string whole = table_of(all);
    const std::size_t from = whole.find("geometric means");
    const std::string text = whole.substr(from, whole.find("\n\n", from) + 1 - from);
    std::vector<std::string> rows;
    for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1)
        rows.push_back(text.substr(at, text.find(' ', at) - at));
    EXPECT_EQ(rows, (std::vector<std::string>{"attention", "layers", "thin"})) << text;
    EXPECT_NE(text.find("2.00 of   2"), std::string::npos) << text;
}

TEST(SurveyTable, TheWorstComeFirstAndNoMoreThanTwenty) {
    std::vector<Outcome> all;
    for (int i = 1; i <= 30; ++i) all.push_back(outcome("f32", 1.0 / i, i));
    const std::string text = table_of(all), worst = text.substr(text.find("The worst:"));
    EXPECT_LT(worst.find("30x2x3"), worst.find("29x2x3")) << worst;
    EXPECT_NE(worst.find(" 11x2x3"), std::string::npos);
    EXPECT_EQ(worst.find(" 10x2x3"), std::string::npos);
}

TEST(SurveyTable, DecodingIsAGridOfTokensAndLayers) {
    std::vector<Outcome> all{outcome("bf16", 0.91, 16), outcome("bf16", 0.42, 33), outcome("f32", 3.14, 16)};
    all[0].what.family = "8B o", all[1].what.family = "70B head", all[2].what.family = "8B o";
    all[0].what.b.by_columns = all[1].what.b.by_columns = true;
    ASSERT_TRUE(is_decoding(all));
    EXPECT_FALSE(is_decoding({outcome("f32", 1)}));
    const std::string text = grids_of(all);
    for (const char* part : {"bf16 NT", "f32 NN", "0.91", "0.42", "3.14", "70B head"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    EXPECT_EQ(text.find("bf16 NN"), std::string::npos) << text;
    EXPECT_NE(table_of(all).find("bf16 NT"), std::string::npos);
}

TEST(SurveyTable, AFileBringsBackWhatWasWritten) {
    Outcome one = outcome("tf32", 0.7);
    one.what.a = {.by_columns = true, .pitch = 99, .step = 7, .offset = 3};
    one.what.beta = 0.5, one.what.products = 4, one.what.by_pointers = true;
    one.is_recorded = true, one.error_over_bound = 0.25, one.trouble = "a \"sentence\"";
    const auto back = outcomes_from_json(to_json({}, {one, outcome("bf16", 1)}));
    ASSERT_EQ(back.size(), 2u);
    EXPECT_EQ(back[0].what, one.what);
    EXPECT_EQ(back[0].seconds, one.seconds);
    EXPECT_EQ(back[0].peer_seconds, one.peer_seconds);
    EXPECT_EQ(back[0].trouble, one.trouble);
    EXPECT_TRUE(back[0].is_recorded);
    EXPECT_THROW(outcomes_from_json("{}"), std::runtime_error);
    EXPECT_THROW(outcomes_from_json("{\"survey\": [{\"kind\": \"bf16\"}]}"), std::runtime_error);
    EXPECT_THROW(outcomes_from_json("{\"survey\": [{\"kind\": \"f8\"}]}"), std::runtime_error);
}

TEST(SurveyTable, ChangesAreOfTheSameShapesAlone) {
    std::vector<Outcome> before{outcome("f32", 1, 1), outcome("f32", 1, 2), outcome("f32", 1, 3)}, now = before;
    now[0].seconds = {2e-3}, now[1].seconds = {0.5e-3}, now[2].what.beta = 0.5;
    const auto found = changes(now, before);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_DOUBLE_EQ(found[0].ratio(), 0.5);
    EXPECT_DOUBLE_EQ(found[1].ratio(), 2);
    const std::string text = text_of(found);
    EXPECT_NE(text.find("1 slower"), std::string::npos) << text;
    EXPECT_NE(text.find("1 quicker"), std::string::npos) << text;
    EXPECT_NE(text.find("2 shapes, 1.000x"), std::string::npos) << text;
}

}  // namespace
}  // namespace tw::measure
