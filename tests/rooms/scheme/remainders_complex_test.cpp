// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex products by remainders, on the host: the faces of numbers, each step against plain arithmetic, and whole dot
// products of hostile operands against exact sums, the real part and the imaginary part each by itself.
#include "scheme/remainders_complex.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/random.hpp"
#include "rooms/scheme/exact_sum.hpp"
#include "rooms/scheme/remainders_complex_simulated.hpp"
#include "scheme/scheme.hpp"

namespace {

using namespace tw;
using namespace tw::remainders;
using reference::ExactSum;
using reference::Random;
using simulated::Complex;
using simulated::ComplexNumbers;
using simulated::ComplexRow;

TEST(ComplexRemainders, MinusOneHasARootModuloEachOfTheModuli) {
    for (const int p : complex_moduli) {
        const int root = root_of_minus_one(p);
        EXPECT_EQ(root * root % p, p - 1) << p;
    }
}

TEST(ComplexRemainders, FacesAreTheirClassesInEightBits) {
    Random random(1);
    for (const int p : complex_moduli)
        for (int n = 0; n < 20000; ++n) {
            const int g = static_cast<int>(random.whole(1, p - 1)), root = root_of_minus_one(p);
            const std::int64_t x = static_cast<std::int64_t>(random.bits()) >> random.whole(1, 60),
                               y = n < 600 ? n - 300 : static_cast<std::int64_t>(random.bits()) >> random.whole(1, 60);
            const simulated::Faces is = simulated::faces(of_faces(p, g), x, y);
            const std::int64_t re = modulo(x, p), im = std::int64_t{modulo(y, p)} * root;
            for (const int face : {is.plus, is.minus}) ASSERT_TRUE(face >= -128 && face <= 127) << x << " " << y;
            ASSERT_EQ(modulo(is.plus, p), modulo((re + im) * g, p)) << x << " " << y << " mod " << p;
            ASSERT_EQ(modulo(is.minus, p), modulo((re - im) * g, p)) << x << " " << y << " mod " << p;
        }
}

/// Times the other modulus, modulo the product of both, and balanced: 0 is 0.
TEST(ComplexRemainders, PartsComeBackFromAllFaces) {
    Random random(2);
    const auto check = [](int p, int q, const simulated::FourFaces& of) {
        const simulated::Parts is = simulated::parts(of_parts(p, q), of);
        const auto of_p = [](std::int64_t x, int modulus) { return modulo(x, modulus); };
        const auto u = static_cast<int>(of[0]), v = static_cast<int>(of[1]), w = static_cast<int>(of[2]),
                   z = static_cast<int>(of[3]);
        ASSERT_LE(2 * std::abs(is.imaginary), p * q + 1) << p << " " << q;
        ASSERT_LE(2 * std::abs(simulated::balanced(of_parts(p, q), is.real)), p * q + 1) << p << " " << q;
        ASSERT_EQ(of_p(is.real, p), modulo((u + v) * q, p)) << p << " " << q;
        ASSERT_EQ(of_p(std::int64_t{is.imaginary} * root_of_minus_one(p), p), modulo((u - v) * q, p)) << p << " " << q;
        if (q == 1) return;
        ASSERT_EQ(of_p(is.real, q), modulo((w + z) * p, q)) << p << " " << q;
        ASSERT_EQ(of_p(std::int64_t{is.imaginary} * root_of_minus_one(q), q), modulo((w - z) * p, q)) << p << " " << q;
    };
    for (const Set& set : {of_c128, of_c64})
        for (int count = set.least; count <= set.most(); ++count)
            for (int i = 0; i < count; i += 2)
                for (int n = 0; n < 5000; ++n) {
                    const int p = set.modulus(i), q = i + 1 < count ? set.modulus(i + 1) : 1;
                    const auto any = [&](int below) {
                        const auto x = static_cast<unsigned>(random.whole(0, below - 1));
                        return n >= 256 ? x : x % 2 ? static_cast<unsigned>(below - 1) : 0;
                    };
                    check(p, q, {any(p), any(p), any(q), any(q)});
                }
}

struct Fill {
    const char* name;
    Complex (*value)(Random&, double share_of_k);
};
double power(double e) { return std::exp2(e); }
Complex normal(Random& r) { return {r.normal(), r.normal()}; }

const Fill fills[] = {
    {"normal", [](Random& r, double) { return normal(r); }},
    {"uniform", [](Random& r, double) { return Complex{r.between(-1, 1), r.between(-1, 1)}; }},
    {"spread by 2^10", [](Random& r, double) { return normal(r) * power(r.between(-10, 10)); }},
    {"spread by 2^30", [](Random& r, double) { return normal(r) * power(r.between(-30, 30)); }},
    {"graded", [](Random& r, double share) { return normal(r) * power(-40 * share); }},
    {"one huge", [](Random& r, double share) { return normal(r) * (share == 0 ? 1e12 : 1); }},
    {"small imaginary parts", [](Random& r, double) { return Complex{r.normal(), 1e-5 * r.normal()}; }},
    {"tiny imaginary parts", [](Random& r, double) { return Complex{r.normal(), 1e-19 * r.normal()}; }},
    {"tiny real parts", [](Random& r, double) { return Complex{1e-19 * r.normal(), r.normal()}; }},
    {"real", [](Random& r, double) { return Complex{r.normal(), 0}; }},
    {"mostly zeros", [](Random& r, double) { return r.unit() < .9 ? Complex{} : normal(r); }},
};

ComplexNumbers filled(const Set& set, const Fill& fill, Random& random, std::size_t k) {
    ComplexNumbers x(k);
    for (std::size_t i = 0; i < k; ++i) {
        x[i] = fill.value(random, static_cast<double>(i) / static_cast<double>(k));
        if (set.unit > unit_f64) x[i] = {static_cast<float>(x[i].real()), static_cast<float>(x[i].imag())};
    }
    return x;
}

/// |C - AB| / |A||B| of one part: of a sum of pairs of products.
struct PartOfSum {
    ExactSum sum;
    double magnitude = 0;

