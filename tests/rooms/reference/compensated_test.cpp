// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Numbers of two parts: the small parts of both operands count.
#include "reference/compensated.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using tw::reference::add, tw::reference::multiply, tw::reference::Twice;

void expect_equal(const Twice& got, double hi, double lo) {
    EXPECT_EQ(got.hi, hi);
    EXPECT_EQ(got.lo, lo);
}

TEST(Twice, SumsHaveTheSmallPartsOfBoth) {
    expect_equal(add({1, 0x1p-60}, {2, 0x1p-61}), 3, 0x1.8p-60);
    expect_equal(add({1, 0x1p-60}, {2, -0x1p-61}), 3, 0x1p-61);
    expect_equal(add({1, -0x1p-62}, {0x1p-60, 0x1p-120}), 1, 0x1.8p-61);
    expect_equal(add({1, 0x1p-60}, {-1, 0x1p-60}), 0x1p-59, 0);
    constexpr double inf = std::numeric_limits<double>::infinity();
    expect_equal(add({inf, 0}, {1, 0x1p-60}), inf, 0);
}

TEST(Twice, ProductsHaveTheSmallPartToo) {
    expect_equal(multiply(3, {1, 0x1p-60}), 3, 0x1.8p-59);
    expect_equal(multiply(1 + 0x1p-52, {1 + 0x1p-52, 0x1p-60}), 1 + 0x1p-51, 0x1p-60 + 0x1p-104 + 0x1p-112);
    constexpr double inf = std::numeric_limits<double>::infinity();
    expect_equal(multiply(2, {inf, 0}), inf, 0);
}

}  // namespace
