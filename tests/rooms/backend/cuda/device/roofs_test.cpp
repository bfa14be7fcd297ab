// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The roofs of chips that say what an H200, an A100 and one from after this library say.
#include "backend/cuda/device/roofs.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "rooms/backend/cuda/on_fake_runtime.hpp"

namespace {

using namespace tw;

const Roof& roof(std::string_view unit, std::string_view type) {
    for (const Roof& one : cuda::roofs)
        if (unit == one.unit && type == one.type) return one;
    ADD_FAILURE() << unit << ' ' << type;
    return cuda::roofs[0];
}

class CudaRoofs : public test::OnFakeRuntime {};

TEST_F(CudaRoofs, FormulasGiveTheFiguresOfAnH200AndOfAnA100) {
    test::pretend({});
    EXPECT_NEAR(roof("FMA", "f32").theoretical(), 132 * 1.98 * 256, 1e-6);  // 66.9 TFLOP/s
    EXPECT_NEAR(roof("FMA", "f64").theoretical(), 132 * 1.98 * 128, 1e-6);
    EXPECT_NEAR(roof("tensor core", "bf16").theoretical(), 132 * 1.98 * 4096, 1e-6);
    EXPECT_NEAR(roof("tensor core", "tf32").theoretical(), 132 * 1.98 * 2048, 1e-6);
    EXPECT_NEAR(roof("memory", "bytes").theoretical(), 2 * 3.201 * 6144 / 8, 1e-6);  // 4.9 TB/s
    test::pretend({.major = 8, .multiprocessors = 108, .clock_khz = 1'410'000});
    EXPECT_NEAR(roof("FMA", "f32").theoretical(), 108 * 1.41 * 128, 1e-6);  // 19.5 TFLOP/s
    EXPECT_NEAR(roof("tensor core", "f16").theoretical(), 108 * 1.41 * 2048, 1e-6);
    test::pretend({.major = 99});
    EXPECT_EQ(roof("FMA", "f32").theoretical(), 0) << "unknown";
    EXPECT_EQ(roof("tensor core", "f16").theoretical(), 0) << "unknown";
}

TEST_F(CudaRoofs, ALoopLaunchesWaitsAndGivesItsMemoryBack) {
    test::pretend({});
    const int before = test::live_allocations();
    for (const Roof& one : cuda::roofs) {
        if (!one.measure) continue;
        test::fail_call(0, cudaSuccess);
        EXPECT_GT(one.measure(0.001), 0) << one.unit << ' ' << one.type;
        EXPECT_GT(test::launches(), 0) << one.unit << ' ' << one.type;
    }
    EXPECT_EQ(test::live_allocations(), before);
}

// Waiting, launching and waiting again are calls whose failure leaves nothing to tell; how many multiprocessors there
// are has an answer for want of a better one.
TEST_F(CudaRoofs, ALoopWhoseDeviceFailsIsNoRoof) {
    const int before = test::live_allocations();
    for (const Roof& one : cuda::roofs) {
        int unknown = 0;
        for (int failing = 1; one.measure && failing <= 8; ++failing) {
            test::fail_call(failing, cudaErrorLaunchFailure);
            unknown += one.measure(1e-4) == 0;
            test::fail_call(0, cudaSuccess);
            cuda::revive();
            EXPECT_EQ(test::live_allocations(), before);
        }
        EXPECT_TRUE(!one.measure || unknown >= 3) << one.unit << ' ' << one.type << ": " << unknown;
    }
}

}  // namespace
