// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/rows/gains.hpp"

#include <gtest/gtest.h>

namespace tw::measure {
namespace {

Row row(const char* kernel, const char* rung, double gflops, int threads = 1) {
    return {.provider = "tilewright",
            .device = "cpu",
            .kernel = kernel,
            .rung = rung,
            .threads = threads,
            .seconds = {1},
            .gflops = gflops};
}

TEST(Gains, AreAgainstTheSameInstructionSetBelowAndAThreads) {
    std::vector<Row> rows{row("cpu.r4.f32", "r4", 10),
                          row("cpu.r5.f32", "r5", 20),
                          row("cpu.r6.f32.portable", "r6", 30, 2),
                          row("cpu.r6.f32.avx512", "r6", 200, 2),
                          row("cpu.r7.f32.portable", "r7", 33, 2),
                          row("cpu.r7.f32.avx512", "r7", 240, 2),
                          row("cpu.few_rows.f32", "few_rows", 500, 2),
                          row("cpu.r10.f32.amx", "r10", 480, 2)};
    rows.push_back(row("another", "", 900, 2));
    rows.back().provider = "openblas";
    const std::vector<double> gains = gains_of(rows);
    ASSERT_EQ(gains.size(), rows.size());
    EXPECT_EQ(gains[0], 0) << "nothing is below";
    EXPECT_DOUBLE_EQ(gains[1], 2);
    EXPECT_DOUBLE_EQ(gains[2], 0.75) << "15 a thread against 20";
    EXPECT_DOUBLE_EQ(gains[3], 5) << "what needs no instruction set is below it";
    EXPECT_DOUBLE_EQ(gains[4], 1.1) << "portable against portable";
    EXPECT_DOUBLE_EQ(gains[5], 1.2);
    EXPECT_EQ(gains[6], 0) << "no rung";
    EXPECT_DOUBLE_EQ(gains[7], 2) << "its set is new: against the best of r7";
    EXPECT_EQ(gains[8], 0) << "a peer is no step";
}

}  // namespace
}  // namespace tw::measure
