// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f64 products by remainders, on the host: the constants, each step against plain arithmetic, and whole dot products of
// hostile operands against exact sums.
#include "scheme/remainders.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "reference/random.hpp"
#include "rooms/scheme/exact_sum.hpp"
#include "rooms/scheme/remainders_simulated.hpp"
#include "scheme/scheme.hpp"

namespace {

using namespace tw;
using namespace tw::remainders;
using reference::ExactSum;
using reference::Random;
using simulated::Numbers;
using simulated::Row;

TEST(Remainders, ModuliHaveNoCommonFactorAndFitIntoAByte) {
    for (const Set& set : {of_f64, of_c128, of_c64})
        for (int i = 0; i < set.most(); ++i) {
            const int p = set.modulus(i);
            EXPECT_LE(p, 256);
            for (int j = 0; j < i; ++j) EXPECT_EQ(std::gcd(p, set.modulus(j)), 1) << p << " " << set.modulus(j);
        }
    EXPECT_NEAR(std::log2(largest_norm(of_f64, 14)), 54.6, .05);
    EXPECT_NEAR(std::log2(largest_norm(of_f64, 16)), 62.2, .05);  // below 2^63, where whole numbers end
    EXPECT_NEAR(std::log2(largest_norm(of_c128, 15)), 55.05, .05);
    EXPECT_NEAR(std::log2(largest_norm(of_c128, 17)), 61.6, .05);
    EXPECT_NEAR(std::log2(largest_norm(of_c64, 7)), 26.65, .05);
}

TEST(Remainders, OfAnElementIsItsClassInEightBits) {
    Random random(1);
    for (int i = 0; i < of_f64.most(); ++i)
        for (int n = 0; n < 20000; ++n) {
            const int p = of_f64.modulus(i), g = static_cast<int>(random.whole(1, p - 1));
            std::int64_t x = static_cast<std::int64_t>(random.bits()) >> random.whole(1, 60);
            if (n < 600) x = n - 300;
            const int rest = simulated::remainder(of_element(p, g), x);
            ASSERT_TRUE(rest >= -128 && rest <= 127) << x << " mod " << p;
            ASSERT_EQ(modulo(rest, p), modulo(std::int64_t{modulo(x, p)} * g, p)) << x << " * " << g << " mod " << p;
        }
}

TEST(Remainders, OfASumIsAClassBelowP) {
    Random random(2);
    constexpr std::int64_t most = most_k << 14;
    for (int i = 0; i < of_f64.most(); ++i)
        for (int n = 0; n < 20000; ++n) {
            const int p = of_f64.modulus(i);
            std::int64_t sum = random.whole(-most, most);
            if (n < 600) sum = n - 300;
            else if (n < 1200) sum = (n < 900 ? most : -most) + (n < 900 ? 600 - n : n - 900);
            const OfSum by = of_sum(p);
            const unsigned rest = simulated::remainder(by, static_cast<std::int32_t>(sum));
            ASSERT_LT(rest, static_cast<unsigned>(p));
            ASSERT_EQ(static_cast<int>(rest), modulo(sum * by.factor, p)) << sum << " mod " << p;
        }
}

std::vector<std::pair<Set, int>> sets_and_counts() {
    std::vector<std::pair<Set, int>> all;
    for (const Set& set : {of_f64, of_c128, of_c64})
        for (int above = 0; above < counts; ++above) all.emplace_back(set, above);
    return all;
}

/// Every whole number of 53 bits times a power of two comes back, from 2^-58 of P to half of it, and 0.
TEST(Remainders, AWholeNumberIsRestored) {
    Random random(3);
    for (const auto& [set, above] : sets_and_counts()) {
        const int count = set.least + above;
        const PairsOfCount of = pairs_of_count(set, count);
        for (int n = 0; n < 6000; ++n) {
            const int room = std::ilogb(largest_norm(set, count) * largest_norm(set, count)) - 2;  // in bits
            const std::int64_t least = std::max(11, 63 - room);
            const auto digits =
                n < 9 ? std::int64_t{n} - 4 : static_cast<std::int64_t>(random.bits()) >> random.whole(least, 62);
            const int bits = digits == 0 ? 0 : std::ilogb(static_cast<double>(digits));
            const int most = std::max(0, room + 1 - bits);
            const auto shift = static_cast<int>(random.whole(std::max(0, most - 56), most));
            std::vector<unsigned> t;
            for (int i = 0; i < count; ++i) {
                const int p = set.modulus(i);
                const int rest = modulo(std::int64_t{modulo(digits, p)} * power_modulo(2, shift, p), p);
                t.push_back(static_cast<unsigned>(modulo(std::int64_t{rest} * share_of(set, i, count), p)));
            }
            ASSERT_EQ(simulated::restored(of, t), std::ldexp(static_cast<double>(digits), shift))
                << digits << " * 2^" << shift << " by " << count;
        }
    }
}

struct Fill {
    const char* name;
    double (*value)(Random&, std::size_t i, std::size_t k);
    bool of_a_reversed = false;  ///< A is read from its end: its large elements meet B's small ones
};
double power(double e) { return std::exp2(e); }

const Fill fills[] = {
    {"normal", [](Random& r, std::size_t, std::size_t) { return r.normal(); }},
    {"uniform", [](Random& r, std::size_t, std::size_t) { return r.between(-1, 1); }},
    {"spread by 2^10", [](Random& r, std::size_t, std::size_t) { return r.normal() * power(r.between(-10, 10)); }},
    {"spread by 2^30", [](Random& r, std::size_t, std::size_t) { return r.normal() * power(r.between(-30, 30)); }},
    {"spread by 2^60", [](Random& r, std::size_t, std::size_t) { return r.normal() * power(r.between(-60, 60)); }},
    {"graded",
     [](Random& r, std::size_t i, std::size_t k) { return r.normal() * power(-40.0 * double(i) / double(k)); }},
    {"graded, opposite",
     [](Random& r, std::size_t i, std::size_t k) { return r.normal() * power(-40.0 * double(i) / double(k)); }, true},
    {"one huge", [](Random& r, std::size_t i, std::size_t) { return r.normal() * (i == 3 ? 1e12 : 1); }},
    {"one huge, opposite", [](Random& r, std::size_t i, std::size_t) { return r.normal() * (i == 3 ? 1e12 : 1); },
     true},
    {"huge", [](Random& r, std::size_t, std::size_t) { return r.normal() * 0x1p390; }},
    {"small", [](Random& r, std::size_t, std::size_t) { return r.normal() * 0x1p-390; }},
    {"mostly zeros", [](Random& r, std::size_t i, std::size_t) { return i % 9 ? 0 : r.normal(); }},
};

Numbers filled(const Fill& fill, Random& random, std::size_t k, bool reversed) {
    Numbers x(k);
    for (std::size_t i = 0; i < k; ++i) x[reversed ? k - 1 - i : i] = fill.value(random, i, k);
    return x;
}

/// |C - AB| / |A||B|.
double error_of(double c, const Numbers& a, const Numbers& b) {
    ExactSum sum;
    double magnitude = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum.add_product(a[i], b[i]), magnitude += std::fabs(a[i] * b[i]);
    sum.add(-c);
    return magnitude == 0 ? std::fabs(sum.rounded()) : std::fabs(sum.rounded()) / magnitude;
}

/// What the device lets through keeps a plain sum's bound, whose last three roundings are the result's, alpha and beta.
TEST(Remainders, WhatIsTakenKeepsTheBoundOfAPlainSum) {
    Random random(4);
    for (const std::size_t k : {7u, 64u, 257u, 1000u})
        for (const Fill& fill : fills) {
            int taken = 0;
            for (int n = 0; n < 12; ++n) {
                const Row a(filled(fill, random, k, fill.of_a_reversed)), b(filled(fill, random, k, false));
                const auto count = simulated::count_for(a, b);
                if (!count) continue;
                ++taken;
                const double bound = gamma(static_cast<double>(k) - 1, unit_f64) + unit_f64;
                ASSERT_LE(error_of(simulated::dot(a, b, *count), a.x, b.x), bound)
                    << fill.name << " k " << k << " by " << *count;
            }
            const bool is_ordinary = &fill < fills + 2;
            if (is_ordinary) {
                EXPECT_EQ(taken, 12) << fill.name << " k " << k;
            }
        }
}

/// Operands whose large elements never meet: the bound must say no, for no count is enough.
TEST(Remainders, LargeElementsThatNeverMeetAreLeft) {
    Random random(5);
    Numbers x(512), y(512);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = random.normal() * (i < 256 ? 1e15 : 1e-15), y[i] = random.normal() * (i < 256 ? 1e-15 : 1e15);
    EXPECT_FALSE(simulated::count_for(Row(x), Row(y)).has_value());
    EXPECT_TRUE(simulated::count_for(Row(x), Row(x)).has_value());
}

TEST(Remainders, RowsThatWholeNumbersCantHoldAreLeft) {
    const Numbers ones(32, 1.0);
    for (const double bad :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 0x1p-1060, 0x1p1000}) {
        Numbers x(32, bad > 1 ? 1.0 : 0.0);
        x[7] = bad;
        EXPECT_FALSE(simulated::count_for(Row(x), Row(ones)).has_value()) << bad;
        EXPECT_FALSE(simulated::count_for(Row(ones), Row(x)).has_value()) << bad;
    }
}

