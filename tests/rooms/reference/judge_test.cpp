// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The judge judged: what is right passes, and each way of being wrong does not.
#include "reference/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/element.hpp"
#include "reference/fill.hpp"

namespace {

using namespace tw;
using reference::Fill;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double u = 0x1p-24;

/// A product in plain f32, and room to spoil it.
struct Product {
    std::int64_t m, n, k;
    std::vector<float> a, b, c0, c;
    reference::Question question;
    Matrix result;

    Product(std::int64_t rows, std::int64_t cols, std::int64_t depth, Fill how = Fill::normal, double alpha = 1,
            double beta = 0)
        : m(rows), n(cols), k(depth), a(size(m * k)), b(size(k * n)), c0(size(m * n)), c(size(m * n)) {
        const Matrix am = erase(View(a.data(), m, k)), bm = erase(View(b.data(), k, n));
        const Matrix c0m = erase(View(c0.data(), m, n));
        reference::fill_operands(am, bm, how, 7);
        reference::fill(c0m, beta == 0 ? Fill::integers : how, 8);
        question = {am, bm, c0m, alpha, beta};
        result = erase(View(c.data(), m, n));
        multiply();
    }

    void multiply() {
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                float sum = 0;
                for (std::int64_t p = 0; p < k; ++p) sum += a[size(i * k + p)] * b[size(p * n + j)];
                const float old = question.beta == 0 ? 0 : static_cast<float>(question.beta) * c0[size(i * n + j)];
                at(i, j) = static_cast<float>(question.alpha) * sum + old;
            }
    }

    float& at(std::int64_t i, std::int64_t j) { return c[size(i * n + j)]; }
    double bound() const { return (static_cast<double>(k) + 2) * u * (1 + 1e-3); }
    reference::Verdict verdict() const { return judge(question, result, {.bound = bound()}); }

    static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }
};

TEST(Judge, PassesACorrectProduct) {
    for (const Fill how : reference::every_fill) {
        const Product product(13, 11, 70, how);
        const auto verdict = product.verdict();
        EXPECT_TRUE(verdict.ok) << name_of(how) << ": " << verdict.sentence();
        EXPECT_EQ(verdict.checked, 13 * 11);
    }
}

TEST(Judge, PassesScaledProducts) {
    for (const double alpha : {0.0, 1.0, -1.0, 0.1})
        for (const double beta : {0.0, 1.0, -1.0, 0.3}) {
            const auto verdict = Product(9, 17, 33, Fill::normal, alpha, beta).verdict();
            EXPECT_TRUE(verdict.ok) << alpha << " " << beta << ": " << verdict.sentence();
        }
}

TEST(Judge, FailsAResultOfNothingButNaN) {
    Product product(8, 8, 8);
    reference::fill_with(product.result, nan);
    const auto verdict = product.verdict();
    EXPECT_FALSE(verdict.ok);
    EXPECT_EQ(verdict.wrong, 64);
    EXPECT_EQ(verdict.worst, inf);
}

TEST(Judge, FailsOneWrongElementAndNamesIt) {
    Product product(20, 30, 16, Fill::uniform);
    product.at(19, 29) *= 1 + 64 * static_cast<float>(u);
    const auto verdict = product.verdict();
    EXPECT_FALSE(verdict.ok);
    EXPECT_EQ(verdict.wrong, 1);
    EXPECT_EQ(verdict.row, 19);
    EXPECT_EQ(verdict.col, 29);
    EXPECT_NE(verdict.sentence().find("element (19, 29) is"), std::string::npos) << verdict.sentence();
}

TEST(Judge, FailsATransposedResult) {
    Product product(12, 12, 12);
    product.result = product.result.transposed();
    EXPECT_FALSE(product.verdict().ok);
}

TEST(Judge, FailsAMissingLastColumn) {
    Product product(12, 9, 12);
    for (std::int64_t i = 0; i < 12; ++i) product.at(i, 8) = 0;
    const auto verdict = product.verdict();
    EXPECT_FALSE(verdict.ok);
    EXPECT_EQ(verdict.wrong, 12);
}

TEST(Judge, FailsOneNaNAmongRightElements) {
    Product product(12, 9, 12);
    product.at(5, 5) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(product.verdict().ok);
}

TEST(Judge, ExactMeansToTheLastBit) {
    Product product(12, 9, 12, Fill::integers);
    EXPECT_TRUE(judge(product.question, product.result, {}).ok);
    product.at(3, 4) = std::nextafter(product.at(3, 4), 1e9f);
    EXPECT_FALSE(judge(product.question, product.result, {}).ok);
}

