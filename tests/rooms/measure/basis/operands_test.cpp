// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A task's operands on a device, played by memory of its own: what is brought there and back, and what is said when
// that fails.
#include "measure/basis/operands.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/element.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

constexpr int any = 1 << 20;
int allocations_left = any, copies_left = any, live = 0, waits = 0;

/// The CPU, behind an allocator and copies of its own, of which so many work.
Backend played() {
    Backend backend = *find_backend("cpu");
    backend.alloc = [](std::size_t bytes) -> void* {
        return allocations_left-- > 0 ? ++live, std::calloc(1, bytes) : nullptr;
    };
    backend.free = [](void* memory) { --live, std::free(memory); };
    backend.copy = [](const Matrix& to, const Matrix& from, void*) {
        if (copies_left-- <= 0) return Status{Code::device_failed, Argument::none, "it can't be copied"};
        return convert(to, from), Status{};
    };
    backend.wait = [](void*) { return ++waits, Status{}; };
    return backend;
}

class OperandsOnADevice : public testing::Test {
protected:
    void SetUp() override { allocations_left = copies_left = any, live = waits = 0; }
    Task task{.m = 3, .n = 5, .k = 4, .type = Type::f32};
    const Backend device = played();
};

bool are_equal(const Matrix& x, const Matrix& y) {
    for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t j = 0; j < x.cols; ++j)
            if (load_element(x, i, j) != load_element(y, i, j)) return false;
    return x.rows == y.rows && x.cols == y.cols;
}

TEST_F(OperandsOnADevice, AreBroughtThereAndCIsBroughtBack) {
    task.products = 2;
    Operands operands(task);
    ASSERT_TRUE(operands.place_on(device));
    EXPECT_EQ(live, 3);
    EXPECT_EQ(waits, 1);
    ASSERT_TRUE(operands.place_on(device));
    EXPECT_EQ(live, 3) << "they are there";
    ASSERT_TRUE(operands.poison_result());
    for (std::int64_t p = 0; p < 2; ++p) {
        const Matrix a = operands.a(p), b = operands.b(p), c = operands.c(p);
        EXPECT_NE(a.data, operands.host_a(p).data);
        EXPECT_TRUE(are_equal(a, operands.host_a(p)) && are_equal(b, operands.host_b(p)));
        EXPECT_FALSE(p > 0 && are_equal(a, operands.a(0))) << "each product has its own";
        for (std::int64_t i = 0; i < c.rows; ++i)
            for (std::int64_t j = 0; j < c.cols; ++j) {
                EXPECT_TRUE(std::isnan(load_element(c, i, j)));
                store_element(c, i, j, static_cast<double>(100 * p + 10 * i + j));
            }
    }
    ASSERT_TRUE(operands.fetch_result());
    EXPECT_EQ(waits, 3);
    EXPECT_EQ(load_element(operands.host_c(1), 2, 4), 124);
    EXPECT_EQ(load_element(operands.host_c(0), 1, 3), 13);
}

TEST_F(OperandsOnADevice, OfTheHostStayThere) {
    Operands operands(task);
    ASSERT_TRUE(operands.place_on(*find_backend("cpu")));
    EXPECT_EQ(operands.c().data, operands.host_c().data);
    ASSERT_TRUE(operands.poison_result());
    EXPECT_TRUE(std::isnan(load_element(operands.host_c(), 2, 4)));
    EXPECT_TRUE(operands.fetch_result());
}

TEST_F(OperandsOnADevice, EachFailureIsSaidAndNothingIsLeft) {
    for (int most = 0; most < 3; ++most) {
        allocations_left = most;
        {
            Operands operands(task);
            EXPECT_EQ(operands.place_on(device).code, Code::out_of_memory);
        }
        EXPECT_EQ(live, 0);
    }
    allocations_left = any;
    for (int most = 0; most < 5; ++most) {
        copies_left = most;
        {
            Operands operands(task);
            const Status placed = operands.place_on(device);
            EXPECT_EQ(placed.is_ok(), most >= 3) << most;
            if (!placed) continue;
            EXPECT_EQ(operands.poison_result().is_ok(), most >= 4) << most;
            EXPECT_EQ(operands.fetch_result().code, Code::device_failed) << most;
        }
        EXPECT_EQ(live, 0);
    }
}

}  // namespace
}  // namespace tw::measure
