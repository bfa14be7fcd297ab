// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial on a CUDA device beside the CPU's: the same rows are read. Skipped where there is no device.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "backend/cuda/backend.hpp"
#include "rooms/effort/decoded_planes.hpp"
#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {

class EffortOnCuda : public testing::Test {
protected:
    void SetUp() override {
        if (cuda::backend().devices() == 0) GTEST_SKIP() << "no device";
    }
};

inline constexpr EffortOptions on_cuda{.dense = DenseSwitch::never, .device = "cuda"},
    on_cpu{.dense = DenseSwitch::never};

/// What the kernels that add in another order, or whole numbers of steps, may be off: a few roundings of f32.
inline constexpr double of_another_order = 3e-6;

/// What planes may be off: v is rounded to 11 bits, and with a block's scale to 15 below the chunk's largest.
inline constexpr double of_rounded_vectors = 4e-4;

/// Where few inputs are read, or there are few outputs, the roundings, of 2^-11 at worst, hardly average out.
inline constexpr double of_few = 6e-4;

inline void expect_alike(const EffortMatrix& m, const std::vector<float>& v, Budget budget,
                         double of_planes = of_rounded_vectors, double of_rows = of_another_order) {
    if (!test::has_its_turn(5)) return;
    const Answer device = product(m, v, budget, on_cuda), cpu = product(m, v, budget, on_cpu);
    const bool is_planes = m.layout() == EffortLayout::planes;
    EXPECT_EQ(device.report.rows_read, cpu.report.rows_read);
    EXPECT_EQ(device.report.bytes_read, cpu.report.bytes_read);
    const bool nothing = std::isnan(cpu.report.cutoff);  // the cutoff of a budget of 0 is no number
    EXPECT_TRUE(nothing ? std::isnan(device.report.cutoff) : device.report.cutoff == cpu.report.cutoff);
    // The CPU rounds v more roughly where the error is large anyway, and more finely where it puts codes together.
    const double nearness = is_planes ? 0.03 : 1e-5;
    EXPECT_NEAR(device.report.estimated_error, cpu.report.estimated_error,
                nearness * cpu.report.estimated_error + (is_planes ? 1e-4 : 1e-7));
    if (is_planes) EXPECT_LE(relative_error(device.y, decoded_product(m, v, budget)), of_planes);
    else EXPECT_LE(relative_error(device.y, {cpu.y.begin(), cpu.y.end()}), of_rows);
    if (test::is_thinned()) return;
    const Answer again = product(m, v, budget, on_cuda);
    EXPECT_EQ(0, std::memcmp(device.y.data(), again.y.data(), again.y.size() * sizeof(float)));
}

}  // namespace tw::effort_tests