TEST(Remainders, ProductsOfWholeNumbersAreExact) {
    Random random(6);
    for (const double most : {1.0, 3.0, 1023.0, 0x1p20})
        for (const std::size_t k : {5u, 64u, 900u})
            for (int n = 0; n < 20; ++n) {
                Numbers x(k), y(k);
                double sum = 0;
                for (std::size_t i = 0; i < k; ++i) {
                    x[i] = std::rint(random.between(-most, most)), y[i] = std::rint(random.between(-most, most));
                    if (n % 4 == 1 && i > 0 && i % 2 == 1) x[i] = x[i - 1], y[i] = -y[i - 1];  // the sum cancels
                    sum += x[i] * y[i];
                }
                for (int count = of_f64.least; count <= of_f64.most(); ++count)
                    ASSERT_EQ(simulated::dot(Row(x), Row(y), count), sum) << most << " k " << k << " by " << count;
            }
}

/// What fell away by cancellation: the error is measured against |A||B|, and the operands' own is all there is.
TEST(Remainders, CancellingSumsKeepTheBound) {
    Random random(7);
    for (int n = 0; n < 20; ++n) {
        Numbers x(600), y(600);
        for (std::size_t i = 0; i < x.size(); i += 2) {
            x[i] = random.normal(), y[i] = random.normal();
            x[i + 1] = x[i], y[i + 1] = -y[i] * (1 + 0x1p-40);
        }
        const Row a(x), b(y);
        const auto count = simulated::count_for(a, b);
        ASSERT_TRUE(count.has_value());
        EXPECT_LE(error_of(simulated::dot(a, b, *count), x, y), gamma(599, unit_f64));
    }
}

TEST(Remainders, TheCoefficientFallsWithEachModulusAndWithK) {
    EXPECT_NEAR(least_coefficient(of_f64, 14, 4096), .0103, .0003);
    EXPECT_NEAR(least_coefficient(of_f64, 14, 1024), .0207, .0006);
    EXPECT_NEAR(least_coefficient(of_f64, 15, 4096), .00074, .00002);
    EXPECT_NEAR(least_coefficient(of_f64, 16, 16384), 2.7e-5, 1e-6);
    EXPECT_GT(least_coefficient(of_f64, 16, 1), 1);  // no row and column have that
    EXPECT_NEAR(least_element(.0103), .203, .001);
}

}  // namespace
