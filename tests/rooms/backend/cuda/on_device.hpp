// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Values in a device's memory and back, and the rows of its ladder that can run; a test without a device is skipped.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "plan/choose.hpp"
#include "plan/registry.hpp"
#include "support/random_numbers.hpp"
#include "support/sanitized.hpp"
#include "tilewright/batch.hpp"

namespace on_device {

using namespace tw;

inline const Backend& cuda() { return *find_backend("cuda"); }

class OnDevice : public testing::Test {
protected:
    void SetUp() override {
        if (cuda().devices() == 0) GTEST_SKIP() << cuda().absence();
    }
};

/// Numbers of any type on the device, given back at the end of their life.
class Values {
public:
    Values(Type type, std::int64_t count, unsigned seed) : type_(type), count_(count), memory_(cuda().alloc(bytes())) {
        std::mt19937 engine(seed);
        std::normal_distribution<double> normal;
        host_.resize(bytes());
        const Matrix parts = is_complex(type) ? real_parts(on_host()) : on_host(), others = imaginary_parts(on_host());
        for (std::int64_t i = 0; i < count; ++i) {
            store_element(parts, 0, i, normal(engine));
            if (is_complex(type)) store_element(others, 0, i, normal(engine));
        }
        send();
    }
    ~Values() { cuda().free(memory_); }
    Values(const Values&) = delete;
    Values& operator=(const Values&) = delete;

    Matrix on_host() { return {host_.data(), type_, 1, count_, count_}; }
    Matrix there() const { return {memory_, type_, 1, count_, count_}; }
    void send() { move(there(), on_host()); }
    std::vector<std::byte>& bring() {
        move(on_host(), there());
        return host_;
    }
    double operator[](std::int64_t i) { return load_element(on_host(), 0, i); }
    char* data() const { return static_cast<char*>(memory_); }

    Matrix rows(std::int64_t rows, std::int64_t cols, std::int64_t from = 0) const {
        return steps(rows, cols, cols, 1, from);
    }
    Matrix columns(std::int64_t rows, std::int64_t cols, std::int64_t from = 0) const {
        return steps(rows, cols, 1, rows, from);
    }
    Matrix steps(std::int64_t rows, std::int64_t cols, std::int64_t row_step, std::int64_t col_step,
                 std::int64_t from = 0) const {
        return {data() + from * static_cast<std::int64_t>(size_of(type_)), type_, rows, cols, row_step, col_step};
    }

private:
    std::size_t bytes() const { return static_cast<std::size_t>(count_) * size_of(type_); }
    static void move(const Matrix& to, const Matrix& from) {
        ASSERT_TRUE(cuda().copy(to, from, nullptr).is_ok());
        ASSERT_TRUE(cuda().wait(nullptr).is_ok());
    }

    Type type_;
    std::int64_t count_;
    void* memory_;
    std::vector<std::byte> host_;
};

/// As test::has_its_turn(), of the cases of one test, whose first always has it; the variable's value says how many
/// times fewer.
inline bool has_its_turn(int of) {
    static const testing::TestInfo* test = nullptr;
    static int asked = 0;
    if (!test::is_thinned()) return test::has_its_turn(of);
    static const int fewer = std::max(1, std::atoi(std::getenv("TW_TESTS_THINNED")));
    const testing::TestInfo* const now = testing::UnitTest::GetInstance()->current_test_info();
    if (test != now) test = now, asked = 0;
    return asked++ % (of * fewer) == 0;
}

inline bool runs(const Kernel& kernel) { return (kernel.needs & ~cuda().features()) == 0; }

}  // namespace on_device
