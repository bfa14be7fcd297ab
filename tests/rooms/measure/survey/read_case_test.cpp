// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the survey prints of a shape is read again.
#include "measure/survey/read_case.hpp"

#include <gtest/gtest.h>

#include "measure/survey/draw.hpp"

namespace tw::measure {
namespace {

TEST(SurveyReadCase, EveryDrawnShapeIsReadFromItsOwnWords) {
    std::vector<const Kind*> kinds;
    for (const Kind& kind : every_kind()) kinds.push_back(&kind);
    for (const Case& drawn : draw(5, 500, kinds, device_limits)) {
        Case read;
        std::string trouble;
        const std::string words = drawn.kind->name + (" " + drawn.text());
        ASSERT_TRUE(read_case(words, read, trouble)) << words << ": " << trouble;
        EXPECT_EQ(read.text(), drawn.text());
        EXPECT_EQ(read.kind, drawn.kind);
    }
}

TEST(SurveyReadCase, ALineOfATableMayStandWhole) {
    Case read;
    std::string trouble;
    ASSERT_TRUE(read_case(
        "  12 f16              2337x1183x46 NN beta -0.25     0.57g    14.9 us     8.6 us  17051.3 GFLOP/s a, b", read,
        trouble))
        << trouble;
    EXPECT_EQ(read.text(), "2337x1183x46 NN beta -0.25");
    EXPECT_EQ(read.kind->name, std::string("f16"));
}

TEST(SurveyReadCase, WhatIsNoShapeIsRefusedWithASentence) {
    const std::pair<const char*, const char*> lines[] = {
        {"f8 1x2x3 NN", "expected a type, such as bf16 or tf32; got 'f8'"},
        {"f32", "expected a shape, such as 208x4096x4096; got ''"},
        {"f32 1x2 NN", "expected a shape, such as 208x4096x4096; got '1x2'"},
        {"f32 1x2x0 NN", "expected a shape, such as 208x4096x4096; got '1x2x0'"},
        {"f32 1x2x99999999999 NN", "expected a shape, such as 208x4096x4096; got '1x2x99999999999'"},
        {"f32 1x2x3 NX", "expected NN, NT, TN or TT; got 'NX'"},
        {"f32 1x2x3 NN x1", "expected x and the number of products; got 'x1'"},
        {"f32 1x2x3 NN pointers", "expected x512, pointers, C^T, beta, pitch or at; got 'pointers'"},
        {"f32 1x2x3 NN beta", "expected a number behind beta; got ''"},
        {"f32 1x2x3 NN pitch +1 +2", "expected three numbers behind pitch, such as +1 +0 +3"},
        {"f32 1x2x3 NN at 1 2 x", "expected three numbers behind at, such as 0 2 6"}};
    for (const auto& [line, sentence] : lines) {
        Case read;
        std::string trouble;
        EXPECT_FALSE(read_case(line, read, trouble)) << line;
        EXPECT_EQ(trouble, sentence) << line;
    }
}

}  // namespace
}  // namespace tw::measure
