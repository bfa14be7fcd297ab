// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tilewright/batch.hpp"
#include "tilewright/multiply.hpp"
#include "tilewright/packed.hpp"
#include "tilewright/plan.hpp"

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

// What is no accuracy as a word is none as a number, by whatever door it comes.
TEST(FrontDoor, RefusesNumbersThatAreNoAccuracy) {
    std::vector<float> x(4, 2), y(4, 7);
    const tw::Matrix a = erase(tw::View(x.data(), 2, 2)), c = erase(tw::View(y.data(), 2, 2));
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const double number : {0.0, -0.0, -1e-3, infinite, -infinite, std::numeric_limits<double>::quiet_NaN()}) {
        const tw::Options options{.accuracy = number};
        tw::Plan plan;
        tw::Packed packed;
        const tw::Status told[] = {
            tw::try_multiply(a, a, c, options), tw::try_multiply_batch(a, a, c, {.size = 1}, options),
            tw::try_plan(tw::problem_of(a, a, c, options), options, plan), tw::try_pack(a, packed, options)};
        for (const tw::Status& status : told) {
            EXPECT_EQ(status.code, tw::Code::bad_argument) << number;
            EXPECT_EQ(status.argument, tw::Argument::options) << number;
            EXPECT_NE(tw::explain(status, a, a, c, options).find("the accuracy is no name of the dial and no positive"),
                      std::string::npos)
                << tw::explain(status, a, a, c, options);
        }
        EXPECT_EQ(y, std::vector<float>(4, 7));
    }
    EXPECT_TRUE(tw::try_multiply(a, a, c, {.accuracy = 1e300}));
    EXPECT_EQ(y, std::vector<float>(4, 8));
}

}  // namespace
