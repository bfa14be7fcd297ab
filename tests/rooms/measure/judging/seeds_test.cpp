// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A failure is told by its seed, so a seed draws the same case for good. Where the judge learns something new, these
// lists are made again.
#include <gtest/gtest.h>

#include <string>

#include "measure/judging/case.hpp"
#include "measure/judging/shrink.hpp"

namespace tw::judging {
namespace {

/// Fowler, Noll and Vo's hash: the length of a text that may stand in a test.
std::uint64_t digest(const std::string& text) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

TEST(JudgingSeeds, TheFirstCasesAreThese) {
    std::string text;
    for (std::uint64_t seed = 0; seed < 16; ++seed) text += spelled(draw(seed)) + "\n";
    EXPECT_EQ(text,
              "plan f32 10x9x2, integers, A by rows skew 9 right to left behind a page, B by columns right to "
              "left, threads 1, reproducible\n"
              "call c64 12x15x2, cancellation, A by columns +14 one row, B by rows +11 skew 24 upside down "
              "behind a page, C by rows +5 skew 23 behind a page, alpha 1-1i, beta -1-2.5i, threads 1\n"
              "batch bf16 into f32 79x47x59 times 2, one B, overflowing, A by rows +19, B by rows skew 3 behind"
              " a page, C by rows +9, accuracy tf32, threads 0, reproducible\n"
              "plan f16 3x15x18, huge and 2 special values, A by rows +17 behind a page, B by rows upside down "
              "behind a page, alpha 0.3, beta nan, slabs 32, threads 4\n"
              "batch c64 43x279x113 times 2, one A, overflowing, A by rows step 3 behind a page, B by rows "
              "behind a page, alpha 1+1i, beta 2, threads 1, reproducible\n"
              "batch c64 94x296x197 times 2, B conjugate, cancellation, A by columns +9 skew 25, B by rows skew"
              " 15, C by columns behind a page, alpha 1-2.5i, threads 3\n"
              "call f32 18x19x9, subnormals, A by rows behind a page, B by rows +11 skew 5 behind a page, C by "
              "columns skew 39, threads 4, an executor\n"
              "call f32 15x17x59, overflowing, A by columns step 4 +12 behind a page, B by rows +7 behind a "
              "page, C by columns behind a page, threads -3, reproducible\n"
              "call bf16 4x18x7, cancellation, A by columns step 4 right to left, B by rows one column, C by "
              "rows right to left behind a page, alpha -7.5, beta 1e-42, threads 2\n"
              "plan f32 6x12x14, exponents_30 and 1 special values, A by rows step 3 skew 1, B by rows step 3 "
              "+12, C by columns, accuracy tf32, bias, threads -3, an executor in another mode\n"
              "call bf16 into f32 2x20x12, integers, A by rows skew 15, B by columns, C by rows +3 behind a "
              "page, alpha 1e+30, scale 0.1, residual, threads -3, an executor in another mode, reproducible, "
              "scratch at offset 5\n"
              "call f64 0x20x2, huge, A by columns +15, B by columns behind a page, C by columns behind a page,"
              " beta -7.5, bias, threads 7, called in another mode, scratch at offset 51\n"
              "call f16 9x5x12, overflowing, A by rows +3 skew 36 behind a page, B by rows +11 skew 19 upside "
              "down behind a page, C by columns skew 23 behind a page, beta 0.3, accuracy bf16, threads -3, an "
              "executor, verify\n"
              "call f16 into f32 2x2x6821, symmetric, A by rows upside down one row behind a page, B by columns"
              " behind a page, C by columns, beta 1e+30, residual, threads 0, an executor\n"
              "call c128 211x169x188, A conjugate, normal and 2 special values, A by columns, B by columns step"
              " 2 one column behind a page, C by rows step 4 behind a page, threads -3\n"
              "call c128 2x34x26, symmetric, A by columns +2, B by rows step 4 +5 skew 25 behind a page, C by "
              "columns +18 upside down right to left, alpha nan, beta 0+1i, threads 3, an executor, called in "
              "another mode\n");
}

TEST(JudgingSeeds, ThousandsOfCasesAreTheSame) {
    std::string text;
    for (std::uint64_t seed = 16; seed < 20000; ++seed) text += spelled(draw(seed)) + "\n";
    EXPECT_EQ(digest(text), 9463078271901344913u);
}

// Everything that can be made plainer is, one by one; what the failure needs stays.
TEST(JudgingSeeds, EachPartOfACaseIsMadePlainByItself) {
    Case odd;
    odd.door = Door::batch, odd.products = 5, odd.shares_a = odd.shares_b = true, odd.m = 9, odd.n = 8, odd.k = 7;
    odd.in = odd.out = Type::f16, odd.specials = 3, odd.fill = reference::every_fill[4], odd.alpha = 2, odd.beta = 3;
    odd.accuracy = "tf32", odd.scale = 4, odd.activation = Activation::silu, odd.bias = odd.residual = true;
    odd.slabs = 8;
    odd.odd_mode = odd.reproducible = odd.verify = true, odd.runner = Runner::odd_executor, odd.threads = 7;
    odd.scratch = 33;
    odd.a = odd.b = odd.c = {.columns = true,
                             .gap = 3,
                             .padding = 2,
                             .skew = 5,
                             .upside_down = true,
                             .right_to_left = true,
                             .one_row = true,
                             .one_column = true,
                             .at_start = true};
    const auto needs = [&](auto holds, const Case& wanted) {
        EXPECT_TRUE(holds(odd));
        EXPECT_EQ(spelled(shrink(odd, holds, 1 << 20)), spelled(wanted));
    };
    Case one;
    one.m = one.n = one.k = 1, one.threads = 1;
    EXPECT_EQ(spelled(shrink(odd, [](const Case&) { return true; }, 1 << 20)), spelled(one));
    const auto with = [&](auto change) {
        Case wanted = one;
        change(wanted);
        return wanted;
    };
    needs([](const Case& c) { return c.m >= 4; }, with([](Case& c) { c.m = 4; }));
    needs([](const Case& c) { return c.n >= 3; }, with([](Case& c) { c.n = 3; }));
    needs([](const Case& c) { return c.k >= 5; }, with([](Case& c) { c.k = 5; }));
    needs([](const Case& c) { return c.products >= 3; }, with([](Case& c) { c.products = 3, c.door = Door::batch; }));
    needs([](const Case& c) { return c.door == Door::batch; }, with([](Case& c) { c.door = Door::batch; }));
    needs([](const Case& c) { return c.specials > 0; }, with([](Case& c) { c.specials = 3; }));
    needs([](const Case& c) { return c.fill == reference::every_fill[4]; },
          with([](Case& c) { c.fill = reference::every_fill[4]; }));
    needs([](const Case& c) { return c.alpha != 1; }, with([](Case& c) { c.alpha = 2; }));
    needs([](const Case& c) { return c.beta != 0; }, with([](Case& c) { c.beta = 3; }));
    needs([](const Case& c) { return c.slabs > 1; }, with([](Case& c) { c.slabs = 8; }));
    needs([](const Case& c) { return !c.accuracy.empty(); }, with([](Case& c) { c.accuracy = "tf32"; }));
    needs([](const Case& c) { return c.scale != 1; }, with([](Case& c) { c.scale = 4; }));
    needs([](const Case& c) { return c.activation != Activation::none; },
          with([](Case& c) { c.activation = Activation::silu; }));
    needs([](const Case& c) { return c.threads > 2; }, with([](Case& c) { c.threads = 7; }));
    needs([](const Case& c) { return c.runner != Runner::pool; },
          with([](Case& c) { c.runner = Runner::odd_executor; }));
    needs([](const Case& c) { return c.scratch >= 0; }, with([](Case& c) { c.scratch = 33; }));
    needs([](const Case& c) { return c.in == Type::f16; }, with([](Case& c) { c.in = c.out = Type::f16; }));
    for (bool Case::* flag : {&Case::bias, &Case::residual, &Case::odd_mode, &Case::reproducible, &Case::verify})
        needs([=](const Case& c) { return c.*flag; }, with([=](Case& c) { c.*flag = true; }));
    for (bool Case::* flag : {&Case::shares_a, &Case::shares_b})
        needs([=](const Case& c) { return c.*flag; }, with([=](Case& c) { c.*flag = true, c.door = Door::batch; }));
    for (Placement Case::* placement : {&Case::a, &Case::b, &Case::c}) {
        for (bool Placement::* flag : {&Placement::columns, &Placement::upside_down, &Placement::right_to_left,
                                       &Placement::one_row, &Placement::one_column, &Placement::at_start})
            needs([=](const Case& c) { return (c.*placement).*flag; },
                  with([=](Case& c) { (c.*placement).*flag = true; }));
        needs([=](const Case& c) { return (c.*placement).gap != 1; }, with([=](Case& c) { (c.*placement).gap = 3; }));
        needs([=](const Case& c) { return (c.*placement).padding > 0; },
              with([=](Case& c) { (c.*placement).padding = 1; }));
        needs([=](const Case& c) { return (c.*placement).skew > 1; }, with([=](Case& c) { (c.*placement).skew = 2; }));
    }
    odd.in = odd.out = Type::c64, odd.conj_a = odd.conj_b = true, odd.alpha_imag = 2, odd.beta_imag = 3;
    const auto of_complex = [&](auto change) { return with([&](Case& c) { c.in = c.out = Type::c64, change(c); }); };
    for (bool Case::* flag : {&Case::conj_a, &Case::conj_b})
        needs([=](const Case& c) { return is_complex(c.in) && c.*flag; }, of_complex([=](Case& c) { c.*flag = true; }));
    needs([](const Case& c) { return c.alpha_imag != 0; }, of_complex([](Case& c) { c.alpha_imag = 2; }));
    needs([](const Case& c) { return c.beta_imag != 0; }, of_complex([](Case& c) { c.beta_imag = 3; }));
    int asked = 0;
    const Case early = shrink(odd, [&](const Case&) { return ++asked < 0; }, 5);
    EXPECT_EQ(asked, 5) << "no more than it was told";
    EXPECT_EQ(spelled(early), spelled(odd));
}

}  // namespace
}  // namespace tw::judging
