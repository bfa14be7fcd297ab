// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The answer against arithmetic that makes no error at all: whole numbers of 128 bits.
#include "reference/answer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/element.hpp"
#include "reference/fill.hpp"
#include "reference/random.hpp"
#include "support/guarded_matrix.hpp"

namespace {

using namespace tw;
using Whole = __int128;

constexpr double inf = std::numeric_limits<double>::infinity();

/// What value + rest is away from a whole number, in units of that number's size.
double distance(double value, double rest, Whole exact) {
    const auto upper = static_cast<Whole>(value);
    const Whole left = exact - upper;
    return std::fabs((static_cast<double>(left) - rest) / static_cast<double>(exact));
}

TEST(Answer, KeepsTwiceThePrecisionOfF64) {
    constexpr std::int64_t m = 5, n = 13, k = 300;
    std::vector<double> a(m * k), b(k * n);
    reference::Random random(3);
    for (std::vector<double>* each : {&a, &b})
        for (double& x : *each) x = static_cast<double>(random.whole(-(1ll << 53), 1ll << 53));
    const reference::Question question{erase(View(a.data(), m, k)), erase(View(b.data(), k, n))};
    const auto answer = reference::answer(question);
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            Whole exact = 0, magnitude = 0;
            for (std::int64_t p = 0; p < k; ++p) {
                const Whole term = static_cast<Whole>(a[static_cast<std::size_t>(i * k + p)]) *
                                   static_cast<Whole>(b[static_cast<std::size_t>(p * n + j)]);
                exact += term;
                magnitude += term < 0 ? -term : term;
            }
            const std::size_t at = answer.at(static_cast<std::size_t>(i), j);
            EXPECT_LT(distance(answer.value[at], answer.rest[at], exact), 0x1p-90);
            EXPECT_NEAR(answer.magnitude[at] / static_cast<double>(magnitude), 1, 0x1p-44);
        }
}

TEST(Answer, TakesScalarsAsF32WhereOperandsAreNarrower) {
    for (const double scalar : {0.1, 1e-42, 1 / 3.0}) {
        volatile float narrow = static_cast<float>(scalar);
        const double rounded = static_cast<double>(narrow);
        const float one = 1;
        const double wide = 1;
        const Matrix x = erase(View(&one, 1, 1)), y = erase(View(&wide, 1, 1));
        EXPECT_EQ(reference::answer({x, x, x, scalar, 0}).value[0], rounded);
        EXPECT_EQ(reference::answer({x, x, x, 0, scalar}).value[0], rounded);
        EXPECT_EQ(reference::answer({y, y, y, scalar, 0}).value[0], scalar);
    }
}

TEST(Answer, SeesWhatCancels) {
    const std::vector<double> a{0x1p60, 1, -0x1p60, 0x1p-60}, b{1, 1, 1, 1};
    const auto answer = reference::answer({erase(View(a.data(), 1, 4)), erase(View(b.data(), 4, 1))});
    EXPECT_EQ(answer.value[0], 1);
    EXPECT_EQ(answer.rest[0], 0x1p-60);
}

TEST(Answer, ScalesAndAdds) {
    const std::vector<double> a{3}, b{5}, c{7};
    const auto answer = reference::answer(
        {erase(View(a.data(), 1, 1)), erase(View(b.data(), 1, 1)), erase(View(c.data(), 1, 1)), -2, 0.5});
    EXPECT_EQ(answer.value[0], -26.5);
    EXPECT_EQ(answer.magnitude[0], 33.5);
    EXPECT_EQ(answer.reach[0], 33.5);
}

TEST(Answer, WhatTheEpilogueAddsHasAMagnitudeToo) {
    const std::vector<double> a{3}, b{5}, bias{-2}, residual{-7};
    reference::Question question{erase(View(a.data(), 1, 1)), erase(View(b.data(), 1, 1))};
    question.epilogue.scale = -2;
    question.epilogue.bias = bias.data(), question.epilogue.bias_type = Type::f64, question.epilogue.bias_size = 1;
    question.epilogue.residual = erase(View(residual.data(), 1, 1));
    const auto answer = reference::answer(question);
    EXPECT_EQ(answer.value[0], -39);
    EXPECT_EQ(answer.magnitude[0], 39);
}

TEST(Answer, RoundsScalarsAsF32KernelsTakeThem) {
    const std::vector<float> a{1}, b{1};
    const Matrix one = erase(View(a.data(), 1, 1)), other = erase(View(b.data(), 1, 1));
    EXPECT_EQ(reference::answer({one, other, {}, 0.1}).value[0], static_cast<double>(0.1f));
}

