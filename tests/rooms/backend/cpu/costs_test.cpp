// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What rows of the CPU say that a product takes. Threads which it has no work for make it no cheaper: such a row would
// be chosen for a product that one thread does.
#include <gtest/gtest.h>

#include <string_view>

#include "backend/cpu/backend.hpp"
#include "backend/cpu/hierarchy_cost.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "base/cpu_core.hpp"

namespace {

using namespace tw;

TEST(CostOfARow, IsNoLessOnThreadsThatHaveNothingToDo) {
    constexpr std::int64_t shapes[][3] = {{1, 64, 240}, {64, 1, 240}, {10, 12, 30}};
    int rows = 0;
    for (const Kernel* kernel : cpu::backend().ladder)
        for (const auto& [m, n, k] : shapes) {
            ASSERT_EQ(cpu::workers_for(m, n, k, 16), 1);
            const Problem problem{.m = m, .n = n, .k = k, .in = kernel->in, .out = kernel->out};
            EXPECT_EQ(kernel->nanoseconds(problem, 16), kernel->nanoseconds(problem, 1)) << kernel->name;
            ++rows;
        }
    EXPECT_GT(rows, 90);
}

TEST(SharedPanels, AreThoseOfLargeProductsAndNotOfTwoThreadsThatSplitVectors) {
    EXPECT_FALSE(cpu::shares_panels(2048, 2048, 2048, 1));
    EXPECT_EQ(cpu::shares_panels(2048, 2048, 2048, 2), !cpu_core().splits_vectors());
    EXPECT_TRUE(cpu::shares_panels(2048, 2048, 2048, 4));
    EXPECT_FALSE(cpu::shares_panels(256, 256, 256, 4)) << "too little for each";
    EXPECT_FALSE(cpu::shares_panels(40, 4096, 2048, 4)) << "few rows";
}

#if defined(__x86_64__)
double cost(std::string_view name, std::int64_t m, std::int64_t n, std::int64_t k, int threads = 1) {
    for (const Kernel* kernel : cpu::backend().ladder)
        if (kernel->name == name) return kernel->nanoseconds({.m = m, .n = n, .k = k}, threads);
    return 0;
}

TEST(CostOfARow, KnowsRowsOfBThatLiePagesApart) {
    if (cpu_core().splits_vectors()) GTEST_SKIP() << "priced by what that core takes";
    EXPECT_GT(cost("cpu.r6_vectorized.f32.avx2", 12, 2500, 90), cost("cpu.few_rows.f32.avx2", 12, 2500, 90));
    EXPECT_GT(cost("cpu.r6_vectorized.f32.avx2", 33, 2985, 45), cost("cpu.r7_hierarchical.f32.avx2", 33, 2985, 45));
    EXPECT_LT(cost("cpu.r6_vectorized.f32.avx2", 33, 600, 100), cost("cpu.r7_hierarchical.f32.avx2", 33, 600, 100));
}

TEST(CostOfARow, KnowsThatThreadsWaitForPanelsOfASmallC) {
    EXPECT_LT(cost("cpu.r6_vectorized.f32.avx2", 100, 100, 10000, 2),
              cost("cpu.r7_hierarchical.f32.avx2", 100, 100, 10000, 2));
    EXPECT_GT(cost("cpu.r6_vectorized.f32.avx2", 400, 400, 1600, 2),
              cost("cpu.r7_hierarchical.f32.avx2", 400, 400, 1600, 2));
}

TEST(CostOfARow, KnowsThatABlockOfALongKStaysInTheCaches) {
    EXPECT_LT(cost("cpu.r6_vectorized.f32.avx2", 1000, 30, 10000),
              cost("cpu.r7_hierarchical.f32.avx2", 1000, 30, 10000));
}

TEST(CostOfARow, KnowsThatManyThreadsPartsOfWideVectorsWaitForNoPanels) {
    const auto wins = [](std::string_view winner, std::string_view other, std::int64_t m, std::int64_t n,
                         std::int64_t k,
                         int threads) { return cost(winner, m, n, k, threads) < cost(other, m, n, k, threads); };
    for (const std::int64_t n : {768, 896, 1024, 1536})
        EXPECT_TRUE(wins("cpu.r6_vectorized.f32.avx512", "cpu.r7_hierarchical.f32.avx512", n, n, n, 16)) << n;
    for (const std::int64_t n : {896, 900, 1000})
        EXPECT_TRUE(wins("cpu.r6_vectorized.f64.avx512", "cpu.r7_hierarchical.f64.avx512", n, n, n, 16)) << n;
    EXPECT_TRUE(wins("cpu.r6_vectorized.f64.avx512", "cpu.r7_hierarchical.f64.avx512", 520, 520, 1040, 16));
    EXPECT_TRUE(wins("cpu.r6_vectorized.f32.avx512", "cpu.few_rows.f32.avx512", 64, 4096, 4096, 16));
    EXPECT_TRUE(wins("cpu.few_rows.f32.avx512", "cpu.r6_vectorized.f32.avx512", 16, 8192, 8192, 16)) << "few rows";
    EXPECT_TRUE(wins("cpu.r7_hierarchical.f32.avx512", "cpu.r6_vectorized.f32.avx512", 768, 768, 768, 1));
    EXPECT_TRUE(wins("cpu.r7_hierarchical.f32.avx512", "cpu.r6_vectorized.f32.avx512", 4096, 4096, 4096, 16));
}
#endif

}  // namespace
