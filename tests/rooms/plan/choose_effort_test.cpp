// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which device's rows of the dial a name means.
#include "plan/choose_effort.hpp"

#include <gtest/gtest.h>

#include <string>

#include "plan/registry.hpp"

namespace {

using namespace tw;

TEST(EffortDevice, IsOneOfThoseThatThereAre) {
    EffortPlan plan;
    for (const char* name : {"", "cpu", "cpu:0"}) {
        plan = {};
        ASSERT_TRUE(find_effort_device(name, plan)) << name;
        EXPECT_EQ(plan.backend, find_backend("cpu"));
        EXPECT_EQ(plan.device, 0);
    }
    const std::string behind_the_last = "cpu:" + std::to_string(find_backend("cpu")->devices());
    for (const std::string& name : {behind_the_last, std::string("cpu:7"), std::string("cpu:-1"), std::string("cpu:x"),
                                    std::string("cpu:"), std::string("moon")}) {
        const Status status = find_effort_device(name, plan);
        EXPECT_FALSE(status) << name;
        EXPECT_NE(std::string(status.text), "") << name;
    }
}

}  // namespace
