// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A plan meets its operands: on the host, widened, on a device with memory of its own, and where it may not.
#include "carry/execute.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/element.hpp"
#include "carry/arena.hpp"
#include "carry/staging.hpp"
#include "plan/registry.hpp"
#include "rooms/carry/late_device.hpp"

namespace {

using namespace tw;

constexpr std::int64_t m = 19, n = 23, k = 31;

class Execute : public testing::Test {
protected:
    Execute() : kernel_(*find_backend("cpu")->ladder.front()) { start(std::size_t{1} << 20); }

    static void start(std::size_t memory, int failing_call = 0) {
        test::start({.kernel = find_backend("cpu")->ladder.front(), .memory = memory, .failing_call = failing_call});
    }

    /// Small whole numbers, whose products every type sums without rounding.
    Matrix matrix(std::vector<std::byte>& bytes, Type type, std::int64_t rows, std::int64_t cols) {
        bytes.assign(static_cast<std::size_t>(rows * cols) * size_of(type), std::byte{0});
        const Matrix made{bytes.data(), type, rows, cols, cols};
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j) store_element(made, i, j, static_cast<double>((i * 3 + j) % 4 - 1));
        return made;
    }

    void operands(Type type) {
        a_ = matrix(a_bytes_, type, m, k), b_ = matrix(b_bytes_, type, k, n), c_ = matrix(c_bytes_, type, m, n);
        plan_.problem = {.m = m, .n = n, .k = k, .in = type, .out = type};
        plan_.backend = find_backend("cpu");
        plan_.kernel = &kernel_;
        plan_.threads = 1;
    }

    void late() {
        plan_.backend = &test::late_backend();
        plan_.kernel = plan_.backend->ladder.front();
    }

    void expect_product(double alpha = 1, double beta_times_c = 0) {
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::int64_t t = 0; t < k; ++t) sum += load_element(a_, i, t) * load_element(b_, t, j);
                const double before = static_cast<double>((i * 3 + j) % 4 - 1);
                ASSERT_EQ(load_element(c_, i, j), alpha * sum + beta_times_c * before) << i << ", " << j;
            }
    }

    const Kernel& kernel_;
    std::vector<std::byte> a_bytes_, b_bytes_, c_bytes_;
    Matrix a_, b_, c_;
    Plan plan_;
};

TEST_F(Execute, OnTheHost) {
    operands(Type::f32);
    plan_.options.alpha = 2, plan_.options.beta = -1;
    ASSERT_TRUE(execute(plan_, a_, b_, c_));
    expect_product(2, -1);
}

TEST_F(Execute, RowsAndColumnsThatAStepOfZeroRepeatsAreWidenedOnce) {
    operands(Type::bf16);
    const std::int64_t steps[][2] = {{0, 1}, {1, 0}, {0, 0}, {0, 3}, {2, 0}};
    for (const auto& of_a : steps)
        for (const auto& of_b : steps) {
            std::byte scratch[2048];  // A whole would take 2432
            std::fill(std::begin(scratch), std::end(scratch), std::byte{0xa5});
            plan_.problem.n = 1, c_.cols = 1, b_.cols = 1;
            a_.row_step = of_a[0], a_.col_step = of_a[1], b_.row_step = of_b[0], b_.col_step = of_b[1];
            plan_.options.scratch = scratch;
            ASSERT_TRUE(execute(plan_, a_, b_, c_));
            for (std::int64_t i = 0; i < m; ++i) {
                double sum = 0;
                for (std::int64_t t = 0; t < k; ++t) sum += load_element(a_, i, t) * load_element(b_, t, 0);
                ASSERT_EQ(load_element(c_, i, 0), sum) << i;
            }
            EXPECT_TRUE(std::any_of(std::begin(scratch), std::end(scratch), [](std::byte x) {
                return x != std::byte{0xa5};
            })) << "the caller's scratch was enough";
        }
}

TEST_F(Execute, NarrowOperandsAreWidenedForAKernelOfF32) {
    for (const Type type : {Type::bf16, Type::f16})
        for (const double beta : {1.0, -2.0}) {
            ASSERT_EQ(kernel_.in, Type::f32);
            operands(type);
            plan_.options.beta = beta;
            ASSERT_TRUE(execute(plan_, a_, b_, c_));
            expect_product(1, beta);
        }
}

