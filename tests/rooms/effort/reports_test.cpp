// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Reports of products that are made together: what one is told about is what it is told about alone. What was chosen
// for all of them lies in memory while each is accounted for.
#include <gtest/gtest.h>

#include <cstring>

#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {
namespace {

struct Experts {
    std::int64_t inputs, outputs;
    Weights first{outputs, inputs, Type::f16, 21}, second{outputs, inputs, Type::f16, 22};
    std::vector<int> chosen{0, 1, 1, 0, 1};
    std::vector<float> v;

    Experts(std::int64_t inputs, std::int64_t outputs) : inputs(inputs), outputs(outputs) {
        for (std::size_t p = 0; p < chosen.size(); ++p)
            for (const float x : gauss(inputs, 30 + p)) v.push_back(x * static_cast<float>(p + 1));
    }
    EffortMatrix built(EffortLayout layout) const {
        const Matrix both[] = {first.matrix, second.matrix};
        return build_effort(both, {.layout = layout});
    }
    /// `count` of them from `begin` on.
    Status multiply(const EffortMatrix& m, std::size_t begin, std::size_t count, Budget budget,
                    const EffortOptions& options, std::vector<float>& y, std::span<EffortReport> reports) const {
        const auto rows = static_cast<std::int64_t>(count), skipped = static_cast<std::int64_t>(begin);
        return try_matvec_experts(m, std::span(chosen).subspan(begin, count),
                                  {v.data() + skipped * inputs, rows, inputs},
                                  {y.data() + skipped * outputs, rows, outputs}, budget, options, reports);
    }
};

void expect_as_alone(const Experts& x, EffortLayout layout, Budget budget, const EffortOptions& options) {
    const EffortMatrix m = x.built(layout);
    std::vector<float> y(x.chosen.size() * static_cast<std::size_t>(x.outputs)), alone(y);
    std::vector<EffortReport> reports(x.chosen.size());
    const Status status = x.multiply(m, 0, x.chosen.size(), budget, options, y, reports);
    ASSERT_TRUE(status) << status.text;
    for (std::size_t p = 0; p < x.chosen.size(); ++p) {
        SCOPED_TRACE(testing::Message() << name_of(layout) << ", product " << p);
        EffortReport one[1];
        ASSERT_TRUE(x.multiply(m, p, 1, budget, options, alone, one));
        EXPECT_EQ(reports[p].rows_read, one[0].rows_read);
        EXPECT_EQ(reports[p].rows, one[0].rows);
        EXPECT_EQ(reports[p].bytes_read, one[0].bytes_read);
        EXPECT_EQ(reports[p].bytes, one[0].bytes);
        EXPECT_EQ(reports[p].cutoff, one[0].cutoff);
        EXPECT_EQ(reports[p].estimated_error, one[0].estimated_error);
        EXPECT_EQ(reports[p].dense, one[0].dense);
    }
    EXPECT_EQ(0, std::memcmp(y.data(), alone.data(), y.size() * sizeof(float))) << name_of(layout);
}

TEST(EffortReports, OfExpertsAreThoseOfEachAlone) {
    const Experts x(400, 320);
    for (const EffortLayout layout : every_layout)
        for (const DenseSwitch dense : {DenseSwitch::never, DenseSwitch::when_quicker})
            for (const Budget budget : {Budget::effort(.3), Budget::effort(.8), Budget::effort(1), Budget::error(.1)})
                expect_as_alone(x, layout, budget, {.dense = dense});
}

// Here the kernels choose what is read, in memory that is the host's.
TEST(EffortReports, OfExpertsWhereKernelsChooseAreThoseOfEachAlone) {
    const Experts x(96, 64);
    for (const EffortLayout layout : every_layout) {
        std::vector<float> y(5 * 64);
        const EffortOptions executed{.device = "metal-check"};
        if (const Status first = x.multiply(x.built(layout), 0, 1, Budget::effort(.4), executed, y, {});
            first.code == Code::no_device)
            GTEST_SKIP() << first.text;
        expect_as_alone(x, layout, Budget::effort(.4), executed);
    }
}

}  // namespace
}  // namespace tw::effort_tests
