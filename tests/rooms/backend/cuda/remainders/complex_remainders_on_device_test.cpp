// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex products by remainders on hostile operands: whatever the device decides, more moduli or a plain kernel, the
// bound of a plain sum holds for the real part and for the imaginary part of every element.
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "reference/compensated.hpp"
#include "reference/random.hpp"
#include "rooms/backend/cuda/on_device.hpp"
#include "scheme/scheme.hpp"

namespace on_device {
namespace {

using reference::Random;
using Number = std::complex<double>;

/// Element k of a row of A or a column of B.
struct Fill {
    const char* name;
    Number (*value)(Random&, double share_of_k);
};
Number normal(Random& r) { return {r.normal(), r.normal()}; }
constexpr Fill fills[] = {
    {"normal", [](Random& r, double) { return normal(r); }},
    {"uniform", [](Random& r, double) { return Number{r.between(-1, 1), r.between(-1, 1)}; }},
    {"spread by 2^10", [](Random& r, double) { return normal(r) * std::exp2(r.between(-10, 10)); }},
    {"spread by 2^30", [](Random& r, double) { return normal(r) * std::exp2(r.between(-30, 30)); }},
    {"graded", [](Random& r, double share) { return normal(r) * std::exp2(-50 * share); }},
    {"graded, opposite", [](Random& r, double share) { return normal(r) * std::exp2(-50 * (1 - share)); }},
    {"one huge", [](Random& r, double share) { return normal(r) * (share == 0 ? 1e12 : 1); }},
    {"small imaginary parts", [](Random& r, double) { return Number{r.normal(), 1e-4 * r.normal()}; }},
    {"tiny imaginary parts", [](Random& r, double) { return Number{r.normal(), 1e-19 * r.normal()}; }},
    {"real", [](Random& r, double) { return Number{r.normal(), 0}; }},
    {"mostly zeros", [](Random& r, double) { return r.unit() < .9 ? Number{} : normal(r); }},
};

struct Kind {
    Type type;
    const char *by_remainders, *native;
    double unit, least;
};
constexpr Kind kinds[] = {
    {Type::c128, "cuda.r10_split_remainders.c128", "cuda.r8_dmma_complex.c128", unit_f64,
     std::numeric_limits<double>::denorm_min()},
    {Type::c64, "cuda.r10_split_remainders.c64", "cuda.r7_hierarchical_complex.c64", unit_f32,
     std::numeric_limits<float>::denorm_min()},
};

Number element(Values& of, Type type, std::int64_t i) {
    if (type == Type::c128) return static_cast<const std::complex<double>*>(of.on_host().data)[i];
    return Number(static_cast<const std::complex<float>*>(of.on_host().data)[i]);
}
void set_element(Values& of, Type type, std::int64_t i, Number x) {
    if (type == Type::c128) static_cast<std::complex<double>*>(of.on_host().data)[i] = x;
    else static_cast<std::complex<float>*>(of.on_host().data)[i] = std::complex<float>(x);
}

/// A sum of products in twice as many bits, and what it adds up.
struct ExactPart {
    reference::Twice sum;
    double magnitude = 0;

    void add(double x, double y) {
        sum = reference::add(sum, reference::two_product(x, y)), magnitude += std::fabs(x * y);
    }
};

struct Product {
    static constexpr std::int64_t m = 140, n = 264, k = 150;
    static constexpr double alpha = -1.5;

    explicit Product(const Kind& of) : kind(of) {}

