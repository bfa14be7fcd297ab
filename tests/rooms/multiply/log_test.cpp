// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// TW_LOG: a line for each product, each part of one on all devices and each batch; the store's trouble once, before the
// first. Each test is a process of its own, as the settings are read once in a process.
#include "multiply/log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tilewright/tilewright.hpp"

namespace {

using namespace tw;

/// Of this test alone: others run at the same time.
std::string store() {
    return testing::TempDir() + "log_test_store_" + testing::UnitTest::GetInstance()->current_test_info()->name();
}

struct Small {
    std::vector<float> a = std::vector<float>(6, 1), b = a, c = a;

    void multiply(const char* device = "") {
        tw::multiply(View<const float>{a.data(), 2, 3}, View<const float>{b.data(), 3, 2}, View<float>{c.data(), 2, 2},
                     {.device = device});
    }
    void multiply_twice() {  // two products of one row by one column
        const Matrix row{a.data(), Type::f32, 1, 3, 3}, col{b.data(), Type::f32, 3, 1, 1},
            one{c.data(), Type::f32, 1, 1, 1};
        check(try_multiply_batch(row, col, one, {.size = 2, .a_step = 3, .b_step = 3, .c_step = 1}), row, col, one, {});
    }
};

std::string product_line(const char* shape) { return std::string("tilewright: ") + shape + " f32 at fp32 by "; }

/// What the product says, of which `times` lines hold `words`.
template <class Work>
int times(const std::string& words, Work work) {
    testing::internal::CaptureStderr();
    work();
    const std::string said = testing::internal::GetCapturedStderr();
    int count = 0;
    for (std::size_t at = said.find(words); at != std::string::npos; at = said.find(words, at + 1)) ++count;
    return count;
}

class LogDeathTest : public testing::Test {
protected:
    void SetUp() override {
        GTEST_FLAG_SET(death_test_style, "threadsafe");  // nothing has been read yet
        std::ofstream(store()) << "this is no store\n";
        setenv("TW_STORE", store().c_str(), 1), setenv("TW_LOG", "1", 1);
    }
    void TearDown() override { unsetenv("TW_STORE"), unsetenv("TW_LOG"), std::remove(store().c_str()); }
};

TEST_F(LogDeathTest, SaysTheStoresTroubleOnceAndALineForEachProduct) {
    const auto work = [] {
        Small small;
        const std::string trouble = store() + ": this is not a tuning store; it is ignored";
        if (times(trouble, [&] { small.multiply(); }) != 1) std::exit(1);
        if (times(trouble, [&] { small.multiply(); }) != 0) std::exit(2);
        std::exit(times(product_line("2x2x3"), [&] { small.multiply(), small.multiply(); }) == 2 ? 0 : 3);
    };
    EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

TEST_F(LogDeathTest, SaysNothingOfAStoreThatIsWell) {
    const auto work = [] {
        setenv("TW_STORE", (store() + "_absent").c_str(), 1);
        std::exit(times("tilewright: ", [] { Small{}.multiply(); }) == 1 ? 0 : 1);
    };
    EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

TEST_F(LogDeathTest, HasALineForAPartOnOneOfAllDevices) {
    EXPECT_EXIT(std::exit(times(product_line("2x2x3"), [] { Small{}.multiply("cpu:*"); }) == 1 ? 0 : 1),
                testing::ExitedWithCode(0), "");
}

TEST_F(LogDeathTest, HasALineForABatch) {
    EXPECT_EXIT(std::exit(times("tilewright: a batch of 2: 1x1x3 f32", [] { Small{}.multiply_twice(); }) == 1 ? 0 : 1),
                testing::ExitedWithCode(0), "");
}

TEST_F(LogDeathTest, SaysNothingUnlessAsked) {
    const auto work = [] {
        setenv("TW_LOG", "0", 1);
        std::exit(times("tilewright", [] { Small{}.multiply(); }));
    };
    EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

}  // namespace
