// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Bad input gets a status, and the throwing face a sentence.
#include <gtest/gtest.h>

#include <cfloat>
#include <limits>

#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {
namespace {

TEST(EffortRefusals, WhatCantBeBuilt) {
    const Weights good(4, 3, Type::f32, 1);
    EffortMatrix into;
    const auto refused = [&into](const Matrix& matrix, const EffortBuild& how = {}) {
        return !try_build_effort(matrix, how, into);
    };
    EXPECT_FALSE(refused(good.matrix));
    EXPECT_TRUE(refused(good.matrix, {.layout = EffortLayout::buckets, .bucket = 12}));
    Matrix bad = good.matrix;
    bad.rows = 0;
    EXPECT_TRUE(refused(bad));
    bad = good.matrix, bad.type = Type::f64;
    EXPECT_TRUE(refused(bad));
    bad = good.matrix, bad.data = nullptr;
    EXPECT_TRUE(refused(bad));
    bad = good.matrix, bad.rows = std::int64_t{1} << 40;
    EXPECT_TRUE(refused(bad));
    bad = good.matrix, bad.type = static_cast<Type>(8);
    EXPECT_TRUE(refused(bad));
    bad = good.matrix, bad.row_step = INT64_MAX;
    EXPECT_TRUE(refused(bad));
    EXPECT_TRUE(refused(good.matrix, {.layout = static_cast<EffortLayout>(7)}));
    EXPECT_FALSE(try_build_effort(std::span<const Matrix>{}, {}, into));
    const Weights other(4, 2, Type::f32, 1);
    const Matrix unlike[] = {good.matrix, other.matrix};
    EXPECT_FALSE(try_build_effort(unlike, {}, into));
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Weights weights(40, 30, Type::f16, 1);
        store_element(weights.matrix, 39, 29, value);
        EXPECT_TRUE(refused(weights.matrix));
        EXPECT_THROW(build_effort(weights.matrix), Error);
    }
}

TEST(EffortRefusals, PlanesThatAreLeftOut) {
    const Weights good(4, 3, Type::f32, 1);
    EffortMatrix into;
    const auto refused = [&](const EffortBuild& how) { return !try_build_effort(good.matrix, how, into); };
    EXPECT_FALSE(refused({.planes = 2}));
    EXPECT_TRUE(refused({.planes = 1}));
    EXPECT_TRUE(refused({.planes = 4}));
    EXPECT_TRUE(refused({.layout = EffortLayout::tiers, .planes = 2}));
    EXPECT_TRUE(refused({.layout = EffortLayout::buckets, .bucket = 2}));
    const EffortMatrix two = build_effort(good.matrix, {.planes = 2});
    std::vector<float> v(3, 1.f), y(4);
    EffortReport report;
    const Status status = try_matvec(two, v, y, Budget::effort(.5), {.device = "metal-check"}, report);
    if (status.code == Code::no_device) GTEST_SKIP() << status.text;
    EXPECT_NE(explain_effort(status, two).find("planes without the last one are multiplied on the device cpu alone"),
              std::string::npos)
        << explain_effort(status, two);
    EXPECT_EQ(try_place_effort(two, "metal-check").code, Code::unsupported);
    EXPECT_TRUE(try_place_effort(two, "cpu"));
}

TEST(EffortRefusals, ThereIsAReportForEachResultOrNone) {
    const EffortMatrix matrix = build_effort(Weights(4, 3, Type::f32, 1).matrix);
    std::vector<float> v(6, 1), y(8);
    EffortReport reports[3];
    for (const std::size_t count : {0u, 1u, 2u, 3u})
        EXPECT_EQ(static_cast<bool>(try_matvec_batch(matrix, {v.data(), 2, 3}, {y.data(), 2, 4}, Budget::effort(1), {},
                                                     std::span(reports, count))),
                  count == 0 || count == 2)
            << count;
    const int chosen[] = {0, 0};
    for (const std::size_t count : {0u, 1u, 2u, 3u})
        EXPECT_EQ(static_cast<bool>(try_matvec_experts(matrix, chosen, {v.data(), 2, 3}, {y.data(), 2, 4},
                                                       Budget::effort(1), {}, std::span(reports, count))),
                  count == 0 || count == 2)
            << count;
}

TEST(EffortBudget, NoErrorAtAllReadsEverything) {
    // The last inputs weigh next to nothing: an error of 0 reads them all the same.
    Weights weights(40, 32, Type::f32, 3);
    for (std::int64_t o = 0; o < 40; ++o)
        for (std::int64_t i = 16; i < 32; ++i) store_element(weights.matrix, o, i, 0);
    for (const EffortLayout layout : {EffortLayout::buckets, EffortLayout::tiers, EffortLayout::planes}) {
        const EffortMatrix matrix = build_effort(weights.matrix, {.layout = layout, .dense = DenseCopy::absent});
        const Answer answer = product(matrix, gauss(32, 4), Budget::error(0), {.dense = DenseSwitch::never});
        EXPECT_EQ(answer.report.rows_read, answer.report.rows) << name_of(layout);
    }
}

