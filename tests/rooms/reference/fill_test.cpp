// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The operands that find faults are what they say.
#include "reference/fill.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/element.hpp"
#include "reference/answer.hpp"
#include "reference/random.hpp"
#include "support/guarded_matrix.hpp"

namespace {

using namespace tw;
using reference::Fill;
using test::GuardedMatrix;

constexpr Type every_type[] = {Type::f64, Type::f32, Type::f16, Type::bf16};

template <class Visit>
void each(const Matrix& m, Visit visit) {
    for (std::int64_t i = 0; i < m.rows; ++i)
        for (std::int64_t j = 0; j < m.cols; ++j) visit(load_element(m, i, j));
}

double smallest(const Matrix& m) {
    double least = HUGE_VAL;
    each(m, [&](double x) { least = std::fmin(least, std::fabs(x)); });
    return least;
}

double largest(const Matrix& m) {
    double most = 0;
    each(m, [&](double x) { most = std::fmax(most, std::fabs(x)); });
    return most;
}

TEST(Random, IsTheSameEverywhere) {
    reference::Random random(1);
    EXPECT_EQ(random.bits(), 0xb3f2af6d0fc710c5u);
    EXPECT_EQ(random.bits(), 0x853b559647364ceau);
    for (int i = 0; i < 1000; ++i) {
        const double x = random.unit();
        EXPECT_TRUE(x >= 0 && x < 1);
        const std::int64_t n = random.whole(-3, 3);
        EXPECT_TRUE(n >= -3 && n <= 3);
    }
}

TEST(Random, IsNormalEnough) {
    reference::Random random(2);
    double sum = 0, squares = 0;
    constexpr int count = 100000;
    for (int i = 0; i < count; ++i) {
        const double x = random.normal();
        sum += x;
        squares += x * x;
    }
    EXPECT_NEAR(sum / count, 0, 0.02);
    EXPECT_NEAR(squares / count, 1, 0.03);
}

TEST(Fill, DependsOnTheSeedAndNotOnTheSteps) {
    for (const Fill how : reference::every_fill) {
        const GuardedMatrix a(Type::f32, 9, 12), a_columns(Type::f32, 9, 12, {.columns = true, .padding = 2});
        const GuardedMatrix b(Type::f32, 12, 7), b_columns(Type::f32, 12, 7, {.gap = 3});
        fill_operands(a, b, how, 5);
        fill_operands(a_columns, b_columns, how, 5);
        int other = 0;
        const GuardedMatrix a_other(Type::f32, 9, 12), b_other(Type::f32, 12, 7);
        fill_operands(a_other, b_other, how, 6);
        for (std::int64_t i = 0; i < 9; ++i)
            for (std::int64_t j = 0; j < 12; ++j) {
                EXPECT_EQ(load_element(a, i, j), load_element(a_columns, i, j)) << name_of(how);
                other += load_element(a, i, j) != load_element(a_other, i, j);
            }
        for (std::int64_t i = 0; i < 12; ++i)
            for (std::int64_t j = 0; j < 7; ++j) {
                EXPECT_EQ(load_element(b, i, j), load_element(b_columns, i, j)) << name_of(how);
                other += load_element(b, i, j) != load_element(b_other, i, j);
            }
        EXPECT_GT(other, 0) << name_of(how) << ": another seed, other numbers";
    }
}

TEST(Fill, LeavesPaddingAlone) {
    for (const Fill how : reference::every_fill) {
        GuardedMatrix m(Type::f32, 6, 5, {.padding = 3});
        m.remember();
        fill(m, how, 1);
        EXPECT_TRUE(m.padding_is_unchanged()) << name_of(how);
    }
}

TEST(Fill, IsFiniteButForTheTiesOfF16) {
    for (const Type type : every_type)
        for (const Fill how : reference::every_fill) {
            const GuardedMatrix a(type, 20, 30), b(type, 30, 20);
            fill_operands(a, b, how, 9);
            const bool may_round_to_inf = type == Type::f16 && how == Fill::ties;
            EXPECT_TRUE(may_round_to_inf || std::isfinite(largest(a))) << name_of(type) << " " << name_of(how);
            EXPECT_GT(largest(a), 0) << name_of(type) << " " << name_of(how);
        }
}

TEST(Fill, OfIntegersSumsWithoutRounding) {
    for (const std::int64_t k : {1, 100, 5000, 70000}) {
        const GuardedMatrix a(Type::f32, 3, k), b(Type::f32, k, 3);
        fill_operands(a, b, Fill::integers, 2);
        std::set<double> seen;
        each(a, [&](double x) {
            EXPECT_EQ(x, std::trunc(x));
            seen.insert(x);
        });
        EXPECT_GT(seen.size(), 2u);
        const auto answer = reference::answer({a, b});
        for (const double magnitude : answer.magnitude) EXPECT_LE(magnitude, 0x1p23);
    }
}

TEST(Fill, OfExponentsSpreadsAsFarAsItSays) {
    const GuardedMatrix m(Type::f32, 100, 100);
    for (const auto& [how, spread] :
         {std::pair{Fill::exponents_10, 10.0}, {Fill::exponents_30, 30.0}, {Fill::exponents_60, 60.0}}) {
        fill(m, how, 3);
        EXPECT_LE(largest(m), std::exp2(spread));
        EXPECT_GE(smallest(m), std::exp2(-spread));
        EXPECT_GT(largest(m) / smallest(m), std::exp2(1.9 * spread));
    }
}

TEST(Fill, ThatCancelsLeavesOnlyTheTail) {
    for (const std::int64_t k : {3, 64, 65}) {
        const GuardedMatrix a(Type::f32, 4, k), b(Type::f32, k, 4);
        fill_operands(a, b, Fill::cancellation, 3);
        const auto answer = reference::answer({a, b});
        for (std::size_t at = 0; at < answer.value.size(); ++at) {
            EXPECT_NE(answer.value[at], 0);
            EXPECT_LT(std::fabs(answer.value[at]), 0x1p-14 * (answer.magnitude[at] + 1));
        }
    }
}

TEST(Fill, OfSubnormalsGivesSubnormalAndNormalSums) {
    const GuardedMatrix a(Type::f32, 5, 6), b(Type::f32, 6, 8);
    fill_operands(a, b, Fill::subnormals, 3);
    EXPECT_LE(largest(a), 0x1p-126);
    const auto answer = reference::answer({a, b});
    int subnormal = 0, normal = 0;
    for (const double x : answer.value) (std::fabs(x) < 0x1p-126 ? subnormal : normal)++;
    EXPECT_GE(subnormal, 20);
    EXPECT_GT(normal, 0);
}

TEST(Fill, OfHugeNumbersMayNotOverflowAndOfOverflowingOnesMay) {
    for (const Type type : {Type::f64, Type::f32, Type::bf16}) {
        const double end = range_of(type == Type::f64 ? Type::f64 : Type::f32).largest;
        const GuardedMatrix a(type, 6, 50), b(type, 50, 6);
        fill_operands(a, b, Fill::huge, 3);
        EXPECT_GE(largest(a), 0.99 * range_of(type).largest);
        for (const double reach : reference::answer({a, b}).reach) EXPECT_LE(reach, end / 4);
        fill_operands(a, b, Fill::overflowing, 3);
        for (const double reach : reference::answer({a, b}).reach) EXPECT_GT(reach, end);
    }
}

}  // namespace
