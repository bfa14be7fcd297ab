// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/shapes.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tw::measure {
namespace {

using List = std::vector<std::int64_t>;

TEST(Shapes, ListsAndRanges) {
    EXPECT_EQ(parse_list("64,100"), (List{64, 100}));
    EXPECT_EQ(parse_list("8:64:x2"), (List{8, 16, 32, 64}));
    EXPECT_EQ(parse_list("8:70"), (List{8, 16, 32, 64}));
    EXPECT_EQ(parse_list("10:30:+10,20,7"), (List{10, 20, 30, 7}));
    for (const char* wrong :
         {"", "x", "0", "-1", "8:", "8:64:x1", "8:64:+0", "1,,2", "99999999999", "1:1000000:+1", "4096:8:x2", "64,9:8"})
        EXPECT_THROW(parse_list(wrong), std::invalid_argument) << wrong;
    EXPECT_EQ(parse_list("8:8"), List{8}) << "one value is a range";
}

std::string refusal(const std::string& text) {
    try {
        parse_list(text);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(Shapes, SidesAreFrom1ToAMillionAndAtMost4096OfThem) {
    EXPECT_EQ(parse_list("1,1048576"), (List{1, 1048576}));
    EXPECT_EQ(parse_list("1:4096:+1").size(), 4096u);
    EXPECT_EQ(parse_list("5,5,6,5"), (List{5, 6})) << "each once, in the order of writing";
    EXPECT_EQ(parse_list("6:12:3"), (List{6, 9, 12})) << "a step without a sign is added";
    EXPECT_EQ(parse_list("3:12:x2"), (List{3, 6, 12})) << "the last belongs to a range";
    const std::string expected = "expected whole numbers from 1 to 1048576, such as 64,100 or 8:4096:x2; got ";
    EXPECT_EQ(refusal("1048577"), expected + "'1048577'");
    EXPECT_EQ(refusal("7,0"), expected + "'7,0'");
    EXPECT_EQ(refusal("8x"), expected + "'8x'");
    EXPECT_EQ(refusal("1:4097:+1"), "'1:4097:+1' names more than 4096 values");
    EXPECT_EQ(refusal("3,9:8"), "a range must grow, as 8:4096:x2 does; '9:8' in '3,9:8' does not");
    EXPECT_EQ(refusal("9:80:x1"), "a range must grow, as 8:4096:x2 does; '9:80:x1' in '9:80:x1' does not");
}

TEST(Shapes, WhatIsLeftOutFollows) {
    EXPECT_EQ(shapes_of({}, {5}, {}), (std::vector<Shape>{{5, 5, 5}}));
    EXPECT_EQ(shapes_of({}, {}, {6}), (std::vector<Shape>{{6, 6, 6}}));
    EXPECT_EQ(shapes_of({}, {5}, {6}), (std::vector<Shape>{{5, 5, 6}}));
    EXPECT_EQ(shapes_of({4}, {}, {6}), (std::vector<Shape>{{4, 4, 6}}));
    EXPECT_EQ(shapes_of({2, 3}, {}, {}), (std::vector<Shape>{{2, 2, 2}, {3, 3, 3}}));
    EXPECT_EQ(shapes_of({2}, {5, 6}, {7}), (std::vector<Shape>{{2, 5, 7}, {2, 6, 7}}));
}

TEST(Shapes, MixedIsFortyOfAllSuites) {
    EXPECT_EQ(suite("mixed").size(), 40u);
    EXPECT_TRUE(suite("nonsense").empty());
    EXPECT_EQ(suite("square").size(), 6u);
    EXPECT_EQ(suite("small").size(), 8u);
    EXPECT_EQ(suite("skinny").size(), 9u);
    EXPECT_EQ(suite("ragged").size(), 8u);
    EXPECT_EQ(suite("llm").size(), 9u);
    EXPECT_EQ(suite("mixed").front(), (Shape{64, 64, 64}));
    EXPECT_EQ(suite("mixed").back(), (Shape{512, 512, 128}));
}

}  // namespace
}  // namespace tw::measure
