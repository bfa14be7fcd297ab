// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The judge of random products sees what is wrong, wherever it is, makes it plain, and is silent otherwise.
#include "measure/judging/session.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/element.hpp"
#include "measure/judging/operand.hpp"
#include "measure/judging/shrink.hpp"

namespace tw::judging {
namespace {

TEST(Judging, ASeedIsACase) {
    EXPECT_EQ(spelled(draw(77)), spelled(draw(77)));
    std::set<std::string> texts;
    std::set<Door> doors;
    std::set<Type> types;
    int verified = 0, repeated = 0, odd = 0, conjugate = 0, in_slabs = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const Case one = draw(seed);
        texts.insert(spelled(one)), doors.insert(one.door), types.insert(one.in);
        verified += one.verify, repeated += one.a.one_row || one.b.one_column, odd += one.odd_mode;
        conjugate += one.conj_a || one.conj_b, in_slabs += one.slabs > 1;
        if (is_complex(one.in)) {  // what they have not is not drawn: it would only be refused
            EXPECT_FALSE(one.bias || one.verify || one.slabs || one.activation != Activation::none) << spelled(one);
        } else {
            EXPECT_FALSE(one.conj_a || one.conj_b || one.alpha_imag != 0 || one.beta_imag != 0) << spelled(one);
        }
    }
    EXPECT_EQ(texts.size(), 400u);
    EXPECT_EQ(doors.size(), 5u);
    EXPECT_EQ(types.size(), 6u);
    EXPECT_GT(verified, 10);
    EXPECT_GT(repeated, 10);
    EXPECT_GT(odd, 10);
    EXPECT_GT(conjugate, 10);
    EXPECT_GT(in_slabs, 10);
}

TEST(Judging, LongExtentsAreFolded) {
    std::set<std::int64_t> extents;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const Case as_drawn = draw(seed), folded = draw(seed, 20);
        for (std::int64_t Case::* extent : {&Case::m, &Case::n, &Case::k}) {
            extents.insert(folded.*extent);
            if (as_drawn.*extent <= 20) {
                EXPECT_EQ(folded.*extent, as_drawn.*extent) << seed;
            }
        }
        EXPECT_EQ(folded.fill, as_drawn.fill) << seed;
    }
    EXPECT_EQ(extents.size(), 21u);  // from 0 on
    EXPECT_EQ(*extents.rbegin(), 20);
    const Session session = judge_cases({.seed = 1, .seconds = 600, .cases = 60, .largest = 20});
    EXPECT_EQ(session.failure, "") << spelled(session.failed);
}

TEST(Judging, WhatIsRightIsNotCalledWrong) {
    const Session session = judge_cases({.seed = 1, .seconds = 600, .cases = 60});
    EXPECT_EQ(session.cases, 60);
    EXPECT_EQ(session.failure, "") << spelled(session.failed);
    EXPECT_LT(session.refused, 20);
}

// A complex element's other part, which nothing but its own judgement sees, and the sign of an imaginary part.
TEST(Judging, AWrongPartOfAComplexElementIsSeen) {
    Case one;
    one.m = one.n = 3, one.k = 4, one.in = one.out = Type::c64, one.conj_b = true, one.beta_imag = 1;
    EXPECT_EQ(try_case(one, {.device = "cpu"}).failure, "");
    Where where{.device = "cpu"};
    where.spoil = [](const Matrix& c) {
        const Matrix parts = imaginary_parts(c);
        store_element(parts, 2, 1, load_element(parts, 2, 1) + 1);
    };
    EXPECT_NE(try_case(one, where).failure.find("the imaginary part of element (2, 1)"), std::string::npos)
        << try_case(one, where).failure;
}

// cpu-check has no rows for complex operands: what needs no product is done all the same.
TEST(Judging, AComplexBetaWithoutAProductMayRound) {
    Case one;
    one.m = 6, one.n = 20, one.k = 7, one.in = one.out = Type::c128, one.fill = reference::Fill::normal;
    one.alpha = 0, one.beta = -1, one.beta_imag = 0.3, one.scale = 0.1, one.residual = true;
    for (const char* device : {"cpu", "cpu-check"}) {
        const Outcome outcome = try_case(one, {.device = device});
        EXPECT_EQ(outcome.failure, "") << device;
        EXPECT_FALSE(outcome.refused) << device;
    }
}

