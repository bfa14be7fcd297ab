// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The curve of the effort dial: its data, its rivals, and its rows on their way through JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rounding.hpp"
#include "measure/effort/curve.hpp"
#include "measure/effort/rivals.hpp"
#include "measure/report/effort.hpp"

namespace tw::measure {
namespace {

double kurtosis(const std::vector<double>& values) {
    double second = 0, fourth = 0;
    for (const double x : values) second += x * x, fourth += x * x * x * x;
    const auto count = static_cast<double>(values.size());
    return fourth / count / (second / count * second / count);
}

std::vector<double> vector_of(EffortData data) {
    const std::vector<float> v = effort_vector(data, 20000, 3);
    return {v.begin(), v.end()};
}

TEST(EffortData, EachKindHasTheTailsOfItsName) {
    EXPECT_NEAR(kurtosis(vector_of(EffortData::gauss)), 3, .3);
    EXPECT_NEAR(kurtosis(vector_of(EffortData::laplace)), 6, 1.2);
    EXPECT_GT(kurtosis(vector_of(EffortData::swiglu)), 8);
    EXPECT_GT(kurtosis(vector_of(EffortData::outlier)), 30);
    std::vector<double> weights;
    for (const float16 w : effort_weights(EffortData::t5, 200, 200, 5).values)
        weights.push_back(static_cast<double>(widen(w)));
    EXPECT_GT(kurtosis(weights), 5);
    EXPECT_EQ(effort_vector(EffortData::laplace, 50, 7), effort_vector(EffortData::laplace, 50, 7));
}

struct Subject {
    EffortWeights weights = effort_weights(EffortData::gauss, 512, 1024, 5);
    std::vector<float> v = effort_vector(EffortData::gauss, 1024, 6);
    std::vector<double> exact = exact_product(weights, v);

    double error_of(const char* layout, double bytes_fraction) const {
        for (const RivalPoint& point : rival_points(weights, v, exact, effort_points)) {
            const bool is_near = std::abs(point.bytes_fraction - bytes_fraction) < 0.005;
            if (is_near && point.layout == std::string(layout)) return point.relative_error;
        }
        return NAN;
    }
};

/// What quantisation of normal weights costs is known: a step of the block's largest over 8 or 127, error a step over
/// root 12.
TEST(EffortRivals, QuantisedFormatsHaveTheErrorsOfTheirSteps) {
    const Subject s;
    EXPECT_NEAR(s.error_of("q4_0", .28125), .08, .012);
    EXPECT_NEAR(s.error_of("q8_0", .53125), .0053, .0009);
    EXPECT_NEAR(s.error_of("q8_top_k", .53125), .0053, .0009);
    EXPECT_NEAR(s.error_of("q4_top_k", .28125), .08, .012);
}

TEST(EffortRivals, TheLargestInputsHaveTheErrorOfTheEnergyLeftOut) {
    const Subject s;
    EXPECT_LT(s.error_of("teal", 1), 1e-12);
    std::vector<float> sizes;
    for (const float x : s.v) sizes.push_back(std::abs(x));
    std::sort(sizes.begin(), sizes.end());
    double all = 0, left_out = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double energy = static_cast<double>(sizes[i]) * static_cast<double>(sizes[i]);
        all += energy;
        if (i < sizes.size() / 2) left_out += energy;
    }
    const double expected = std::sqrt(left_out / all);
    EXPECT_NEAR(s.error_of("teal", .5), expected, .1 * expected);
    EXPECT_GT(s.error_of("teal", .10), s.error_of("q8_top_k", .10));
}

TEST(EffortCurveRows, ABudgetForBytesReadsThoseBytes) {
    const Subject s;
    for (const EffortLayout layout : every_effort_layout) {
        const EffortMatrix m = build_effort(s.weights.matrix(), {.layout = layout, .dense = DenseCopy::absent});
        std::vector<float> y(512);
        for (const double fraction : {.35, .10}) {
            const auto budget = budget_for_bytes(m, fraction);
            ASSERT_TRUE(budget.has_value());
            const EffortReport report = matvec(m, s.v, y, *budget, {.dense = DenseSwitch::never});
            EXPECT_NEAR(static_cast<double>(report.bytes_read) / static_cast<double>(m.fp16_bytes()), fraction, .002);
        }
        EXPECT_EQ(budget_for_bytes(m, 1.0).has_value(), layout != EffortLayout::planes);
    }
}

Run small_run(bool is_speed) {
    const EffortCurve small{.outputs = 64, .inputs = 128, .threads = 1, .seconds = 0.01, .matrices = 2};
    Run run{.command = is_speed ? "effort speed" : "effort quality", .machine = this_machine(), .clock_hz = 1e9};
    if (is_speed) measure_effort_speed(small, {}, run);
    else measure_effort_quality(small, {}, run);
    return run;
}

TEST(EffortTuning, TheByteCostIsTakenWhereTheCurveCrossesTheDenseTime) {
    const TimedBytes dense{100, 10}, points[] = {{5, 4}, {10, 6}, {30, 14}, {50, 20}};
    EXPECT_DOUBLE_EQ(byte_cost_of(points, dense), 100. / 20);
    EXPECT_LT(byte_cost_of(std::span(points).first(2), dense) * 10, 100) << "quicker with all its bytes";
    EXPECT_GT(byte_cost_of(std::span(points).last(2), dense) * 30, 100) << "slower with the fewest that were timed";
}

TEST(EffortTuning, ASpeedSuiteHasThemForEachLayout) {
    const EffortCurve small{.outputs = 64, .inputs = 128, .threads = 2, .seconds = 0.01, .matrices = 2};
    measure::Run run;
    const std::vector<FoundTuning> found = measure_effort_speed(small, {}, run);
    ASSERT_EQ(found.size(), std::size(every_effort_layout));
    for (std::size_t l = 0; l < found.size(); ++l) {
        EXPECT_EQ(found[l].matrix.layout, every_effort_layout[l]);
        EXPECT_EQ(found[l].matrix.outputs, 64);
        EXPECT_EQ(found[l].matrix.inputs, 128);
        EXPECT_EQ(found[l].matrix.kernels, run.rows.back().rung);
        EXPECT_GT(found[l].tuning.byte_cost, 0);
        EXPECT_GE(found[l].tuning.bytes_a_thread, 0);
    }
}

TEST(EffortCurveRows, ProgressGoesFromNothingToAll) {
    const EffortCurve small{.outputs = 64, .inputs = 128, .threads = 1, .seconds = 0.01, .matrices = 2};
    for (const bool is_speed : {false, true}) {
        std::vector<double> shares;
        const Watch watch{[&](const std::string&, double done) { shares.push_back(done); }, {}};
        measure::Run run;
        if (is_speed) measure_effort_speed(small, watch, run);
        else measure_effort_quality(small, watch, run);
        ASSERT_FALSE(shares.empty());
        EXPECT_EQ(shares.front(), 0) << is_speed;
        EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end())) << is_speed;
        EXPECT_GE(shares.back(), 0.5) << is_speed;
        EXPECT_LE(shares.back(), 1) << is_speed;
    }
}