TEST(Judge, WantsNaNAndInfWhereIeeeArithmeticPutsThem) {
    Product product(6, 6, 6);
    product.a[Product::size(2 * 6 + 3)] = static_cast<float>(inf);  // row 2 is Inf, by the sign of B's row 3
    product.a[Product::size(4 * 6 + 1)] = static_cast<float>(nan);  // row 4 is NaN
    product.b[Product::size(3 * 6 + 5)] = 0;                        // 0 * Inf at (2, 5)
    product.multiply();
    EXPECT_TRUE(std::isinf(product.at(2, 0)));
    EXPECT_TRUE(std::isnan(product.at(2, 5)));
    EXPECT_TRUE(product.verdict().ok) << product.verdict().sentence();

    for (const auto& [i, j, wrong] : {std::tuple{2, 5, 1.0f}, {2, 0, 1e30f}, {4, 4, 0.0f}, {4, 0, 3.0f}}) {
        Product spoilt = product;
        spoilt.result = erase(View(spoilt.c.data(), 6, 6));
        spoilt.at(i, j) = wrong;
        EXPECT_FALSE(spoilt.verdict().ok) << i << " " << j;
    }
    product.at(2, 0) = -product.at(2, 0);
    EXPECT_FALSE(product.verdict().ok) << "the other Inf";
}

TEST(Judge, FailsAnInfThatNothingCalledFor) {
    Product product(4, 4, 8, Fill::huge);
    EXPECT_TRUE(product.verdict().ok);
    product.at(1, 1) = static_cast<float>(inf);
    EXPECT_FALSE(product.verdict().ok);
}

TEST(Judge, LetsSumsBeyondTheRangeOverflowButNotBeWrong) {
    Product product(4, 4, 8, Fill::overflowing);
    product.at(1, 1) = static_cast<float>(inf);
    EXPECT_TRUE(product.verdict().ok) << product.verdict().sentence();
    Product small(1, 1, 2, Fill::overflowing);
    small.at(0, 0) += 1e37f;
    EXPECT_FALSE(small.verdict().ok);
}

TEST(Judge, SeesSubnormalsFlushed) {
    Product product(5, 5, 5);
    reference::fill_with(product.question.a, 0x1p-140);
    product.multiply();
    EXPECT_TRUE(product.verdict().ok) << product.verdict().sentence();
    reference::fill_with(product.result, 0);
    EXPECT_FALSE(product.verdict().ok);
    EXPECT_TRUE(judge(product.question, product.result, {.bound = product.bound(), .flush = 0x1p-126}).ok);
}

TEST(Judge, CountsSmallElementsAsTheLeastWhenAskedTo) {
    Product product(1, 1, 2);
    product.a = {1, 0x1p-40f}, product.b = {0x1p-40f, 1};
    product.at(0, 0) = 0x1p-39f + 0x1p-35f;
    EXPECT_FALSE(product.verdict().ok);
    EXPECT_TRUE(judge(product.question, product.result, {.bound = product.bound(), .least = 0x1p-14}).ok);
    EXPECT_FALSE(judge(product.question, product.result, {.bound = product.bound(), .least = 0x1p-16}).ok);
}

TEST(Judge, WantsTheVeryAnswerWhereNothingIsAllowed) {
    Product product(1, 1, 1);
    for (const float one : {0.f, 0x1p-149f, 1.f, -3.f}) {
        product.a = {one}, product.b = {1};
        product.at(0, 0) = one;
        EXPECT_TRUE(judge(product.question, product.result, {}).ok) << one;
        for (const float other : {std::nextafter(one, 9.f), std::nextafter(one, -9.f)}) {
            product.at(0, 0) = other;
            EXPECT_FALSE(judge(product.question, product.result, {}).ok) << one;
        }
    }
}

TEST(Judge, GivesNarrowResultsOneRoundingMore) {
    Product product(7, 7, 40, Fill::symmetric);
    std::vector<bfloat16> narrow(49);
    const Matrix result = erase(View(narrow.data(), 7, 7));
    for (std::int64_t i = 0; i < 7; ++i)
        for (std::int64_t j = 0; j < 7; ++j) store_element(result, i, j, static_cast<double>(product.at(i, j)));
    EXPECT_TRUE(judge(product.question, result, {.bound = product.bound()}).ok);
    narrow[10].bits ^= 2;  // two units of the last place of a bf16
    EXPECT_FALSE(judge(product.question, result, {.bound = product.bound()}).ok);
}

TEST(Judge, DrawsRowsWhenAllWouldCostTooMuch) {
    Product product(64, 8, 8);
    const reference::Care little{.products = 10 * 8 * 8};
    auto verdict = judge(product.question, product.result, {.bound = product.bound()}, little);
    EXPECT_TRUE(verdict.ok);
    EXPECT_LE(verdict.checked, 10 * 8);
    EXPECT_GE(verdict.checked, 2 * 8);
    product.at(63, 0) += 1;
    verdict = judge(product.question, product.result, {.bound = product.bound()}, little);
    EXPECT_FALSE(verdict.ok) << "the last row is always drawn";
}

TEST(Judge, JudgesThroughTheEpilogue) {
    Product product(6, 5, 10);
    const std::vector<float> bias_values{1, -2, 3, -4, 5};
    product.question.epilogue = bias_gelu(bias_values);
    for (std::int64_t i = 0; i < 6; ++i)
        for (std::int64_t j = 0; j < 5; ++j) {
            const float x = product.at(i, j) + bias_values[Product::size(j)];
            product.at(i, j) = 0.5f * x * (1 + std::erf(x * 0.70710678f));
        }
    EXPECT_TRUE(product.verdict().ok) << product.verdict().sentence();
    product.at(0, 0) += 1e-4f;
    EXPECT_FALSE(product.verdict().ok);
}

}  // namespace
