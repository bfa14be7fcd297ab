// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rules 1 to 7 and 11: alpha, beta, and the sizes that need no product.
#include <cmath>

#include "rooms/multiply/each_row.hpp"

namespace rules {
namespace {

template <class T>
class Scalars : public EachRow<T> {};
TYPED_TEST_SUITE(Scalars, Types);

constexpr std::int64_t shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {17, 33, 9}, {40, 70, 300}};

TYPED_TEST(Scalars, Rule01_BetaZeroNeverReadsC) {
    for (const auto& row : rows<TypeParam>())
        for (const auto& [m, n, k] : shapes) {
            Product<TypeParam> p(m, n, k);
            for (TypeParam& x : p.c) x = std::numeric_limits<TypeParam>::signaling_NaN();
            p.run(row);
            for (TypeParam x : p.c) ASSERT_TRUE(std::isfinite(x)) << row;
        }
}

TYPED_TEST(Scalars, Rule02_AlphaZeroNeverReadsAOrB) {
    std::vector<TypeParam> c{1, 2, 3, 4};
    const tw::View<const TypeParam> none(nullptr, 2, 2);
    tw::multiply(none, none, tw::View(c.data(), 2, 2), {.alpha = 0, .beta = 3});
    EXPECT_EQ(c, (std::vector<TypeParam>{3, 6, 9, 12}));
}

TYPED_TEST(Scalars, Rule03_BetaOneWithNothingToAddLeavesCBitForBit) {
    const TypeParam payload = std::numeric_limits<TypeParam>::signaling_NaN();
    std::vector<TypeParam> c{payload, TypeParam(-0.0), std::numeric_limits<TypeParam>::denorm_min(),
                             infinity<TypeParam>};
    const auto before = c;
    const tw::View<const TypeParam> none(nullptr, 2, 2), thin(nullptr, 2, 0), flat(nullptr, 0, 2);
    tw::multiply(none, none, tw::View(c.data(), 2, 2), {.alpha = 0, .beta = 1});
    EXPECT_TRUE(same_bits(before, c));
    tw::multiply(thin, flat, tw::View(c.data(), 2, 2), {.alpha = 5, .beta = 1});
    EXPECT_TRUE(same_bits(before, c));
}

TYPED_TEST(Scalars, Rule04_KZeroScalesC) {
    std::vector<TypeParam> c{1, 2, 3, 4};
    const tw::View<const TypeParam> thin(nullptr, 2, 0), flat(nullptr, 0, 2);
    tw::multiply(thin, flat, tw::View(c.data(), 2, 2), {.beta = -2});
    EXPECT_EQ(c, (std::vector<TypeParam>{-2, -4, -6, -8}));
    tw::multiply(thin, flat, tw::View(c.data(), 2, 2), {});
    EXPECT_EQ(c, (std::vector<TypeParam>(4, 0)));
}

TYPED_TEST(Scalars, Rule05_EmptyResultsTouchNothing) {
    const tw::View<TypeParam> no_rows(nullptr, 0, 4), no_cols(nullptr, 4, 0), operand(nullptr, 4, 4);
    EXPECT_TRUE(tw::try_multiply(tw::View<TypeParam>(nullptr, 0, 4), operand, no_rows));
    EXPECT_TRUE(tw::try_multiply(operand, tw::View<TypeParam>(nullptr, 4, 0), no_cols));
}

TYPED_TEST(Scalars, Rule06_NaNScalarsReachEveryOutput) {
    for (const auto& row : rows<TypeParam>()) {
        Product<TypeParam> by_alpha(19, 21, 40), by_beta(19, 21, 40);
        by_alpha.run(row, {.alpha = NAN});
        for (TypeParam x : by_alpha.c) ASSERT_TRUE(std::isnan(x)) << row;
        by_beta.c.assign(by_beta.c.size(), 1);
        by_beta.run(row, {.beta = NAN});
        for (TypeParam x : by_beta.c) ASSERT_TRUE(std::isnan(x)) << row;
    }
}

TYPED_TEST(Scalars, Rule06_WithoutTermsAlphaMultipliesNothing) {
    std::vector<TypeParam> c{1, 2, 3, 4};
    const tw::View<const TypeParam> thin(nullptr, 2, 0), flat(nullptr, 0, 2);
    tw::multiply(thin, flat, tw::View(c.data(), 2, 2), {.alpha = NAN, .beta = 1});
    EXPECT_EQ(c, (std::vector<TypeParam>{1, 2, 3, 4}));
    tw::multiply(thin, flat, tw::View(c.data(), 2, 2), {.alpha = NAN, .beta = 2});
    EXPECT_EQ(c, (std::vector<TypeParam>{2, 4, 6, 8}));
    tw::multiply(thin, flat, tw::View(c.data(), 2, 2), {.alpha = NAN, .beta = NAN});
    for (TypeParam x : c) EXPECT_TRUE(std::isnan(x)) << "beta's NaN has C to go to";
}

TYPED_TEST(Scalars, Rule07_ZeroScalarsWinOverNaNOperands) {
    for (const auto& row : rows<TypeParam>()) {
        Product<TypeParam> p(49, 15, 6);
        p.a.assign(p.a.size(), nan<TypeParam>);
        p.c.assign(p.c.size(), 2);
        p.run(row, {.alpha = 0, .beta = 4});
        for (TypeParam x : p.c) ASSERT_EQ(x, 8) << row;
    }
}

TYPED_TEST(Scalars, Rule11_AlphaIsAppliedToTheFinishedSum) {
    // Each term alone times alpha would vanish; their sum times alpha does not.
    const auto tiny = static_cast<TypeParam>(sizeof(TypeParam) == 4 ? 0x1p-140 : 0x1p-1060);
    const auto alpha = static_cast<TypeParam>(1) / 3;
    for (const auto& row : rows<TypeParam>()) {
        Product<TypeParam> p(5, 9, 3);
        p.a.assign(p.a.size(), tiny);
        p.b.assign(p.b.size(), 1);
        p.run(row, {.alpha = static_cast<double>(alpha)});
        for (TypeParam x : p.c) ASSERT_EQ(x, alpha * (3 * tiny)) << row;
    }
}

// 0.1 is another number in f32 than in f64, and subnormal scalars have few bits there: with a product or without, beta
// is f32's. 1e-42 has ten bits in f32: what f64 makes of it differs by 5e-4.
TEST(Rows, Rule11_ScalarsAreF32sWhateverARowSumsIn) {
    const double alpha = 1e-42, rounded = static_cast<double>(static_cast<float>(alpha));
    for (const auto& row : rows<float>()) {
        Product<float> by_alpha(1, 1, 1), by_beta(1, 1, 1);
        by_alpha.a = {0x1p24f}, by_alpha.b = {1};
        by_alpha.run(row, {.alpha = alpha});
        EXPECT_NEAR(by_alpha.c[0] / (0x1p24 * rounded), 1, 1e-4) << row;
        by_beta.a = {0}, by_beta.b = {1}, by_beta.c = {0x1p24f};
        by_beta.run(row, {.beta = alpha});
        EXPECT_NEAR(by_beta.c[0] / (0x1p24 * rounded), 1, 1e-4) << row;
    }
}

TEST(WithoutProduct, Rule11_BetaIsRoundedToTheTypeThatIsSummedIn) {
    for (const double beta : {1e-42, 0.1, 1e-39}) {
        const float whole = 16777215.f, one = 1, zero = 0;
        float by_product = whole, alone = whole;
        tw::multiply(tw::View(&one, 1, 1), tw::View(&zero, 1, 1), tw::View(&by_product, 1, 1), {.beta = beta});
        tw::multiply(tw::View(&one, 1, 1), tw::View(&zero, 1, 1), tw::View(&alone, 1, 1), {.alpha = 0, .beta = beta});
        EXPECT_EQ(alone, by_product) << beta;
        EXPECT_EQ(alone, whole * static_cast<float>(beta)) << beta;
    }
}

}  // namespace
}  // namespace rules
