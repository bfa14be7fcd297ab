// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ladder on processors that its costs were not measured on: with fewer instructions, and with one core or very
// many.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "backend/cpu/backend.hpp"
#include "plan/eligibility.hpp"

namespace {

using namespace tw;

const Backend& backend = cpu::backend();
constexpr int thread_counts[] = {1, 2, 7, 64, 1000};

/// Those of a processor without any, then with one more of the names that tw knows each time.
std::vector<Features> growing_features() {
    std::vector<Features> sets{0};
    for (const FeatureName& feature : backend.feature_names) sets.push_back(sets.back() | feature.bit);
    return sets;
}

Problem square(std::int64_t n, Type type) { return {.m = n, .n = n, .k = n, .in = type, .out = type}; }

/// The cheapest row of those that such a processor can run and that keep the promise; null: none.
const Kernel* cheapest(Features present, const Problem& problem, int threads) {
    const Kernel* best = nullptr;
    for (const Kernel* kernel : backend.ladder)
        if (fits(present, *kernel, problem) && keeps_promise(*kernel, problem) &&
            (!best || kernel->nanoseconds(problem, threads) < best->nanoseconds(problem, threads)))
            best = kernel;
    return best;
}

TEST(UnknownProcessor, EveryCostIsATime) {
    for (const Kernel* kernel : backend.ladder)
        for (const int threads : thread_counts)
            for (const std::int64_t n : {1, 8, 100, 1024, 20000}) {
                const Problem problem = square(n, kernel->in);
                if (kernel->takes && !kernel->takes(problem)) continue;
                const double cost = kernel->nanoseconds(problem, threads);
                EXPECT_TRUE(std::isfinite(cost) && cost > 0) << kernel->name << ", n " << n << ": " << cost;
            }
}

TEST(UnknownProcessor, ALargerProductNeverCostsLess) {
    for (const Features present : growing_features())
        for (const int threads : thread_counts) {
            double before = 0;
            for (const std::int64_t n : {1, 8, 100, 1024, 20000}) {
                const Problem problem = square(n, Type::f32);
                const Kernel* kernel = cheapest(present, problem, threads);
                ASSERT_NE(kernel, nullptr);
                EXPECT_GT(kernel->nanoseconds(problem, threads), before) << kernel->name << ", n " << n;
                before = kernel->nanoseconds(problem, threads);
            }
        }
}

TEST(UnknownProcessor, EveryTypeHasARowThatItCanRunAndMoreInstructionsNeverCostMore) {
    for (const Type type : {Type::f64, Type::f32, Type::f16, Type::bf16})
        for (const int threads : thread_counts)
            for (const std::int64_t n : {1, 8, 100, 1024, 20000}) {
                const Problem problem = square(n, type);
                double before = HUGE_VAL;
                for (const Features present : growing_features()) {
                    const Kernel* kernel = cheapest(present, problem, threads);
                    ASSERT_NE(kernel, nullptr) << name_of(type) << ", n " << n << ", features " << present;
                    EXPECT_EQ(kernel->needs & ~present, 0u) << kernel->name;
                    EXPECT_LE(kernel->nanoseconds(problem, threads), before) << kernel->name << ", n " << n;
                    before = kernel->nanoseconds(problem, threads);
                }
            }
}

TEST(UnknownProcessor, ALargeProductGoesToABlockedRowWhateverTheProcessorHas) {
    for (const Features present : growing_features())
        for (const int threads : thread_counts) {
            const Kernel* kernel = cheapest(present, square(1024, Type::f32), threads);
            ASSERT_NE(kernel, nullptr);
            EXPECT_GE(static_cast<int>(kernel->rung), static_cast<int>(Rung::register_block)) << kernel->name;
        }
}

}  // namespace
