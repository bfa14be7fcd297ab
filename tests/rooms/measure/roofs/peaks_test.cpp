// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include "base/cpu_features.hpp"
#include "measure/basis/clock.hpp"
#include "measure/roofs/bandwidth.hpp"
#include "measure/roofs/peaks.hpp"

namespace tw::measure {
namespace {

TEST(Peaks, TheFormulaGivesTheSeedsFigure) {
    // 256 x 1.296 x 16 is 5308.416; the seed's page prints 5304.576, a slip.
    EXPECT_DOUBLE_EQ(theoretical_gflops(256, 1.296, 16), 5308.416);
}

TEST(Peaks, EveryLoopOfThisProcessorRuns) {
    const auto loops = compute_loops();
    ASSERT_GE(loops.size(), 2u);
    for (const ComputeLoop& loop : loops) {
        EXPECT_GT(loop.run(3), 0) << loop.unit << ": its numbers are multiplied, and never become NaN";
        EXPECT_GT(loop.run(100000), 0) << loop.unit;
        EXPECT_GT(measure_gflops(loop, 0.001), 0) << loop.unit;
        EXPECT_GT(measure_gflops(loop, 0.001, 2), 0) << loop.unit;
    }
    EXPECT_GT(core_clock(), 1e8);
    EXPECT_LT(core_clock(), 1e10);
}

TEST(Peaks, EachUnitHasTheClockThatTheCoreHas) {
    for (const UnitPeak& peak : measure_units(0.004, 2)) {
        EXPECT_GT(peak.clock_hz, 1e8) << peak.loop.unit;
        EXPECT_LT(peak.clock_hz, 1e10) << peak.loop.unit;
        EXPECT_EQ(peak.threads, 2);
        EXPECT_GE(peak.pipes, 1);
        EXPECT_GT(peak.gflops, 0);
        EXPECT_GT(peak.all_threads_gflops, 0);
        EXPECT_GT(peak.theoretical(), 0);
    }
}

TEST(Peaks, AKernelIsHeldAgainstTheUnitThatItNeeds) {
    EXPECT_EQ(loop_for(0, "f32").needs, 0u);
    if (cpu_features() & cpu_feature::avx2) {
        EXPECT_EQ(loop_for(cpu_feature::avx2, "f64").needs, cpu_feature::avx2);
        EXPECT_GE(fma_loop("f32").needs, cpu_feature::avx2);
        EXPECT_STREQ(loop_for(cpu_feature::avx2, "f64").type, "f64");
    }
}

TEST(Peaks, FormulaOfAVectorUnitIsLanesTimesPipes) {
    UnitPeak peak{.loop = {.unit = "FMA avx2",
                           .type = "f32",
                           .needs = 0,
                           .is_matrix_unit = false,
                           .flops_per_instruction = 16,
                           .instructions = 12,
                           .run = nullptr}};
    peak.clock_hz = 3e9;
    peak.pipes = 2;
    EXPECT_DOUBLE_EQ(peak.theoretical(), 96);
}

TEST(Bandwidth, ProcessorsThatShareACacheAreCounted) {
    EXPECT_EQ(processors_in("0"), 1);
    EXPECT_EQ(processors_in("0-1"), 2);
    EXPECT_EQ(processors_in("0,64"), 2);
    EXPECT_EQ(processors_in("0-3,8"), 5);
    EXPECT_EQ(processors_in("10-13,20-23,31"), 9);
    EXPECT_EQ(processors_in(""), 1);
    EXPECT_EQ(processors_in("none"), 1);
}

TEST(Bandwidth, LevelsAreReadFromInnermostToMemory) {
    const auto reads = measure_bandwidths(0.002, 1);
    ASSERT_FALSE(reads.empty());
    EXPECT_EQ(reads.back().level, "memory");
    for (const Bandwidth& read : reads) {
        EXPECT_GT(read.gigabytes_per_second, 0) << read.level;
        EXPECT_LT(read.gigabytes_per_second, 20000) << read.level << ": more than any core reads from anywhere";
    }
}

}  // namespace
}  // namespace tw::measure
