// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rules 8 to 14: what becomes of infinities, NaNs, zeros, subnormals and the caller's floating-point mode.
#include <cmath>

#include "rooms/multiply/each_row.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace rules {
namespace {

template <class T>
class Values : public EachRow<T> {};
TYPED_TEST_SUITE(Values, Types);

/// One special value in A, everything else finite: the whole row of C follows from it, the other rows don't.
TYPED_TEST(Values, Rule08_Fault08_ZeroTimesInfinityAndNaNIsNaN) {
    for (const auto& row : rows<TypeParam>())
        for (const TypeParam special : {infinity<TypeParam>, nan<TypeParam>})
            for (const auto& [i, p] : {std::pair{0, 0}, {12, 22}, {7, 299}, {32, 150}}) {
                Product<TypeParam> product(33, 23, 300);
                product.b.assign(product.b.size(), 0);
                product.a[static_cast<std::size_t>(i * 300 + p)] = special;
                product.run(row);
                for (int r = 0; r < 33; ++r)
                    for (int c = 0; c < 23; ++c)
                        ASSERT_EQ(std::isnan(product.c[static_cast<std::size_t>(r * 23 + c)]), r == i)
                            << row << ' ' << r << ' ' << c;
            }
}

TYPED_TEST(Values, Rule09_ANaNStaysANaNWhateverItsPayload) {
    for (const auto& row : rows<TypeParam>()) {
        Product<TypeParam> p(9, 9, 9);
        p.b[40] = -std::numeric_limits<TypeParam>::signaling_NaN();
        p.run(row);
        for (int i = 0; i < 9; ++i) ASSERT_TRUE(std::isnan(p.c[static_cast<std::size_t>(i * 9 + 4)])) << row;
    }
}

TYPED_TEST(Values, Rule10_Fault08_FiniteSumsStayFiniteAndInfinitiesKeepTheirSign) {
    constexpr TypeParam largest = std::numeric_limits<TypeParam>::max();
    for (const auto& row : rows<TypeParam>()) {
        Product<TypeParam> p(6, 40, 4);
        for (std::size_t i = 0; i < p.a.size(); ++i) p.a[i] = i % 2 ? -largest / 16 : largest / 16;
        p.b.assign(p.b.size(), 1);
        p.run(row);
        for (TypeParam x : p.c) ASSERT_EQ(x, 0) << row;

        p.a.assign(p.a.size(), 1);
        p.a[2] = -infinity<TypeParam>;
        p.run(row);
        for (std::size_t i = 0; i < p.c.size(); ++i)
            ASSERT_EQ(p.c[i], i < 40 ? -infinity<TypeParam> : TypeParam(4)) << row;
    }
}

TYPED_TEST(Values, Rule12_ExactZeroSumsArePositiveAndScalingKeepsNegativeZero) {
    for (const auto& row : rows<TypeParam>()) {
        Product<TypeParam> p(5, 5, 2);
        for (std::size_t i = 0; i < p.a.size(); ++i) p.a[i] = i % 2 ? -1 : 1;
        p.b.assign(p.b.size(), 3);
        p.run(row);
        for (TypeParam x : p.c) ASSERT_TRUE(x == 0 && !std::signbit(x)) << row;
    }
    std::vector<TypeParam> c{TypeParam(-0.0)};
    tw::multiply(tw::View<TypeParam>(nullptr, 1, 1), tw::View<TypeParam>(nullptr, 1, 1), tw::View(c.data(), 1, 1),
                 {.alpha = 0, .beta = 2});
    EXPECT_TRUE(std::signbit(c[0]));
}

#if defined(__x86_64__)
TYPED_TEST(Values, Rule13_Fault06_SubnormalsSurviveWhateverModeTheCallerRunsIn) {
    constexpr unsigned flush_and_round_down = 0x1f80 | 0x8000 | 0x0040 | 0x2000;
    const TypeParam tiny = std::numeric_limits<TypeParam>::denorm_min();
    for (const auto& row : rows<TypeParam>())
        for (int threads : {1, 3}) {
            Product<TypeParam> p(40, 40, 3);
            p.a.assign(p.a.size(), tiny);
            p.b.assign(p.b.size(), 1);
            const unsigned before = _mm_getcsr();
            _mm_setcsr(flush_and_round_down);
            p.run(row, {.threads = threads});
            const unsigned after = _mm_getcsr();
            _mm_setcsr(before);
            EXPECT_EQ(after & ~0x3fu, flush_and_round_down) << row;  // the sticky flags are anyone's
            for (TypeParam x : p.c) ASSERT_EQ(x, 3 * tiny) << row;
        }
}

TYPED_TEST(Values, Rule14_Fault06_TheControlBitsOfTheCallerAreLeftAsTheyWere) {
    for (const auto& row : rows<TypeParam>()) {
        const unsigned before = _mm_getcsr();
        Product<TypeParam> p(30, 30, 30);
        p.a[5] = nan<TypeParam>;
        p.run(row);
        EXPECT_EQ(_mm_getcsr() & ~0x3fu, before & ~0x3fu) << row;
    }
}
#endif

}  // namespace
}  // namespace rules