TEST(EffortCurveRows, ProgressIsTheTimeThatWasTaken) {
    const EffortCurve long_one{.outputs = 64, .inputs = 128, .threads = 1, .seconds = 3000, .matrices = 2};
    std::vector<double> shares;
    const Watch watch{[&](const std::string&, double done) { shares.push_back(done); },
                      [&] { return shares.size() > 4; }};
    measure::Run run;
    measure_effort_speed(long_one, watch, run);
    ASSERT_GT(shares.size(), 4u);
    EXPECT_LT(shares.back(), 0.3) << "of the first layout's 1000 s a moment is over";
}

TEST(EffortReportSection, ShowsWhatWasMeasuredAndNothingElse) {
    EXPECT_EQ(effort_section({}, {}).text, "");
    const std::vector<Row> quality = small_run(false).rows, speed = small_run(true).rows;
    const std::string text = effort_section(quality, speed).text;
    for (const char* part : {"Error on random data", "Error inside a gated network", "<h3>Speed</h3>", "q8_top_k",
                             "<svg", "Speed over dense"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_EQ(effort_section(quality, {}).text.find("<h3>Speed"), std::string::npos);
    EXPECT_EQ(effort_section({}, speed).text.find("Error on"), std::string::npos);
}

void expect_back_from_json(const Run& run) {
    const std::vector<Row> back = rows_from_json(to_json(run));
    ASSERT_EQ(back.size(), run.rows.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
        const EffortFigures &there = *run.rows[i].effort, &here = back.at(i).effort.value();
        EXPECT_EQ(here.layout, there.layout);
        EXPECT_EQ(here.data, there.data);
        EXPECT_EQ(here.point, there.point);
        EXPECT_EQ(here.effort, there.effort);
        EXPECT_EQ(here.bytes_fraction, there.bytes_fraction);
        EXPECT_EQ(std::isnan(here.predicted_error), std::isnan(there.predicted_error));
        EXPECT_NEAR(here.gbps, there.gbps, 1e-9 * there.gbps);
        EXPECT_NEAR(here.speedup, there.speedup, 1e-9 * there.speedup);
    }
}

TEST(EffortCurveRows, ComeBackFromJson) {
    expect_back_from_json(small_run(false));
    expect_back_from_json(small_run(true));
}

}  // namespace
}  // namespace tw::measure
