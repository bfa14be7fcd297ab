// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/cpu_core.hpp"

#include <gtest/gtest.h>

#include "base/cpu_features.hpp"

namespace {

using namespace tw;

constexpr std::uint32_t amd[3] = {0x68747541, 0x69746e65, 0x444d4163}, intel[3] = {0x756e6547, 0x49656e69, 0x6c65746e};

TEST(CpuCore, ReadsMakerFamilyAndModel) {
    const CpuCore milan = cpu_core_of(amd, 0x00a00f11), emerald = cpu_core_of(intel, 0x000c06f2);
    EXPECT_TRUE(milan.is_by("AuthenticAMD")) << milan.maker;
    EXPECT_EQ(milan.family, 25);
    EXPECT_EQ(milan.model, 1);
    EXPECT_TRUE(emerald.is_by("GenuineIntel")) << emerald.maker;
    EXPECT_EQ(emerald.family, 6);
    EXPECT_EQ(emerald.model, 207);
    EXPECT_EQ(cpu_core_of(amd, 0x00a20f12).model, 0x21) << "a desktop of Milan's generation";
    EXPECT_EQ(cpu_core_of(intel, 0x00010543).model, 4) << "only the families 6 and 15 extend the model";
    EXPECT_EQ(cpu_core_of(intel, 0x00110f43).family, 16) << "what 15 is extended by is added";
}

TEST(CpuCore, FoldsBroadcastsExceptOnAmd) {
    EXPECT_FALSE(cpu_core_of(amd, 0x00b00f20).folds_broadcasts());
    EXPECT_FALSE(cpu_core_of(amd, 0x00b00f20).splits_vectors());
    EXPECT_TRUE(cpu_core_of(amd, 0x00800f12).splits_vectors());
    EXPECT_FALSE(cpu_core_of(amd, 0x00830f10).splits_vectors());
    EXPECT_TRUE(cpu_core_of(intel, 0x000c06f2).folds_broadcasts());
    EXPECT_TRUE(CpuCore{}.folds_broadcasts());
}

TEST(CpuCore, ThisMachineTellsItsMaker) {
    if (!(cpu_features_unmasked() & cpu_feature::avx2)) GTEST_SKIP() << "no x86-64 processor";
    EXPECT_STRNE(cpu_core().maker, "");
    EXPECT_GT(cpu_core().family, 0);
}

}  // namespace
