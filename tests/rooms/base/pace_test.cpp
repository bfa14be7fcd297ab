// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/pace.hpp"

#include <gtest/gtest.h>

namespace {

using namespace tw;

TEST(Pace, AThreadIsWorthWhatOneThreadMakesWhileOthersStart) {
    EXPECT_EQ(Pace{}.products_worth_a_thread(), 1 << 16) << "nothing was measured";
    const Pace machine{.read = 20, .read_together = 30, .gflops = 100, .start = 10'000};
    EXPECT_DOUBLE_EQ(machine.products_worth_a_thread(), 420'000);
}

TEST(Pace, NoMeasurementMakesThreadsFreeOrForbidsThem) {
    EXPECT_EQ((Pace{.gflops = 100, .start = 1}).products_worth_a_thread(), 1 << 16);
    EXPECT_EQ((Pace{.gflops = 100, .start = 0}).products_worth_a_thread(), 1 << 16) << "no thread came in time";
    EXPECT_EQ((Pace{.gflops = 1000, .start = 1e9}).products_worth_a_thread(), 1 << 19);
}

TEST(Pace, RowsGrowByLinesAndAProductOfF64IsTwo) {
    constexpr RowPace rows{.product = 0.5, .byte = 0.25, .product_along_k = 2, .byte_along_k = 1, .result_byte = 0.125};
    EXPECT_DOUBLE_EQ(rows.nanoseconds(8, 100, 10, 4, false), 8 * 100 * (10 * 0.5 + 4 * 0.125) + 4 * 100 * 10 * 0.25);
    EXPECT_DOUBLE_EQ(rows.nanoseconds(8, 100, 10, 8, true), 8 * 100 * (10 * 4 + 8 * 0.125) + 8 * 100 * 10);
    EXPECT_FALSE((Pace{.strips = rows, .panels = rows}).knows_rows());
    EXPECT_TRUE((Pace{.strips = rows, .panels = rows, .passing = rows}).knows_rows());
}

TEST(Pace, TheFirstToBeSettledStays) {
    static constexpr Pace late{.gflops = 77, .start = 1};
    const Pace& known = pace();
    set_pace(late);
    EXPECT_EQ(&pace(), &known);
}

}  // namespace