TEST_F(Execute, OperandsOfTheHostAreStagedForADevice) {
    operands(Type::f32);
    late();
    EXPECT_TRUE(needs_staging(plan_, c_));
    plan_.options.beta = 1;
    ASSERT_TRUE(execute(plan_, a_, b_, c_));
    EXPECT_TRUE(test::is_idle()) << "it has been waited for";
    expect_product(1, 1);
}

TEST_F(Execute, ADeviceWithTooLittleMemoryIsToldAndCIsAsItWas) {
    operands(Type::f32);
    late();
    start(1000);
    const std::vector<std::byte> before = c_bytes_;
    EXPECT_EQ(execute(plan_, a_, b_, c_).code, Code::out_of_memory);
    EXPECT_EQ(c_bytes_, before);
}

TEST_F(Execute, EveryFailureOfTheDeviceIsToldAndWaitedFor) {
    operands(Type::f32);
    late();
    ASSERT_TRUE(execute(plan_, a_, b_, c_));
    const int calls = test::calls_for_work();
    ASSERT_GT(calls, 3);
    for (int failing = 1; failing <= calls; ++failing) {
        start(std::size_t{1} << 20, failing);
        EXPECT_EQ(execute(plan_, a_, b_, c_).code, Code::device_failed) << failing;
        EXPECT_TRUE(test::is_idle()) << failing;
    }
}

TEST_F(Execute, IntoAGraphGoesNoMemoryOfTheHost) {
    operands(Type::f32);
    late();
    Backend captured = *plan_.backend;
    captured.captures = [](void*) { return true; };
    plan_.backend = &captured;
    EXPECT_EQ(execute(plan_, a_, b_, c_).code, Code::unsupported);
    EXPECT_EQ(test::calls_for_work(), 0);
}

TEST_F(Execute, ADeviceThatCannotBeSelectedIsTold) {
    operands(Type::f32);
    Backend refusing = *plan_.backend;
    refusing.select = [](int) { return Status{Code::no_device, Argument::options, "gone"}; };
    plan_.backend = &refusing;
    plan_.device = 1;
    EXPECT_EQ(execute(plan_, a_, b_, c_).code, Code::no_device);
    plan_.device = -1;
    EXPECT_TRUE(execute(plan_, a_, b_, c_)) << "none is named";
}

TEST_F(Execute, AnEpilogueAloneRunsWhereThePlanSays) {
    operands(Type::f32);
    std::vector<float> bias(n, 3);
    const Epilogue epilogue{
        .bias = bias.data(), .bias_type = Type::f32, .bias_size = n, .activation = Activation::relu};
    ASSERT_TRUE(finish_as_planned(plan_, c_, epilogue, nullptr));
    const std::vector<std::byte> on_the_host = c_bytes_;
    operands(Type::f32);
    late();
    ASSERT_TRUE(finish_as_planned(plan_, c_, epilogue, nullptr));
    EXPECT_GT(test::calls_for_work(), 0);
    EXPECT_EQ(c_bytes_, on_the_host);
}

TEST_F(Execute, AnEpilogueAloneAsksForRoomForAllItsMatrices) {
    operands(Type::f32);
    std::vector<float> bias(n, 3);
    std::vector<std::byte> residual;
    const Epilogue epilogue{
        .bias = bias.data(), .bias_type = Type::f32, .bias_size = n, .residual = matrix(residual, Type::f32, m, n)};
    ASSERT_TRUE(finish_as_planned(plan_, c_, epilogue, nullptr));
    const std::vector<std::byte> on_the_host = c_bytes_;
    operands(Type::f32);
    late();
    constexpr std::size_t needed = 2 * matrix_bytes(Type::f32, m, n) + matrix_bytes(Type::f32, 1, n);
    start(needed - 1);
    EXPECT_EQ(finish_as_planned(plan_, c_, epilogue, nullptr).code, Code::out_of_memory);
    start(needed);
    ASSERT_TRUE(finish_as_planned(plan_, c_, epilogue, nullptr));
    EXPECT_EQ(c_bytes_, on_the_host);
}

}  // namespace
