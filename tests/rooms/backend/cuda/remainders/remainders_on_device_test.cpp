// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f64 by remainders on hostile operands: whatever the device decides, more moduli or the matrix unit for doubles, the
// bound of a plain sum holds for every element.
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "reference/compensated.hpp"
#include "reference/random.hpp"
#include "rooms/backend/cuda/on_device.hpp"
#include "scheme/scheme.hpp"

namespace on_device {
namespace {

using reference::Random;

constexpr const char* by_remainders = "cuda.r10_split_remainders.f64";
constexpr const char* native = "cuda.r8_dmma.f64";

/// Element k of a row of A or a column of B.
struct Fill {
    const char* name;
    double (*value)(Random&, double share_of_k);
};
constexpr Fill fills[] = {
    {"normal", [](Random& r, double) { return r.normal(); }},
    {"uniform", [](Random& r, double) { return r.between(-1, 1); }},
    {"spread by 2^10", [](Random& r, double) { return r.normal() * std::exp2(r.between(-10, 10)); }},
    {"spread by 2^30", [](Random& r, double) { return r.normal() * std::exp2(r.between(-30, 30)); }},
    {"spread by 2^60", [](Random& r, double) { return r.normal() * std::exp2(r.between(-60, 60)); }},
    {"graded", [](Random& r, double share) { return r.normal() * std::exp2(-60 * share); }},
    {"graded, opposite", [](Random& r, double share) { return r.normal() * std::exp2(-60 * (1 - share)); }},
    {"one huge", [](Random& r, double share) { return r.normal() * (share == 0 ? 1e14 : 1); }},
    {"huge", [](Random& r, double) { return r.normal() * 0x1p480; }},
    {"subnormal products", [](Random& r, double) { return r.normal() * 0x1p-520; }},
    {"subnormal", [](Random& r, double) { return r.normal() * 0x1p-1060; }},
    {"mostly zeros", [](Random& r, double) { return r.unit() < .9 ? 0 : r.normal(); }},
};

class Remainders : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        for (const Kernel* kernel : cuda().ladder)
            if (std::string_view(kernel->name) == by_remainders && !runs(*kernel))
                GTEST_SKIP() << "this device lacks Hopper's instructions";
    }
};

double* numbers(Values& of) { return static_cast<double*>(of.on_host().data); }

struct Product {
    static constexpr std::int64_t m = 140, n = 264, k = 200;

    /// A's rows and B's columns lie along k.
    void fill(const Fill& of_a, const Fill& of_b, unsigned seed) {
        Random random(seed);
        const auto share = [](std::int64_t i) { return static_cast<double>(i % k) / static_cast<double>(k); };
        for (std::int64_t i = 0; i < m * k; ++i) numbers(a)[i] = of_a.value(random, share(i));
        for (std::int64_t i = 0; i < n * k; ++i) numbers(b)[i] = of_b.value(random, share(i));
        a.send(), b.send();
    }
    void multiply(const char* kernel, Values& to) {
        const Options options{.alpha = -1.5, .beta = 0, .device = "cuda", .kernel = kernel};
        const Status status = try_multiply(a.rows(m, k), b.columns(k, n), to.rows(m, n), options);
        ASSERT_TRUE(status.is_ok()) << status.text;
        to.bring();
    }
    void expect_bound(const char* what) {
        const double bound = gamma(k + 2, unit_f64);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                reference::Twice sum;
                double magnitude = 0;
                for (std::int64_t l = 0; l < k; ++l) {
                    const double x = -1.5 * numbers(a)[i * k + l], y = numbers(b)[j * k + l];
                    sum = reference::add(sum, reference::two_product(x, y)), magnitude += std::fabs(x * y);
                }
                const double result = c[i * n + j], error = std::fabs((result - sum.hi) - sum.lo);
                // Each product may also be rounded where numbers end.
                ASSERT_TRUE(error <= bound * magnitude + k * std::numeric_limits<double>::denorm_min())
                    << what << " at " << i << ", " << j << ": " << result << " for " << sum.hi;
            }
    }

    Values a{Type::f64, m* k, 1}, b{Type::f64, n* k, 2}, c{Type::f64, m* n, 3};
};

TEST_F(Remainders, EveryFillKeepsTheBoundOfAPlainSum) {
    Product p;
    for (const Fill& fill_of_b : fills) {
        if (!has_its_turn(5)) continue;
        p.fill(fill_of_b, fill_of_b, 7);
        p.multiply(by_remainders, p.c);
        p.expect_bound(fill_of_b.name);
        p.fill(fills[5], fill_of_b, 8);
        p.multiply(by_remainders, p.c);
        p.expect_bound(fill_of_b.name);
        if (HasFatalFailure()) return;
    }
}

TEST_F(Remainders, AnInfAndANaNReachWhatTheyMeetAndNothingElse) {
    Product p;
    constexpr std::int64_t m = Product::m, n = Product::n, k = Product::k;
    p.fill(fills[0], fills[0], 9);
    numbers(p.a)[135 * k + 3] = std::numeric_limits<double>::infinity();
    numbers(p.b)[260 * k + 5] = std::numeric_limits<double>::quiet_NaN();
    p.a.send(), p.b.send();
    p.multiply(by_remainders, p.c);
    Values expected(Type::f64, m * n, 4);
    p.multiply(native, expected);
    for (std::int64_t i = 0; i < m * n; ++i) {
        const double is = p.c[i], should = expected[i];
        ASSERT_TRUE(std::isnan(should) ? std::isnan(is) : is == should || std::fabs(is - should) < 1e-10)
            << i << ": " << is << " for " << should;
    }
}

TEST_F(Remainders, TheSameCallGivesTheSameBits) {
    Product p;
    p.fill(fills[2], fills[2], 10);
    p.multiply(by_remainders, p.c);
    for (int i = 0; i < 3; ++i) {
        Values again(Type::f64, Product::m * Product::n, 5);
        p.multiply(by_remainders, again);
        EXPECT_TRUE(again.bring() == p.c.bring());
    }
}

/// k beyond one go.
TEST_F(Remainders, ALongerKGoesNative) {
    constexpr std::int64_t longer = 65537, few = 16;
    const Values x(Type::f64, few * longer, 6), y(Type::f64, few * longer, 7);
    Values to(Type::f64, few * few, 8), expected(Type::f64, few * few, 9);
    for (const auto& [kernel, result] : {std::pair{by_remainders, &to}, std::pair{native, &expected}})
        ASSERT_TRUE(try_multiply(x.rows(few, longer), y.columns(longer, few), result->rows(few, few),
                                 {.reproducible = kernel == native, .device = "cuda", .kernel = kernel})
                        .is_ok());
    EXPECT_TRUE(to.bring() == expected.bring());
}

}  // namespace
}  // namespace on_device
