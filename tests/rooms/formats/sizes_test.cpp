// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Budgets of bytes, counted in what the sizes of all units have in common.
#include <gtest/gtest.h>

#include <numeric>

#include "formats/body.hpp"
#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {
namespace {

TEST(UnitWeights, AreTheBytesOfUnitsInTheirCommonPart) {
    const Weights weights(96, 40, Type::f32, 1);
    for (const EffortLayout layout : every_layout) {
        const EffortMatrix m = build_effort(weights.matrix, {.layout = layout});
        const effort::UnitWeights counted(*m.body());
        std::uint32_t common = 0;
        for (int u = 0; u < m.body()->units(); ++u) {
            EXPECT_EQ(counted.of_unit[u] * counted.common, effort::bytes_of_unit(*m.body(), u)) << name_of(layout);
            common = std::gcd(common, counted.of_unit[u]);
        }
        EXPECT_EQ(common, 1u) << name_of(layout);
    }
}

TEST(UnitWeights, AreReachedByWholePartsAndLieWithinThem) {
    const Weights weights(96, 40, Type::f32, 1);
    const EffortMatrix m = build_effort(weights.matrix);
    const effort::UnitWeights counted(*m.body());
    for (const std::uint32_t parts : {0u, 1u, 2u, 1000u}) {
        const std::int64_t bytes = parts * counted.common;
        EXPECT_EQ(counted.reached(bytes), parts);
        EXPECT_EQ(counted.reached(bytes + 1), parts + 1);
        EXPECT_EQ(counted.within(bytes), parts);
        EXPECT_EQ(counted.within(bytes + counted.common - 1), parts);
    }
}

}  // namespace
}  // namespace tw::effort_tests
