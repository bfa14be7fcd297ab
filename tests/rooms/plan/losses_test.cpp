// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/losses.hpp"

#include <gtest/gtest.h>

namespace {

using namespace tw;

TEST(Losses, CudaCountsSubnormalNarrowElementsAsTheSmallestNormalNumber) {
    for (const auto& [in, least] : {std::pair{Type::f16, 0x1p-14}, {Type::bf16, 0x1p-126}, {Type::f32, 0.0}}) {
        Kernel kernel{};
        kernel.in = in, kernel.scheme = &plain_f32;
        EXPECT_EQ(losses_of(kernel, Place::cuda).least, least) << name_of(in);
        EXPECT_TRUE(losses_of(kernel, Place::host).is_empty()) << name_of(in);
    }
}

TEST(Losses, AreThoseOfTheScheme) {
    Kernel kernel{};
    kernel.in = Type::f32, kernel.scheme = &fp16x3;
    EXPECT_TRUE(losses_of(kernel, Place::cuda).is_empty());
    kernel.scheme = &tf32x1;
    EXPECT_EQ(losses_of(kernel, Place::cuda).flush, tf32x1.flush_loss);
    EXPECT_FALSE(losses_of(kernel, Place::cuda).is_empty());
}

}  // namespace