// Slabs whose kernel sums in f64 are rounded once more than alone, for which the judge had no room, and verify neither;
// and a factor 0 of sums whose magnitude is beyond f64, of which no number was allowed.
TEST(Judging, WhatWasCalledWrongAndIsNot) {
    for (const std::int64_t seed : {30300009146, 30400030194, 50200017123}) {
        const Outcome outcome = try_case(draw(static_cast<std::uint64_t>(seed)), {});
        EXPECT_EQ(outcome.failure, "") << seed;
    }
    // A product that overflows by itself and not in a fused multiply-add, beside an infinity, was refused by `verify`.
    EXPECT_EQ(try_case(draw(201400421555, 24), {}).failure, "");
}

TEST(Judging, OneWrongElementIsSeenAndTheCaseMadePlain) {
    Asked asked{.seed = 1, .seconds = 600, .cases = 200};
    asked.where.spoil = [](const Matrix& c) {  // the last element, of results that have a second row
        if (c.rows < 2 || c.cols < 1) return;
        const Matrix reals = is_complex(c.type) ? real_parts(c) : c;
        const double was = load_element(reals, c.rows - 1, c.cols - 1);
        store_element(reals, c.rows - 1, c.cols - 1, was == 7 ? 9 : 7e4);
    };
    const Session session = judge_cases(asked);
    EXPECT_NE(session.failure, "");
    EXPECT_EQ(session.plainest.m, 2);
    EXPECT_EQ(session.plainest.n, 1);
    EXPECT_EQ(session.plainest.k, 1);
    EXPECT_EQ(session.plainest.door, Door::call);
    EXPECT_EQ(session.plainest.alpha, 1);
    EXPECT_EQ(session.plainest.c, Placement{});
    EXPECT_NE(session.plainest_failure, "");
}

TEST(Judging, ACaseIsShrunkToWhatItNeeds) {
    Case large = draw(5);
    large.m = 90, large.n = 70, large.k = 50, large.verify = true, large.b.gap = 3;
    const Case least = shrink(large, [](const Case& one) { return one.k > 16 && one.b.gap > 1; });
    Case wanted;
    wanted.seed = large.seed, wanted.k = 17, wanted.b.gap = 3;
    EXPECT_EQ(least, wanted) << spelled(least);
    EXPECT_EQ(shrink(large, [](const Case&) { return false; }), large);
}

// The largest steps come first: each extent is 1 at once, and not by halves.
TEST(Judging, ACaseIsShrunkInFewSteps) {
    Case large;
    large.m = large.n = large.k = 1 << 20, large.products = 1 << 10, large.door = Door::batch;
    int tries = 0;
    const Case least = shrink(large, [&](const Case&) { return ++tries > 0; });
    EXPECT_EQ(spelled(least), spelled(Case{}));
    EXPECT_EQ(tries, 4) << "one for the door and the products, and one for each extent";
    tries = 0;
    shrink(large, [&](const Case& one) { return ++tries > 0 && one.m > 1000; });
    EXPECT_LT(tries, 200) << "halves, and then one by one";
}

TEST(Judging, HolesAndElementsOfAnOperandAreToldApart) {
    for (const bool at_start : {false, true}) {
        Placement placement{.columns = true, .gap = 2, .padding = 1, .skew = 3, .upside_down = true};
        placement.at_start = at_start;
        Operand operand(Type::f32, 3, 4, placement, 2);
        operand.remember();
        const Matrix second = operand.product(1);
        store_element(second, 2, 3, 5);
        EXPECT_FALSE(operand.is_unchanged());
        EXPECT_TRUE(operand.holes_are_unchanged());
        static_cast<float*>(second.at(1, 1))[1] = 5;
        EXPECT_FALSE(operand.holes_are_unchanged());
    }
}

TEST(JudgingDeathTest, AStepBeyondAnOperandIsAFault) {
    Operand at_end(Type::f64, 3, 3, {}), at_start(Type::f64, 3, 3, {.at_start = true});
    EXPECT_DEATH(static_cast<double*>(at_end.product(0).at(2, 2))[1] = 1, "");
    EXPECT_DEATH(static_cast<double*>(at_start.product(0).data)[-1] = 1, "");
}

}  // namespace
}  // namespace tw::judging
