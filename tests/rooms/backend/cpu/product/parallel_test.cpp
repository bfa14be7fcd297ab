// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How many threads a product is worth.
#include "backend/cpu/product/parallel.hpp"

#include <gtest/gtest.h>

namespace {

using tw::cpu::workers_for;

TEST(WorkersFor, AsManyAsHaveSomethingToDo) {
    EXPECT_EQ(workers_for(1, 1, 1, 16), 1);
    EXPECT_EQ(workers_for(80, 80, 80, 16), 1);
    EXPECT_EQ(workers_for(128, 128, 128, 16), 8);  // not one because it is too small for sixteen
    EXPECT_EQ(workers_for(512, 512, 512, 16), 16);
    EXPECT_EQ(workers_for(std::int64_t{1} << 31, std::int64_t{1} << 31, std::int64_t{1} << 31, 2), 2);
    for (const int none : {1, 0, -1}) EXPECT_EQ(workers_for(512, 512, 512, none), 1) << none;
}

}  // namespace
