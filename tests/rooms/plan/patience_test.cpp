// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/patience.hpp"

#include <gtest/gtest.h>

namespace tw {
namespace {

TEST(Patience, LastsWhileOthersHaveTheirTurns) {
    Patience patience(4);
    for (std::int64_t turn = 0; turn < 30; ++turn) {  // each of them keeps the lock for up to three tries
        for (std::int64_t tries = 0; tries <= turn % 3; ++tries) EXPECT_TRUE(patience.lasts({7, 1, turn})) << turn;
    }
    EXPECT_TRUE(patience.lasts({8, 1, 29})) << "another file of as many bytes";
    EXPECT_TRUE(patience.lasts({8, 2, 29})) << "a later one";
    for (int tries = 0; tries < 2; ++tries) EXPECT_TRUE(patience.lasts({8, 2, 29}));
    EXPECT_FALSE(patience.lasts({8, 2, 29})) << "the fourth";
}

}  // namespace
}  // namespace tw