    void add(double a, double b) { sum.add_product(a, b), magnitude += std::fabs(a * b); }
    double error(double c) {
        sum.add(-c);
        return magnitude == 0 ? std::fabs(sum.rounded()) : std::fabs(sum.rounded()) / magnitude;
    }
};
double error_of(Complex c, const ComplexNumbers& a, const ComplexNumbers& b) {
    PartOfSum real, imaginary;
    for (std::size_t i = 0; i < a.size(); ++i) {
        real.add(a[i].real(), b[i].real()), real.add(-a[i].imag(), b[i].imag());
        imaginary.add(a[i].real(), b[i].imag()), imaginary.add(a[i].imag(), b[i].real());
    }
    return std::max(real.error(c.real()), imaginary.error(c.imag()));
}

/// What the device lets through keeps a plain sum's bound for each part, whose last five roundings are the result's,
/// alpha's and beta's.
TEST(ComplexRemainders, WhatIsTakenKeepsTheBoundOfAPlainSum) {
    Random random(4);
    for (const Set& set : {of_c128, of_c64})
        for (const std::size_t k : {7u, 64u, 257u, 700u})
            for (const Fill& of_a : fills)
                for (const Fill& of_b : {of_a, fills[0]}) {
                    int taken = 0;
                    for (int n = 0; n < 3; ++n) {
                        const ComplexRow a(set, filled(set, of_a, random, k)), b(set, filled(set, of_b, random, k));
                        const auto count = simulated::count_for(a, b);
                        if (!count) continue;
                        ++taken;
                        const double terms = 2 * static_cast<double>(k), bound = gamma(terms - 1, set.unit) + unit_f64;
                        ASSERT_LE(error_of(simulated::dot(a, b, *count), a.x, b.x), bound)
                            << of_a.name << " k " << k << " by " << *count;
                    }
                    const bool is_ordinary = &of_a < fills + 2;
                    if (is_ordinary) {
                        EXPECT_EQ(taken, 3) << of_a.name << " k " << k;
                    }
                }
}

TEST(ComplexRemainders, TinyImaginaryPartsAreLeft) {
    Random random(5);
    const ComplexRow x(of_c128, filled(of_c128, fills[7], random, 300)),
        y(of_c128, filled(of_c128, fills[7], random, 300));
    EXPECT_FALSE(simulated::count_for(x, y).has_value());
}

TEST(ComplexRemainders, RowsThatWholeNumbersCantHoldAreLeft) {
    const ComplexRow ones(of_c128, ComplexNumbers(32, {1, 1}));
    for (const double bad :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 0x1p1000})
        for (const Complex element : {Complex{bad, 0}, Complex{0, bad}}) {
            ComplexNumbers x(32, {1, 1});
            x[7] = element;
            EXPECT_FALSE(simulated::count_for(ComplexRow(of_c128, x), ones).has_value()) << bad;
            EXPECT_FALSE(simulated::count_for(ones, ComplexRow(of_c128, x)).has_value()) << bad;
        }
}

TEST(ComplexRemainders, ProductsOfWholeNumbersAreExact) {
    Random random(6);
    for (const Set& set : {of_c128, of_c64})
        for (const double most : {1.0, 3.0, 1023.0})
            for (const std::size_t k : {5u, 64u, 600u})
                for (int n = 0; n < 8; ++n) {
                    const auto any = [&] { return std::rint(random.between(-most, most)); };
                    ComplexNumbers x(k), y(k);
                    Complex sum = 0;
                    for (std::size_t i = 0; i < k; ++i) {
                        x[i] = {any(), any()}, y[i] = {any(), any()};
                        if (n % 4 == 1 && i % 2 == 1) x[i] = x[i - 1], y[i] = -y[i - 1];  // the sum cancels
                        sum += x[i] * y[i];
                    }
                    for (int count = set.least; count <= set.most(); ++count)
                        ASSERT_EQ(simulated::dot(ComplexRow(set, x), ComplexRow(set, y), count), sum)
                            << most << " k " << k << " by " << count;
                }
}

}  // namespace
