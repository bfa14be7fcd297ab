// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/shapes.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

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

TEST(Shapes, WhatIsLeftOutFollows) {
    EXPECT_EQ(shapes_of({2, 3}, {}, {}), (std::vector<Shape>{{2, 2, 2}, {3, 3, 3}}));
    EXPECT_EQ(shapes_of({2}, {5, 6}, {7}), (std::vector<Shape>{{2, 5, 7}, {2, 6, 7}}));
}

TEST(Shapes, MixedIsFortyOfAllSuites) {
    EXPECT_EQ(suite("mixed").size(), 40u);
    EXPECT_TRUE(suite("nonsense").empty());
}

}  // namespace
}  // namespace tw::measure
