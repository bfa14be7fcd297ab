// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of one call of which some read the dense copy and others do not.
#include <gtest/gtest.h>

#include <vector>

#include "rooms/effort/samples.hpp"
#include "support/guarded_matrix.hpp"

namespace tw::effort_tests {
namespace {

/// Neighbours that read the dense copy are one call, and those that do not another: each with its own products alone.
/// What lies behind the vectors and the results may not be touched.
TEST(EffortNeighbours, VectorsThatNeedEverythingLieBesideSuchThatNeedNothing) {
    constexpr std::int64_t outputs = 300, inputs = 90;
    const Weights first(outputs, inputs, Type::f32, 1), second(outputs, inputs, Type::f32, 2);
    const Matrix experts[] = {first.matrix, second.matrix};
    const EffortMatrix m = build_effort(experts, {.layout = EffortLayout::buckets, .dense = DenseCopy::kept});
    for (const std::vector<int>& chosen : {std::vector<int>{0, 1, 1}, {1, 0, 1, 0, 0}, {0, 0, 1, 1, 0, 1, 1}})
        for (const bool begins_with_zeros : {false, true}) {
            const auto products = static_cast<std::int64_t>(chosen.size());
            const test::GuardedMatrix v(Type::f32, products, inputs), y(Type::f32, products, outputs);
            for (std::int64_t p = 0; p < products; ++p)
                for (std::int64_t i = 0; i < inputs; ++i)
                    store_element(
                        v, p, i, (p % 3 == 1) == begins_with_zeros ? gauss(inputs, 3)[static_cast<std::size_t>(i)] : 0);
            std::vector<EffortReport> reports(chosen.size());
            const auto* vectors = static_cast<const float*>(v.matrix().data);
            auto* results = static_cast<float*>(y.matrix().data);
            ASSERT_TRUE(try_matvec_experts(m, chosen, {vectors, products, inputs}, {results, products, outputs},
                                           Budget::error(1e-7), {}, reports));
            for (std::int64_t p = 0; p < products; ++p) {
                const bool is_zero = (p % 3 == 1) != begins_with_zeros;
                const EffortReport& report = reports[static_cast<std::size_t>(p)];
                EXPECT_EQ(report.dense, !is_zero) << p;
                EXPECT_LE(report.estimated_error, 1e-5) << "the values as given have no error of the layout";
                if (!is_zero) {
                    EXPECT_EQ(report.cutoff, 0) << "everything is read";
                }
                const std::vector<float> row(vectors + p * inputs, vectors + (p + 1) * inputs);
                const std::vector<float> own(results + p * outputs, results + (p + 1) * outputs);
                EXPECT_LE(relative_error(own, exact(experts[chosen[static_cast<std::size_t>(p)]], row)), 1e-5) << p;
            }
        }
}

}  // namespace
}  // namespace tw::effort_tests
