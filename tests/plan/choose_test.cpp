// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include "tilewright/plan.hpp"

namespace {

// Kernels are promised at least one term; who plans a product without any still gets a plan.
TEST(Choose, PlansAProductWithoutTerms) {
    for (const std::int64_t m : {0, 3})
        for (const std::int64_t k : {0, 3})
            for (const bool reproducible : {false, true}) {
                tw::Plan plan;
                EXPECT_TRUE(tw::try_plan({.m = m, .n = 2, .k = k}, {.reproducible = reproducible}, plan));
                EXPECT_EQ(plan.problem.k, k);
            }
}

}  // namespace