TEST(EffortRefusals, WhatCantBeStacked) {
    const Weights one(4, 3, Type::f32, 1), longer(4, 2, Type::f32, 1), halves(4, 3, Type::f16, 1);
    EffortMatrix into;
    const auto stacked = [&into](std::initializer_list<Matrix> parts) {
        return try_build_effort_stack({parts.begin(), parts.size()}, {}, into);
    };
    EXPECT_TRUE(stacked({one.matrix, one.matrix}));
    EXPECT_FALSE(stacked({}));
    EXPECT_FALSE(stacked({one.matrix, longer.matrix}));
    EXPECT_FALSE(stacked({one.matrix, halves.matrix}));
    Matrix bad = one.matrix;
    bad.data = nullptr;
    EXPECT_FALSE(stacked({one.matrix, bad}));
    bad = one.matrix, bad.rows = std::int64_t{1} << 62;
    EXPECT_FALSE(stacked({bad, bad, bad}));
    std::vector<double> wide(12, 1.);
    bad = one.matrix, bad.type = Type::f64, bad.data = wide.data();
    EXPECT_FALSE(stacked({bad}));
    EXPECT_THROW(build_effort_stack({}), Error);
}

TEST(EffortRefusals, WhatCantBeMultiplied) {
    const Weights weights(4, 3, Type::f32, 1);
    const EffortMatrix m = build_effort(weights.matrix);
    std::vector<float> v(3, 1.f), y(4);
    EffortReport report;
    const auto refused = [&](std::span<const float> from, std::span<float> to, Budget budget,
                             const EffortOptions& options = {}) {
        return !try_matvec(m, from, to, budget, options, report);
    };
    EXPECT_FALSE(refused(v, y, Budget::effort(.5)));
    EXPECT_TRUE(refused(std::span(v).first(2), y, Budget::effort(.5)));
    EXPECT_TRUE(refused(v, std::span(y).first(3), Budget::effort(.5)));
    EXPECT_TRUE(refused(v, y, Budget::effort(-.1)));
    EXPECT_TRUE(refused(v, y, Budget::effort(1.1)));
    EXPECT_TRUE(refused(v, y, Budget::effort(std::nan(""))));
    EXPECT_TRUE(refused(v, y, Budget::error(-1)));
    EXPECT_TRUE(refused(v, y, Budget::error(std::nan(""))));
    EXPECT_TRUE(refused(v, y, Budget::effort(.5), {.device = "moon"}));
    EXPECT_TRUE(refused(v, y, Budget::effort(.5), {.kernels = "abacus"}));
    v[1] = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(refused(v, y, Budget::effort(.5)));
    EXPECT_FALSE(try_matvec(EffortMatrix(), v, y, Budget::effort(.5), {}, report));
    const int there_is_none[] = {1};
    EXPECT_FALSE(try_matvec_experts(m, there_is_none, {v.data(), 1, 3}, {y.data(), 1, 4}, Budget::effort(.5), {}, {}));
    try {
        matvec(m, std::span(v).first(2), y, Budget::effort(.5));
        FAIL() << "two values for three inputs";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("3 inputs"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("got 2 values"), std::string::npos);
    }
}

/// Vectors and weights at the ends of the range, and a transposed view.
TEST(EffortRefusals, WhatIsOddButRight) {
    for (const EffortLayout layout : every_layout)
        for (const double scale : {1e-30, 1e-4, 1e4, 1e30}) {
            const Weights weights(200, 150, Type::f32, 2, scale);
            std::vector<float> v = gauss(150, 3);
            for (float& x : v) x *= static_cast<float>(1e-3 / scale);
            const EffortMatrix m = build_effort(weights.matrix, {.layout = layout, .dense = DenseCopy::absent});
            const Answer a = product(m, v, Budget::effort(.5));
            const double error = relative_error(a.y, exact(weights.matrix, v));
            EXPECT_NEAR(a.report.estimated_error, error, .25 * error) << name_of(layout) << ' ' << scale;
        }
    const Weights weights(30, 20, Type::f32, 4);
    const EffortMatrix turned = build_effort(weights.matrix.transposed(), {.layout = EffortLayout::tiers});
    const std::vector<float> v = gauss(30, 5);
    EXPECT_LE(relative_error(product(turned, v, Budget::effort(1)).y, exact(weights.matrix.transposed(), v)), 1e-6);
}

}  // namespace
}  // namespace tw::effort_tests
