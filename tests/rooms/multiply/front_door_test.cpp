// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include <vector>

#include "tilewright/multiply.hpp"

namespace {

TEST(FrontDoor, MultipliesSmallIntegersExactly) {
    const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{7, 8, 9, 10, 11, 12};
    std::vector<float> c(4, -1);
    tw::multiply(tw::View(a.data(), 2, 3), tw::View(b.data(), 3, 2), tw::View(c.data(), 2, 2));
    EXPECT_EQ(c, (std::vector<float>{58, 64, 139, 154}));
}

TEST(FrontDoor, SaysWhichOperandHasTheWrongShape) {
    std::vector<float> x(6);
    try {
        tw::multiply(tw::View(x.data(), 2, 3), tw::View(x.data(), 2, 3), tw::View(x.data(), 2, 2));
        FAIL() << "a 2x3 by 2x3 product must be refused";
    } catch (const tw::Error& error) {
        EXPECT_EQ(error.status().argument, tw::Argument::b);
        EXPECT_NE(std::string(error.what()).find("B: its rows must be as many as A's columns"), std::string::npos);
    }
}

}  // namespace
