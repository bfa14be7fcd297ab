// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a person may call a kernel: wherever a name is taken.
#include <gtest/gtest.h>

#include "plan/registry.hpp"

namespace {

TEST(Names, AKernelAnswersToItsRungItsNumberAndPrefixesOfItsOwn) {
    tw::Kernel kernel = *tw::find_backend("cpu")->ladder.front(), lowest = kernel;
    kernel.name = "cpu.r10_split.f32.int8x8.avx512", kernel.rung = tw::Rung::split;
    lowest.name = "cpu.r1_naive.f64", lowest.rung = tw::Rung::naive;
    for (const char* name :
         {"r10", "r10_split", "cpu", "cpu.r10_split", "r10_split.f32", "r10_split.f32.int8x8.avx512", kernel.name})
        EXPECT_TRUE(tw::answers_to(kernel, name)) << name;
    for (const char* name : {"", "r", "r1", "r10_", "10", "split", "cpu.", "r10_split.f", "cuda.r10_split", "r10.f32"})
        EXPECT_FALSE(tw::answers_to(kernel, name)) << name;
    for (const char* name : {"r1", "naive", "r1_naive"}) EXPECT_TRUE(tw::answers_to(lowest, name)) << name;
    for (const char* name : {"r10", "coalescing"}) EXPECT_FALSE(tw::answers_to(lowest, name)) << name;
}

}  // namespace
