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
    for (int i = 0; i < 4; ++i)  // of so many, one or the other has a core at any time
        spinning.emplace_back([&] {
            while (is_wanted) {
            }
        });
    EXPECT_FALSE(wait_until_idle(0.05));
    is_wanted = false;
    for (std::thread& one : spinning) one.join();
    EXPECT_TRUE(wait_until_idle(60));
}

}  // namespace
}  // namespace tw::measure
