// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How far the products are from the exact ones, against what each layout promises for what it reads.
#include <gtest/gtest.h>

#include "rooms/effort/samples.hpp"
#include "support/sanitized.hpp"

namespace tw::effort_tests {
namespace {

constexpr std::int64_t outputs = 1024, inputs = 4096;
constexpr EffortOptions by_layout{.dense = DenseSwitch::never};

/// One matrix for the tests of this file, built in each layout once.
struct Subject {
    Weights weights{outputs, inputs, Type::f32, 1, 0.02};
    EffortMatrix buckets = build_effort(weights.matrix, {.layout = EffortLayout::buckets});
    EffortMatrix planes = build_effort(weights.matrix, {.layout = EffortLayout::planes});
    EffortMatrix tiers = build_effort(weights.matrix, {.layout = EffortLayout::tiers});
    std::vector<float> gauss_v = gauss(inputs, 2), gated_v = gated(inputs, 3);
    std::vector<double> gauss_y = exact(weights.matrix, gauss_v), gated_y = exact(weights.matrix, gated_v);
};
const Subject& subject() {
    static const Subject made;
    return made;
}

struct Bar {
    double effort, gauss, gated;
};

TEST(EffortQuality, BucketsKeepTheirBars) {
    const Subject& s = subject();
    for (const Bar& bar : {Bar{1, 0.0035, 0.0035}, Bar{.5, .145, .077}, Bar{.25, .355, .21}, Bar{.1, .60, .39}}) {
        EXPECT_LE(relative_error(product(s.buckets, s.gauss_v, Budget::effort(bar.effort), by_layout).y, s.gauss_y),
                  bar.gauss)
            << bar.effort;
        EXPECT_LE(relative_error(product(s.buckets, s.gated_v, Budget::effort(bar.effort), by_layout).y, s.gated_y),
                  bar.gated)
            << bar.effort;
    }
}

TEST(EffortQuality, PlanesKeepTheirBarsAtEqualBytes) {
    const Subject& s = subject();
    const double whole = static_cast<double>(s.planes.bytes()) / static_cast<double>(s.planes.fp16_bytes());
    for (const Bar& bar :
         {Bar{.53, .0065, .0065}, Bar{.35, .042, .02}, Bar{.28, .072, .036}, Bar{.25, .09, .046}, Bar{.10, .37, .20}}) {
        const Budget budget = Budget::effort(std::min(1.0, bar.effort / whole));
        EXPECT_LE(relative_error(product(s.planes, s.gauss_v, budget).y, s.gauss_y), bar.gauss) << bar.effort;
        EXPECT_LE(relative_error(product(s.planes, s.gated_v, budget).y, s.gated_y), bar.gated) << bar.effort;
    }
}

TEST(EffortQuality, ThePredictedErrorIsWithinTenPerCentOfTheTrueOne) {
    const Subject& s = subject();
    for (const EffortMatrix* m : {&s.buckets, &s.tiers, &s.planes})
        for (const double effort : {1., .7, .5, .35, .25, .15, .1, .05}) {
            if (m == &s.tiers && effort == 1) continue;  // exact but for the order of summation
            if (!test::has_its_turn(5)) continue;
            const Answer gauss_a = product(*m, s.gauss_v, Budget::effort(effort), by_layout);
            const double gauss_error = relative_error(gauss_a.y, s.gauss_y);
            EXPECT_NEAR(gauss_a.report.estimated_error, gauss_error, .1 * gauss_error)
                << name_of(m->layout()) << ' ' << effort;
            const Answer gated_a = product(*m, s.gated_v, Budget::effort(effort), by_layout);
            const double gated_error = relative_error(gated_a.y, s.gated_y);
            EXPECT_NEAR(gated_a.report.estimated_error, gated_error, .1 * gated_error)
                << name_of(m->layout()) << ' ' << effort;
        }
}

// Of weights that are all 1 or -1 planes lose nothing: what is left is the vector's rounding.
TEST(EffortQuality, TheRoundingOfAVectorIsPredicted) {
    Weights weights(512, 512, Type::f32, 5);
    for (std::int64_t o = 0; o < 512; ++o)
        for (std::int64_t i = 0; i < 512; ++i)
            store_element(weights.matrix, o, i, load_element(weights.matrix, o, i) > 0 ? 1 : -1);
    for (const int planes : {2, 3}) {
        const EffortMatrix matrix = build_effort(weights.matrix, {.layout = EffortLayout::planes, .planes = planes});
        double predicted = 0, found = 0;  // squares of eight
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const std::vector<float> v = gauss(512, seed);
            const Answer answer = product(matrix, v, Budget::effort(1), by_layout);
            const double error = relative_error(answer.y, exact(weights.matrix, v));
            predicted += answer.report.estimated_error * answer.report.estimated_error, found += error * error;
        }
        EXPECT_GT(predicted, 0.8 * found) << planes;
        EXPECT_LT(predicted, 2 * found) << planes;
    }
}

TEST(EffortQuality, TwoPlanesHaveFourAndAHalfBitsAndSayWhatThatCosts) {
    const Subject& s = subject();
    const EffortMatrix two = build_effort(s.weights.matrix, {.planes = 2});
    EXPECT_EQ(two.planes(), 2);
    EXPECT_EQ(s.planes.planes(), 3);
    EXPECT_EQ(s.tiers.planes(), 0);
    EXPECT_EQ(two.bytes() * 16, two.fp16_bytes() * 9 / 2);
    EXPECT_LT(static_cast<double>(two.bytes_held()), .295 * static_cast<double>(two.fp16_bytes()));
    for (const double effort : {1., .7, .5, .25})
        for (const bool is_gated : {false, true}) {
            const Answer a = product(two, is_gated ? s.gated_v : s.gauss_v, Budget::effort(effort));
            const double error = relative_error(a.y, is_gated ? s.gated_y : s.gauss_y);
            EXPECT_NEAR(a.report.estimated_error, error, .1 * error) << effort;
            EXPECT_LE(static_cast<double>(a.report.bytes_read), effort * static_cast<double>(two.bytes()));
        }
    const Answer all = product(two, s.gauss_v, Budget::effort(1));
    EXPECT_LE(relative_error(all.y, s.gauss_y), .1);
    const Answer unmet = product(two, s.gauss_v, Budget::error(.01));
    EXPECT_EQ(unmet.y, all.y) << "everything is read where the error can't be had, and the report says what it is";
    EXPECT_GT(unmet.report.estimated_error, .05);
}

TEST(EffortQuality, AnErrorAskedForIsKeptWithinThePrediction) {
    const Subject& s = subject();
    for (const EffortMatrix* m : {&s.buckets, &s.tiers, &s.planes})
        for (const double error : {.5, .2, .1, .05, .02, .009}) {
            if (!test::has_its_turn(5)) continue;
            const Answer a = product(*m, s.gauss_v, Budget::error(error), by_layout);
            EXPECT_LE(relative_error(a.y, s.gauss_y), 1.1 * error) << name_of(m->layout());
            EXPECT_LT(a.report.rows_read, a.report.rows) << name_of(m->layout()) << ' ' << error;
        }
}

}  // namespace
}  // namespace tw::effort_tests
