// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include "rooms/cli/run_tw.hpp"

namespace {

TEST(JudgeVerb, CountsWhatItJudgedAndSaysThatNothingIsWrong) {
    const tw::test::Ran ran = tw::test::run_tw({"judge", "--cases", "20", "--seconds", "600", "--largest", "8"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_TRUE(ran.out.starts_with("20 cases, ")) << ran.out;
    EXPECT_TRUE(ran.out.ends_with("\nnothing is wrong\n")) << ran.out;
}

}  // namespace
