// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/pace_store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace tw {
namespace {

struct File {
    std::string path = testing::TempDir() + "tilewright_pace_store_" + std::to_string(getpid());
    ~File() {
        unlink(path.c_str());
        unlink((path + ".lock").c_str());
    }
};

TEST(PaceStore, WhatWasMeasuredLastIsFound) {
    const File file;
    ASSERT_EQ(store_pace(file.path, {1, 2, 3, 4}), "");
    EXPECT_FALSE(pace_in(read_store(file.path, pace_store_key())).knows_rows());
    const Pace measured{.read = 18.25,
                        .read_together = 33.5,
                        .gflops = 103.7,
                        .start = 7'340,
                        .strips = {0.0153, 0.08, 0.0175, 0.105, 0.35},
                        .panels = {0.0541, 0.11, 0.0571, 0.14, 0.08},
                        .passing = {1, 2, 3, 4, 5}};
    ASSERT_EQ(store_pace(file.path, measured), "");
    const Store store = read_store(file.path, pace_store_key());
    EXPECT_EQ(store.trouble, "");
    EXPECT_EQ(store.records.size(), 8u) << "the second takes the first one's place";
    const Pace found = pace_in(store);
    EXPECT_TRUE(found.is_measured());
    EXPECT_DOUBLE_EQ(found.read, 18.25);
    EXPECT_DOUBLE_EQ(found.read_together, 33.5);
    EXPECT_DOUBLE_EQ(found.gflops, 103.7);
    EXPECT_DOUBLE_EQ(found.start, 7'340);
    for (RowPace Pace::* const way : {&Pace::strips, &Pace::panels, &Pace::passing}) {
        const RowPace &is = found.*way, &was = measured.*way;
        EXPECT_DOUBLE_EQ(is.product, was.product);
        EXPECT_DOUBLE_EQ(is.byte, was.byte);
        EXPECT_DOUBLE_EQ(is.product_along_k, was.product_along_k);
        EXPECT_DOUBLE_EQ(is.byte_along_k, was.byte_along_k);
        EXPECT_DOUBLE_EQ(is.result_byte, was.result_byte);
    }
    EXPECT_TRUE(found.knows_rows());
}

TEST(PaceStore, AnotherMachinesIsNotTaken) {
    const File file;
    ASSERT_EQ(store_pace(file.path, {18, 33, 103, 7'000}), "");
    EXPECT_FALSE(pace_in(read_store(file.path, "00000000-7-" + std::string("another-pace"))).is_measured());
    EXPECT_TRUE(read_store(file.path, store_key()).records.empty()) << "nor for a product";
    EXPECT_FALSE(pace_in(read_store(file.path + ".none", pace_store_key())).is_measured());
}

}  // namespace
}  // namespace tw
