// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/caches.hpp"

#include <gtest/gtest.h>

namespace {

using namespace tw;

TEST(Caches, ReadsWhatProcessorsTell) {
    // A Zen 3: 32 KiB and 512 KiB, 8 ways each, of one core, and 32 MiB of 16 ways, shared by 16; leaf 0x8000001d.
    constexpr CacheWords zen3[] = {
        {0x4121, 0x1c0003f, 0x3f}, {0x4122, 0x1c0003f, 0x3f}, {0x4143, 0x1c0003f, 0x3ff}, {0x3c163, 0x3c0003f, 0x7fff}};
    Caches found;
    for (const CacheWords& words : zen3) note_cache(found, words);
    EXPECT_EQ(found.l1.bytes, 32 << 10);
    EXPECT_EQ(found.l1.ways, 8);
    EXPECT_EQ(found.sets_of_l1(), 64);
    EXPECT_EQ(found.l2.bytes, 512 << 10);
    EXPECT_EQ(found.l2.shared_by, 2);
    EXPECT_EQ(found.l3.bytes, 32 << 20);
    EXPECT_EQ(found.l3.ways, 16);
    EXPECT_EQ(found.l3.shared_by, 16);
}

TEST(Caches, OnesOfInstructionsAndOnesKnownAlreadyChangeNothing) {
    Caches found;
    note_cache(found, {0x4122, 0x1c0003f, 0x3f});
    EXPECT_EQ(found.l1.bytes, 0);
    found.l2 = {1 << 20, 16, 1};
    note_cache(found, {0x4143, 0x1c0003f, 0x3ff});
    EXPECT_EQ(found.l2.bytes, 1 << 20);
    note_cache(found, {0, 0, 0});
    EXPECT_EQ(found.l3.bytes, 0);
    EXPECT_EQ(found.sets_of_l1(), 0) << "no ways are no division by zero";
}

TEST(Caches, OfUntoldWaysHaveNoSets) {
    Caches found;
    found.l1.bytes = 32 << 10;
    EXPECT_EQ(found.sets_of_l1(), 0);
}

TEST(Caches, ThisMachineHasAnL1WithinItsL2) {
    EXPECT_GE(caches().l1.bytes, 4 << 10);
    EXPECT_GE(caches().l2.bytes, caches().l1.bytes);
    EXPECT_GE(caches().l1.shared_by, 1);
    EXPECT_TRUE(caches().l3.bytes == 0 || caches().l3.bytes >= caches().l2.bytes);
}

}  // namespace
