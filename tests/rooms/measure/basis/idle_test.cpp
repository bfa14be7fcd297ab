// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/idle.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tw::measure {
namespace {

TEST(WaitUntilIdle, ReturnsAtOnceWhereNobodyWorks) { EXPECT_TRUE(wait_until_idle(60)); }

TEST(WaitUntilIdle, OutlastsThreadsThatLookForWork) {
    std::atomic<bool> is_wanted{true};
    std::vector<std::thread> spinning;
    for (int i = 0; i < 4; ++i)
        spinning.emplace_back([&] {
            while (is_wanted) {
            }
        });
    // Where others keep all cores busy none of the four may run for a while, and this process looks idle.
    bool has_outlasted = false;
    for (int attempt = 0; attempt < 100 && !has_outlasted; ++attempt) has_outlasted = !wait_until_idle(0.05);
    EXPECT_TRUE(has_outlasted);
    is_wanted = false;
    for (std::thread& one : spinning) one.join();
    EXPECT_TRUE(wait_until_idle(60));
}

}  // namespace
}  // namespace tw::measure
