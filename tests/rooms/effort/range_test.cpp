// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Weights as large and as small as f32 has them: right products, and files that can be read again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {
namespace {

constexpr std::int64_t outputs = 256, inputs = 512;
constexpr EffortOptions by_layout{.dense = DenseSwitch::never};

TEST(EffortRange, WeightsOfEverySizeHaveTheirProducts) {
    const std::vector<float> v = [] {
        std::vector<float> small = gauss(inputs, 2);
        for (float& x : small) x *= 1e-4f;
        return small;
    }();
    for (const EffortLayout layout : {EffortLayout::buckets, EffortLayout::tiers, EffortLayout::planes})
        for (const double scale : {1e-25, 1., 1e30, 1e34, 1e35, 1e36, 1e37, 7e37}) {
            const Weights weights(outputs, inputs, Type::f32, 1, scale);
            const EffortMatrix built = build_effort(weights.matrix, {.layout = layout});
            const std::vector<double> right = exact(weights.matrix, v);
            const Answer whole = product(built, v, Budget::effort(1), by_layout);
            EXPECT_LE(relative_error(whole.y, right), .02) << name_of(layout) << ' ' << scale;
            const Answer half = product(built, v, Budget::effort(.5), by_layout);
            EXPECT_LE(relative_error(half.y, right), .2) << name_of(layout) << ' ' << scale;
            EXPECT_NEAR(half.report.estimated_error, relative_error(half.y, right), .05)
                << name_of(layout) << ' ' << scale;

            const std::string path = "/tmp/tilewright-range-" + std::to_string(getpid());
            built.save(path);
            const EffortMatrix loaded = load_effort(path);
            std::filesystem::remove(path);
            EXPECT_EQ(product(loaded, v, Budget::effort(1), by_layout).y, whole.y) << name_of(layout) << ' ' << scale;
        }
}

}  // namespace
}  // namespace tw::effort_tests
