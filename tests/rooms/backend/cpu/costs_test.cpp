// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What rows of the CPU say that a product takes. Threads which it has no work for make it no cheaper: such a row would
// be chosen for a product that one thread does.
#include <gtest/gtest.h>

#include "backend/cpu/backend.hpp"
#include "backend/cpu/product/parallel.hpp"

namespace {

using namespace tw;

TEST(CostOfARow, IsNoLessOnThreadsThatHaveNothingToDo) {
    constexpr std::int64_t shapes[][3] = {{1, 128, 480}, {128, 1, 480}, {20, 25, 60}};
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

}  // namespace
