// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace tw::measure {
namespace {

std::vector<const Kind*> usual_kinds() {
    std::vector<const Kind*> kinds;
    for (const Kind& kind : every_kind())
        if (kind.is_usual) kinds.push_back(&kind);
    return kinds;
}

TEST(SurveyDraw, ASeedIsAListAndAnotherSeedAnother) {
    const auto once = draw(7, 100, usual_kinds(), device_limits), again = draw(7, 100, usual_kinds(), device_limits),
               other = draw(8, 100, usual_kinds(), device_limits);
    ASSERT_EQ(once.size(), 100u);
    EXPECT_EQ(once, again);
    EXPECT_NE(once, other);
}

TEST(SurveyDraw, KindsAndFamiliesHaveTheirShares) {
    std::map<std::string, int> kinds, families;
    for (const Case& one : draw(3, 1000, usual_kinds(), device_limits)) {
        ++kinds[one.kind->name];
        if (one.kind->name == std::string("bf16")) ++families[one.family];
    }
    for (const Kind* kind : usual_kinds()) EXPECT_EQ(kinds[kind->name], 10 * kind->weight) << kind->name;
    int weights = 0;
    for (const Family& family : every_family()) {
        weights += family.weight;
        EXPECT_NEAR(families[family.name], 3 * family.weight, 1) << family.name;
    }
    EXPECT_EQ(weights, 100) << "so that a weight is a percentage";
}

TEST(SurveyDraw, ThePageSaysTheWeights) {
    std::ifstream file(SURVEY_PAGE);
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    for (const Family& family : every_family()) {
        const std::size_t at = page.find(family.name, page.find("| family |"));
        ASSERT_NE(at, std::string::npos) << family.name;
        const std::string row = page.substr(at, page.find('\n', at) - at);
        const std::string names = page.substr(page.rfind('\n', at) + 1, page.find(" |", at) - page.rfind('\n', at) - 1);
        const auto before =
            std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(names.find(family.name)), ',');
        std::istringstream weights(row.substr(row.find('|') + 1));
        std::string weight;
        for (std::ptrdiff_t i = 0; i <= before; ++i) std::getline(weights, weight, i == before ? '|' : ',');
        EXPECT_EQ(std::stoi(weight), family.weight) << family.name << ": " << row;
    }
}

TEST(SurveyDraw, AKindThatIsNamedAloneHasAllShapes) {
    for (const Case& one : draw(1, 50, {find_kind("f64")}, device_limits)) EXPECT_STREQ(one.kind->name, "f64");
    EXPECT_EQ(find_kind("f8"), nullptr);
}

TEST(SurveyDraw, NoShapeIsBeyondItsLimits) {
    for (const Limits& limits : {device_limits, host_limits})
        for (std::uint64_t seed = 1; seed < 20; ++seed)
            for (const Case& one : draw(seed, 200, usual_kinds(), limits)) {
                EXPECT_LE(lay_out(one).bytes(), 1.2 * limits.bytes) << one.text();  // pitches come on top
                EXPECT_LE(one.operations(), limits.operations * one.kind->most_operations) << one.text();
                EXPECT_GE(std::min({one.m, one.n, one.k, one.products}), 1) << one.text();
            }
}

TEST(SurveyDraw, WhatUsersDoIsThere) {
    int few = 0, many = 0, transposed = 0, columns = 0, beta = 0, pointers = 0, steps = 0, odd = 0, side_by_side = 0;
    for (const Case& one : draw(5, 1000, usual_kinds(), device_limits)) {
        few += one.family == "layers" && one.m <= 64;
        many += one.family == "layers" && one.m >= 1024;
        transposed += one.a.by_columns, columns += one.c.by_columns, beta += one.beta != 0;
        pointers += one.by_pointers, steps += one.is_batch() && !one.by_pointers;
        odd += one.a.pitch % 2 + one.b.offset % 2 > 0;
        side_by_side += one.b.step > 0;
    }
    for (const int count : {few, many, transposed, columns, beta, pointers, steps, odd, side_by_side})
        EXPECT_GE(count, 5);
}

TEST(SurveyDraw, PartsAreTheWholeAndEachHasEveryKind) {
    const auto all = draw(9, 400, usual_kinds(), device_limits);
    std::size_t count = 0;
    for (int part = 1; part <= 3; ++part) {
        const auto some = shard(all, part, 3);
        count += some.size();
        std::map<std::string, int> kinds;
        for (const Case& one : some) ++kinds[one.kind->name];
        EXPECT_EQ(kinds.size(), usual_kinds().size());
        EXPECT_EQ(some.front(), all[static_cast<std::size_t>(part - 1)]);
    }
    EXPECT_EQ(count, all.size());
}

TEST(SurveyDraw, DecodingHasEveryLayerBothWaysRoundForAllTokens) {
    const auto all = decoding({find_kind("bf16")}, device_limits);
    EXPECT_EQ(all.size(), 2u * 5 * 2 * 12);
    int by_columns = 0;
    for (const Case& one : all) by_columns += one.b.by_columns;
    EXPECT_EQ(by_columns, 120);
}

TEST(SurveyCase, SaysWhatIsUnusual) {
    Case one{.kind = find_kind("bf16"), .m = 16, .n = 14336, .k = 4096};
    one.b.by_columns = true;
    EXPECT_EQ(one.text(), "16x14336x4096 NT");
    one.c.pitch = 14339, one.a.offset = 3, one.beta = 0.5, one.products = 8, one.by_pointers = true;
    EXPECT_EQ(one.text(), "16x14336x4096 NT x8 pointers beta 0.5 pitch +0 +0 +3 at 3 0 0");
}

}  // namespace
}  // namespace tw::measure
