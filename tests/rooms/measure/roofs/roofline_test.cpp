// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The seeds' arithmetic, redone.
#include "measure/roofs/roofline.hpp"

#include <gtest/gtest.h>

#include "measure/roofs/bandwidth.hpp"

namespace tw::measure {
namespace {

TEST(Roofline, OneResultAtATimeMakesAQuarterOfAFlopOfAByte) { EXPECT_DOUBLE_EQ(flops_per_byte(1, 1, 4), 0.25); }

TEST(Roofline, ATileOf16MakesFourNotEight) {
    EXPECT_DOUBLE_EQ(flops_per_byte(16, 16, 4), 4);
    EXPECT_DOUBLE_EQ(flops_per_byte(32, 32, 4), 8);
    EXPECT_DOUBLE_EQ(flops_per_byte(16, 16, 8), 2);
}

TEST(Roofline, TheSeedsExampleOf19TeraflopsAnd1600Gigabytes) {
    EXPECT_DOUBLE_EQ(attainable(19500, 1600, flops_per_byte(1, 1, 4)), 400);
    EXPECT_DOUBLE_EQ(attainable(19500, 1600, flops_per_byte(16, 16, 4)), 6400);
    EXPECT_DOUBLE_EQ(attainable(19500, 1600, 100), 19500);
}

// Seed 002: 16 x 16 threads with 2048 bytes, 32 x 32 threads with 8192 bytes, a core with 32 KiB.
TEST(Roofline, SharedMemoryLeavesBothTilesOfSeed002EqualThreads) {
    const CoreLimits memory_alone{"32 KiB", 0, 1 << 20, 0, 32768};
    const Occupancy small = occupancy(memory_alone, {256, 0, 2048}), large = occupancy(memory_alone, {1024, 0, 8192});
    EXPECT_EQ(small.groups, 16);
    EXPECT_EQ(large.groups, 4);
    EXPECT_EQ(small.threads, 4096);
    EXPECT_EQ(large.threads, 4096);
    EXPECT_EQ(small.limit, "shared memory");
}

TEST(Roofline, WhatDiffersIsTheGrainOfThreadsAndRegisters) {
    // 40 registers a thread in a file of 65536: six groups of 256, but a single one of 1024.
    const CoreLimits core{"", 2048, 32, 65536, 233472};
    const Occupancy small = occupancy(core, {256, 40, 2048}), large = occupancy(core, {1024, 40, 8192});
    EXPECT_EQ(small.groups, 6);
    EXPECT_EQ(small.threads, 1536);
    EXPECT_EQ(large.groups, 1);
    EXPECT_EQ(large.threads, 1024);
    EXPECT_EQ(large.limit, "registers");
    // And where 1536 threads fit, a group of 1024 leaves a third of them out.
    EXPECT_EQ(occupancy({"", 1536, 16, 0, 0}, {1024, 0, 0}).threads, 1024);
    EXPECT_EQ(occupancy({"", 1536, 16, 0, 0}, {256, 0, 0}).threads, 1536);
}

TEST(Roofline, BlocksBeyondTheProblemAreCutToIt) {
    const Kernel none{};
    const Task task{.m = 8, .n = 4096, .k = 4096};
    EXPECT_DOUBLE_EQ(intensity_of(none, {128, 128, 8}, task), flops_per_byte(8, 128, 4));
    EXPECT_DOUBLE_EQ(intensity_of(none, {0, 0, 0}, task), flops_per_byte(8, 4096, 4));
}

TEST(Roofline, TheLevelIsTheInnermostThatHoldsTheOperands) {
    const Bandwidth reads[] = {{"L1", 16384, 100, 1}, {"L2", 262144, 50, 1}, {"memory", 1 << 27, 10, 1}};
    EXPECT_EQ(level_of({.m = 32, .n = 32, .k = 32}, reads).name, "L1");
    EXPECT_EQ(level_of({.m = 128, .n = 128, .k = 128}, reads).name, "L2");
    EXPECT_EQ(level_of({.m = 1024, .n = 1024, .k = 1024}, reads).name, "memory");
}

TEST(Roofline, ThreadsHaveTheirCachesEachAndTheMemoryTogether) {
    const Bandwidth reads[] = {{"L1", 16384, 100, 1}, {"memory", 1 << 27, 10, 1}, {"memory", 1 << 27, 16, 2}};
    const Task small{.m = 32, .n = 32, .k = 32, .threads = 2}, large{.m = 1024, .n = 1024, .k = 1024, .threads = 2};
    EXPECT_EQ(level_of(small, reads).gigabytes_per_second, 200);
    EXPECT_EQ(level_of(large, reads).gigabytes_per_second, 16);
    EXPECT_EQ(level_of({.m = 1024, .n = 1024, .k = 1024}, reads).gigabytes_per_second, 10);
}

TEST(Roofline, ThreadsOfABlockThatShareNothingReadForThemselves) {
    const Task task{.m = 4096, .n = 4096, .k = 4096};
    Kernel kernel{};
    kernel.name = "cuda.r1_naive.f32", kernel.rung = Rung::naive;
    EXPECT_DOUBLE_EQ(intensity_of(kernel, {32, 32, 1}, task), 0.25);
    kernel.name = "metal-check.r8_matrix_unit.f32", kernel.rung = Rung::matrix_unit;
    EXPECT_DOUBLE_EQ(intensity_of(kernel, {32, 32, 8}, task), 4);
    kernel.name = "cuda.r3_tiled.f32", kernel.rung = Rung::tiled;
    EXPECT_DOUBLE_EQ(intensity_of(kernel, {32, 32, 32}, task), 8);
}

TEST(Roofline, WhatBoundsIsSaidOnlyWhenTheRoofIsNear) {
    EXPECT_EQ(what_bounds(100, 90, 100, "L3"), "arithmetic");
    EXPECT_EQ(what_bounds(20, 15, 100, "L3"), "reading from L3");
    EXPECT_NE(what_bounds(20, 5, 100, "L3").find("neither"), std::string::npos);
}

}  // namespace
}  // namespace tw::measure
