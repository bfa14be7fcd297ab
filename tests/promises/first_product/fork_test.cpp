// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rule 25, where it is hardest: a fork while another thread is in the middle of the process's first product, which
// finds out what the machine has, reads the store and makes the pool. This program itself never multiplies, so that
// each process that it forks is a fresh one.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <thread>

#include "support/sanitized.hpp"
#include "tilewright/multiply.hpp"

namespace {

constexpr std::int64_t size = 64;
constexpr int processes = 40, children = 8;

bool multiplies() {
    static float a[size * size], b[size * size];  // plain memory: a child of many threads had better not allocate
    float c[size * size] = {};
    for (float& x : a) x = 1;
    for (float& x : b) x = 2;
    if (!tw::try_multiply(tw::View(a, size, size), tw::View(b, size, size), tw::View(c, size, size), {.threads = 3}))
        return false;
    for (const float x : c)
        if (x != 2 * size) return false;
    return true;
}

bool ended_well(pid_t child) {
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A fresh process: one thread at its first product, the other forking all the while. Never returns.
[[noreturn]] void multiply_and_fork(int number) {
    alarm(60);
    bool first_is_right = false;
    std::thread first([&] { first_is_right = multiplies(); });
    pid_t forked[children];
    for (pid_t& child : forked) {
        const timespec a_moment{0, 1000L * (number % 10) * 7};
        nanosleep(&a_moment, nullptr);
        child = fork();
        if (child == 0) {
            alarm(20);
            _exit(multiplies() ? 0 : 1);
        }
    }
    bool all_right = true;
    for (const pid_t child : forked) all_right &= ended_well(child);
    first.join();
    _exit(all_right && first_is_right ? 0 : 1);
}

TEST(FirstProduct, Rule25_Fault03_AChildForkedDuringTheFirstProductMultiplies) {
    if (tw::test::is_sanitized)
        GTEST_SKIP() << "skipped: a sanitizer's own allocator has locks that a fork leaves held";
    for (int i = 0; i < processes; ++i) {
        const pid_t fresh = fork();
        if (fresh == 0) multiply_and_fork(i);
        EXPECT_TRUE(ended_well(fresh)) << "process " << i << ": a child of it hung, or its product was wrong";
    }
}

}  // namespace
