// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The epilogue's arithmetic: near the C library's, the same bits on every instruction set and wherever C lies.
#include "epilogue/finish.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/cpu_features.hpp"
#include "epilogue/finish_rows.hpp"

namespace tw {
namespace {

constexpr Activation activations[] = {Activation::none, Activation::relu, Activation::gelu, Activation::silu};

double exactly(Activation activation, double x) {
    switch (activation) {
        case Activation::none: break;
        case Activation::relu: return x < 0 ? 0 : x;
        case Activation::gelu: return 0.5 * x * std::erfc(-x * 0.70710678118654752440);
        case Activation::silu: return x / (1 + std::exp(-x));
    }
    return x;
}

/// Numbers of every size, both signs, dense where the activations bend.
std::vector<float> arguments() {
    std::vector<float> x{0.f, -0.f};
    for (int i = -30000; i <= 30000; ++i) x.push_back(static_cast<float>(i) * 0x1p-10f);
    for (float magnitude = 0x1p-149f; magnitude < 0x1p127f; magnitude *= 1.7f)
        x.push_back(magnitude), x.push_back(-magnitude);
    return x;
}

TEST(Finish, ActivationsInF32AreWithinTwoUnitsOfTheLastPlace) {
    const std::vector<float> x = arguments();
    for (const Activation activation : activations) {
        std::vector<float> c = x;
        finish(erase(View(c.data(), 1, static_cast<std::int64_t>(c.size()))), 1, with({}, activation));
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double right = exactly(activation, static_cast<double>(x[i]));
            const double allowed = 2 * 0x1p-24 * std::fabs(right) + 0x1p-149;
            ASSERT_LE(std::fabs(static_cast<double>(c[i]) - right), allowed)
                << "activation " << static_cast<int>(activation) << " of " << x[i];
        }
    }
}

TEST(Finish, ActivationsInF64AreAsGoodAsF64) {
    for (const Activation activation : {Activation::gelu, Activation::silu})
        for (const std::int64_t step : {1, 2}) {  // in place, and in strips
            std::vector<double> x, c;
            for (int i = -800; i <= 800; ++i) x.push_back(i / 100.0), x.push_back(0);
            c = x;
            const auto count = static_cast<std::int64_t>(x.size()) / step;
            finish(erase(View(c.data(), 1, count, count * step, step)), 1, with({}, activation));
            for (std::size_t i = 0; i < x.size(); i += 2) {
                const double right = exactly(activation, x[i]);
                // erf() of -1 and a little has lost what erfc() keeps: 2^-53 of x, not of the result.
                EXPECT_NEAR(c[i], right, 4 * 0x1p-53 * std::fabs(x[i])) << static_cast<int>(activation) << ' ' << x[i];
            }
        }
}

TEST(Finish, AScaleOfAnySizeCountsWhereverCLies) {
    for (const double scale : {0.25, 0.0, -1.0, 3.0}) {
        float c[2][3] = {{1, 2, 3}, {4, 5, 6}};
        float apart[4] = {1, 99, 2, 99};
        Epilogue epilogue;
        epilogue.scale = scale;
        finish(erase(View(&c[0][0], 2, 3)), 1, epilogue);
        finish(erase(View(apart, 1, 2, 4, 2)), 1, epilogue);
        EXPECT_EQ(c[1][2], static_cast<float>(6 * scale));
        EXPECT_EQ(apart[0], static_cast<float>(scale));
        EXPECT_EQ(apart[2], static_cast<float>(2 * scale));
        EXPECT_EQ(apart[1], 99);
    }
}

TEST(Finish, InfinitiesAndNaNsGoWhereTheFormulasPutThem) {
    constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (const Activation activation : {Activation::gelu, Activation::silu}) {
        std::vector<float> c{infinity, -infinity, nan};
        finish(erase(View(c.data(), 1, 3)), 1, with({}, activation));
        EXPECT_EQ(c[0], infinity);
        EXPECT_TRUE(std::isnan(c[1])) << "minus infinity times 0";
        EXPECT_TRUE(std::isnan(c[2]));
    }
    std::vector<float> c{infinity, -infinity, nan};
    finish(erase(View(c.data(), 1, 3)), 1, relu());
    EXPECT_EQ(c[0], infinity);
    EXPECT_EQ(c[1], 0);
    EXPECT_TRUE(std::isnan(c[2]));
}

template <class T>
std::vector<T> finished_by(const FinishKernel& kernel, Activation activation, std::int64_t rows, std::int64_t cols,
                           bool shared) {
    const std::vector<float> x = arguments();
    std::vector<T> c(x.begin() + 29000, x.begin() + 29000 + rows * cols), addend(c.rbegin(), c.rend());
    const FinishRows work{rows,    cols,          c.data(), cols, addend.data(), shared,
                          !shared, addend.data(), cols,     1.25, activation};
    (sizeof(T) == 4 ? kernel.f32 : kernel.f64)(work);
    return c;
}

TEST(Finish, EveryInstructionSetGivesTheSameBits) {
#if defined(__x86_64__)
    std::vector<const FinishKernel*> kernels;
    if (cpu_features() & cpu_feature::avx2) kernels.push_back(&finish_avx2);
    if (cpu_features() & cpu_feature::avx512) kernels.push_back(&finish_avx512);
    for (const FinishKernel* kernel : kernels)
        for (const Activation activation : activations)
            for (const std::int64_t cols : {1, 3, 8, 29, 64})
                for (const bool shared : {false, true}) {
                    EXPECT_EQ(finished_by<float>(finish_portable, activation, 5, cols, shared),
                              finished_by<float>(*kernel, activation, 5, cols, shared));
                    EXPECT_EQ(finished_by<double>(finish_portable, activation, 5, cols, shared),
                              finished_by<double>(*kernel, activation, 5, cols, shared));
                }
#else
    GTEST_SKIP() << "skipped: there is only one here";
#endif
}

TEST(Finish, AResidualAloneIsAddedWithOneRounding) {
    const std::vector<float> x = arguments(), addend(x.rbegin(), x.rend());
    const auto size = static_cast<std::int64_t>(x.size());
    for (const std::int64_t step : {1, 2}) {  // in place, and in strips
        std::vector<float> c(x.size() * 2), residual(c.size());
        const auto at = [&](std::size_t i) { return i * static_cast<std::size_t>(step); };
        for (std::size_t i = 0; i < x.size(); ++i) c[at(i)] = x[i], residual[at(i)] = addend[i];
        finish(erase(View(c.data(), 1, size, 0, step)), 1, tw::residual(View(residual.data(), 1, size, 0, step)));
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float sum = x[i] + addend[i];
            ASSERT_EQ(std::memcmp(&c[at(i)], &sum, sizeof sum), 0) << x[i] << " + " << addend[i];
        }
    }
}

TEST(Finish, WhereCLiesChangesNoBit) {
    const std::vector<float> x = arguments();
    for (const Activation activation : activations) {
        std::vector<float> dense(x.begin() + 29500, x.begin() + 29500 + 7 * 30), apart(2 * dense.size());
        for (std::size_t i = 0; i < dense.size(); ++i) apart[2 * i] = dense[i];
        const std::vector<float> bias_values(dense.begin(), dense.begin() + 30);
        const Epilogue epilogue = with(bias(bias_values), activation);
        finish(erase(View(dense.data(), 7, 30)), 1, epilogue);
        finish(erase(View(apart.data(), 7, 30, 60, 2)), 1, epilogue);
        for (std::size_t i = 0; i < dense.size(); ++i) ASSERT_EQ(dense[i], apart[2 * i]);
    }
}

}  // namespace
}  // namespace tw