TEST(Answer, ReadsNothingThatAlphaOrBetaRuleOut) {
    const test::GuardedMatrix untouchable(Type::f32, 4, 4);  // all NaN
    const std::vector<float> c(16, 3);
    const Matrix c0 = erase(View(c.data(), 4, 4));
    const Matrix nowhere{nullptr, Type::f32, 4, 4, 4};
    EXPECT_EQ(reference::answer({nowhere, nowhere, c0, 0, 2}).value[7], 6);
    EXPECT_EQ(reference::answer({c0, c0, nowhere, 1, 0}).value[7], 36);
    EXPECT_EQ(reference::answer({c0, c0, untouchable, 1, 0}).value[7], 36);
}

TEST(Answer, PutsInfAndNaNWhereTheTermsHaveThem) {
    for (const Type type : {Type::f64, Type::f32, Type::f16, Type::bf16}) {
        const test::GuardedMatrix a(type, 3, 3), b(type, 3, 3);
        reference::fill_with(a, 1);
        reference::fill_with(b, 2);
        store_element(a, 0, 1, inf);
        store_element(b, 1, 2, 0);
        store_element(a, 2, 0, -inf);
        store_element(a, 2, 2, inf);
        const auto answer = reference::answer({a, b});
        EXPECT_EQ(answer.value[0], inf);
        EXPECT_TRUE(std::isnan(answer.value[2])) << "Inf * 0";
        EXPECT_EQ(answer.value[3], 6);
        EXPECT_TRUE(std::isnan(answer.value[6])) << "Inf - Inf";
        EXPECT_TRUE(std::isfinite(answer.reach[0])) << "only finite terms count for overflow";
    }
}

TEST(Answer, MeetsTheEndsOfF64) {
    const double largest = std::numeric_limits<double>::max();
    const std::vector<double> a{largest, -largest, 0x1p1000}, b{0.5, 0.5, 0x1p-1000};
    const auto answer = reference::answer({erase(View(a.data(), 1, 3)), erase(View(b.data(), 3, 1))});
    EXPECT_EQ(answer.value[0], 1);
}

// Where one order of summation overflows and another does not, the answer is the sum.
TEST(Answer, IsFiniteWhereOnlyAPartialSumOverflows) {
    constexpr double most = std::numeric_limits<double>::max();
    const auto value = [](const std::vector<double>& x, const std::vector<double>& y) {
        const auto k = static_cast<std::int64_t>(x.size());
        const reference::Question question{erase(View(x.data(), 1, k)), erase(View(y.data(), k, 1))};
        const auto answer = reference::answer(question);
        EXPECT_FALSE(std::isfinite(answer.reach[0])) << "and a kernel may overflow";
        return answer.value[0];
    };
    EXPECT_EQ(value({most, most, -most}, {1, 1, 1}), most);
    EXPECT_EQ(value({-most, -most, most, 3}, {1, 1, 1, 1}), -most);
    EXPECT_EQ(value({0x1p1000, 0x1p900, -0x1p1000}, {0x1p100, 0x1p110, 0x1p100}), 0x1p1010);
    EXPECT_EQ(value({most, most, -1}, {1, 1, 1}), inf);
    EXPECT_EQ(value({most, 0x1p1000}, {-2, 1}), -inf);
}

TEST(Answer, IsTheSameForAnyThreadsRowsAndSteps) {
    constexpr std::int64_t m = 9, n = 700, k = 40;
    const test::GuardedMatrix a(Type::f64, m, k), b(Type::f64, k, n);
    const test::GuardedMatrix b_columns(Type::f64, k, n, {.columns = true, .padding = 3});
    fill_operands(a, b, reference::Fill::normal, 4);
    fill_operands(a, b_columns, reference::Fill::normal, 4);
    const auto all = reference::answer({a, b});
    EXPECT_EQ(all.value, reference::answer({a, b}, {}, 4).value);
    EXPECT_EQ(all.rest, reference::answer({a, b_columns}, {}, 3).rest);
    const std::vector<std::int64_t> some{8, 2};
    const auto few = reference::answer({a, b}, some);
    EXPECT_EQ(few.value[5], all.value[all.at(8, 5)]);
    EXPECT_EQ(few.value[few.at(1, 699)], all.value[all.at(2, 699)]);
}

}  // namespace
