// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tests over the runtime of host memory: before and after each, no call fails and no error has stuck.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "backend/contract.hpp"
#include "backend/cuda/device/failure.hpp"
#include "rooms/backend/cuda/fake_runtime.hpp"

namespace tw::test {

class OnFakeRuntime : public testing::Test {
protected:
    static void SetUpTestSuite() { use_fake_runtime(); }
    void SetUp() override {
        fail_call(0, cudaSuccess);
        pretend({});
        cuda::revive();
    }
    void TearDown() override { SetUp(); }
};

/// One product by one kernel, of a shape that it takes, on memory that stands for a device's.
inline Status product(const Kernel& kernel) {
    constexpr std::int64_t n = 48, k = 64;
    Problem problem{
        .m = 40, .n = n, .k = k, .in = kernel.in, .out = kernel.out, .place = Place::cuda, .b = Form::col_major};
    if (kernel.takes && !kernel.takes(problem)) problem.m = 8;
    const std::int64_t m = problem.m;
    const Tile tile = kernel.tiles.empty() ? Tile{} : kernel.tiles.front();
    static std::vector<double> a(40 * k), b(k * n), c(40 * n), scratch(1 << 18);
    Call call{.a = {a.data(), kernel.in, m, k, k},
              .b = {b.data(), kernel.in, k, n, 1, k},
              .c = {c.data(), kernel.out, m, n, n}};
    if (kernel.scratch_bytes && kernel.scratch_bytes(problem, tile, 1) > scratch.size() * sizeof(double))
        return {Code::bad_argument, Argument::scratch, "the test's scratch is too small"};
    call.scratch = std::as_writable_bytes(std::span(scratch));
    if (const Status dead = cuda::alive(); !dead) return dead;
    return kernel.run(call, tile);
}

}  // namespace tw::test
