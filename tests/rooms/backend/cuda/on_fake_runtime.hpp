// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tests over the runtime of host memory: before and after each, no call fails and no error has stuck.
#pragma once

#include <gtest/gtest.h>

#include "backend/cuda/device/failure.hpp"
#include "rooms/backend/cuda/fake_runtime.hpp"

namespace tw::test {

class OnFakeRuntime : public testing::Test {
protected:
    static void SetUpTestSuite() { use_fake_runtime(); }
    void SetUp() override {
        fail_call(0, cudaSuccess);
        cuda::revive();
    }
    void TearDown() override { SetUp(); }
};

}  // namespace tw::test