    /// A's rows and B's columns lie along k. Both are read as conjugates where `conj` says so.
    void fill(const Fill& of_a, const Fill& of_b, unsigned seed) {
        Random random(seed);
        const auto share = [](std::int64_t i) { return static_cast<double>(i % k) / static_cast<double>(k); };
        for (std::int64_t i = 0; i < m * k; ++i) set_element(a, kind.type, i, of_a.value(random, share(i)));
        for (std::int64_t i = 0; i < n * k; ++i) set_element(b, kind.type, i, of_b.value(random, share(i)));
        a.send(), b.send();
    }
    void multiply(const char* kernel, Values& to) {
        Matrix left = a.rows(m, k), right = b.columns(k, n);
        left.is_conj = conj_a, right.is_conj = conj_b;
        const Options options{.alpha = alpha, .beta = 0, .device = "cuda", .kernel = kernel};
        const Status status = try_multiply(left, right, to.rows(m, n), options);
        ASSERT_TRUE(status.is_ok()) << status.text;
        to.bring();
    }
    void expect_bound(const char* what) {
        const double bound = gamma(2 * k + 4, kind.unit);
        const auto expect = [&](const ExactPart& part, double is, std::int64_t i, std::int64_t j) {
            const double error = std::fabs((is - part.sum.hi) - part.sum.lo);
            ASSERT_TRUE(error <= bound * part.magnitude + 2 * k * kind.least)
                << kind.by_remainders << ' ' << what << " at " << i << ", " << j << ": " << is << " for "
                << part.sum.hi;
        };
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                ExactPart real, imaginary;
                for (std::int64_t l = 0; l < k; ++l) {
                    Number x = alpha * element(a, kind.type, i * k + l), y = element(b, kind.type, j * k + l);
                    if (conj_a) x = std::conj(x);
                    if (conj_b) y = std::conj(y);
                    real.add(x.real(), y.real()), real.add(-x.imag(), y.imag());
                    imaginary.add(x.real(), y.imag()), imaginary.add(x.imag(), y.real());
                }
                const Number result = element(c, kind.type, i * n + j);
                expect(real, result.real(), i, j), expect(imaginary, result.imag(), i, j);
                if (testing::Test::HasFatalFailure()) return;
            }
    }

    Kind kind;
    bool conj_a = false, conj_b = false;
    Values a{kind.type, m* k, 1}, b{kind.type, n* k, 2}, c{kind.type, m* n, 3};
};

class ComplexRemainders : public OnDevice, public testing::WithParamInterface<Kind> {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        for (const Kernel* kernel : cuda().ladder)
            if (std::string_view(kernel->name) == GetParam().by_remainders && !runs(*kernel))
                GTEST_SKIP() << "this device lacks Hopper's instructions";
    }
};

TEST_P(ComplexRemainders, EveryFillKeepsTheBoundOfAPlainSumForEachPart) {
    Product p(GetParam());
    unsigned seed = 7;
    for (const Fill& of_b : fills)
        for (const Fill& of_a : {of_b, fills[4]}) {
            if (!has_its_turn(7)) continue;
            p.conj_a = seed % 2 == 0, p.conj_b = seed % 3 == 0;
            p.fill(of_a, of_b, seed++);
            p.multiply(p.kind.by_remainders, p.c);
            p.expect_bound(of_b.name);
            if (HasFatalFailure()) return;
        }
}

TEST_P(ComplexRemainders, AnInfAndANaNReachWhatTheyMeetAndNothingElse) {
    Product p(GetParam());
    constexpr std::int64_t m = Product::m, n = Product::n, k = Product::k;
    p.fill(fills[0], fills[0], 9);
    set_element(p.a, p.kind.type, 135 * k + 3, {0, std::numeric_limits<double>::infinity()});
    set_element(p.b, p.kind.type, 260 * k + 5, {std::numeric_limits<double>::quiet_NaN(), 1});
    p.a.send(), p.b.send();
    p.multiply(p.kind.by_remainders, p.c);
    Values expected(p.kind.type, m * n, 4);
    p.multiply(p.kind.native, expected);
    for (std::int64_t i = 0; i < m * n; ++i) {
        const Number is = element(p.c, p.kind.type, i), should = element(expected, p.kind.type, i);
        for (const auto& [x, y] : {std::pair{is.real(), should.real()}, std::pair{is.imag(), should.imag()}})
            ASSERT_TRUE(std::isnan(y) ? std::isnan(x) : x == y || std::fabs(x - y) < 1e4 * p.kind.unit)
                << i << ": " << x << " for " << y;
    }
}

TEST_P(ComplexRemainders, TheSameCallGivesTheSameBits) {
    Product p(GetParam());
    p.fill(fills[2], fills[2], 10);
    p.multiply(p.kind.by_remainders, p.c);
    for (int i = 0; i < 3; ++i) {
        Values again(p.kind.type, Product::m * Product::n, 5);
        p.multiply(p.kind.by_remainders, again);
        EXPECT_TRUE(again.bring() == p.c.bring());
    }
}

INSTANTIATE_TEST_SUITE_P(Types, ComplexRemainders, testing::ValuesIn(kinds),
                         [](const auto& one) { return std::string(name_of(one.param.type)); });

}  // namespace
}  // namespace on_device
