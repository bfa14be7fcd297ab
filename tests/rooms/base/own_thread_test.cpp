// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A sleeping thread is kept off a processor, begins elsewhere, and has all its processors afterwards.
#include "base/own_thread.hpp"

#include <gtest/gtest.h>

#include "base/threads.hpp"

#if defined(__linux__)
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace {

using namespace std::chrono_literals;

cpu_set_t allowed(int thread = 0) {
    cpu_set_t found;
    CPU_ZERO(&found);
    sched_getaffinity(thread, sizeof found, &found);
    return found;
}

bool same(const cpu_set_t& one, const cpu_set_t& other) { return CPU_EQUAL(&one, &other); }

int first_of(const cpu_set_t& processors) {
    int first = 0;
    while (!CPU_ISSET(static_cast<unsigned>(first), &processors)) ++first;
    return first;
}

/// A thread that sleeps until it is woken and says where it began.
class Sleeper {
public:
    explicit Sleeper(const cpu_set_t* limit = nullptr)
        : thread_([this, limit] {
              if (limit) sched_setaffinity(0, sizeof *limit, limit);
              number_ = tw::own_thread_number();
              number_.notify_one();
              word_.wait(0);
              began_on_ = tw::processor_at_hand();
              if (given_ >= 0) tw::let_back(given_);
              after_ = allowed();
          }) {
        number_.wait(0);
    }
    int number() const { return number_; }
    int wake(int let_back) {
        given_ = let_back;
        word_ = 1;
        word_.notify_one();
        thread_.join();
        return began_on_;
    }
    const cpu_set_t& after() const { return after_; }

private:
    std::atomic<int> number_{0}, word_{0};
    int given_ = -1, began_on_ = -1;
    cpu_set_t after_{};
    std::thread thread_;
};

TEST(OwnThread, AThreadKeptOffAProcessorBeginsElsewhereAndGetsItBack) {
    const cpu_set_t all = allowed();
    if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one processor";
    const int taken = first_of(all);
    for (int time = 0; time < 20; ++time) {
        Sleeper sleeper;
        ASSERT_TRUE(tw::keep_off(sleeper.number(), taken));
        const cpu_set_t left = allowed(sleeper.number());
        EXPECT_FALSE(CPU_ISSET(static_cast<unsigned>(taken), &left));
        EXPECT_NE(sleeper.wake(taken), taken);
        EXPECT_TRUE(same(sleeper.after(), all));
    }
}

TEST(OwnThread, WhatAThreadWasLimitedToStays) {
    const cpu_set_t all = allowed();
    if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one processor";
    const int first = first_of(all);
    cpu_set_t one, rest = all;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(first), &one);
    CPU_CLR(static_cast<unsigned>(first), &rest);

    Sleeper alone(&one);
    EXPECT_FALSE(tw::keep_off(alone.number(), first)) << "it may run nowhere else";
    alone.wake(-1);
    EXPECT_TRUE(same(alone.after(), one));

    Sleeper elsewhere(&rest);
    EXPECT_FALSE(tw::keep_off(elsewhere.number(), first)) << "it may not run there anyway";
    elsewhere.wake(-1);
    EXPECT_TRUE(same(elsewhere.after(), rest));
    if (CPU_COUNT(&rest) < 2) return;

    Sleeper limited(&rest);
    const int other = first_of(rest);
    ASSERT_TRUE(tw::keep_off(limited.number(), other));
    limited.wake(other);
    EXPECT_TRUE(same(limited.after(), rest)) << "not the processors that it never had";
}

TEST(OwnThread, NothingIsTakenFromAThreadThatIsNone) {
    EXPECT_FALSE(tw::keep_off(0, 0));
    EXPECT_FALSE(tw::keep_off(tw::own_thread_number(), -1));
    const cpu_set_t before = allowed();
    tw::let_back(-1);
    EXPECT_TRUE(same(allowed(), before));
}

/// True when each thread of this process may run where the caller may.
bool nobody_is_kept_off() {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
        if (!same(allowed(std::atoi(thread.path().filename().c_str())), allowed())) return false;
    return true;
}

TEST(OwnThread, ThePoolsThreadsMayRunEverywhereWhenTheyAreDone) {
    for (int time = 0; time < 5; ++time) {
        std::atomic<int> done{0};
        tw::run_tasks(nullptr, 4, 4, [](void* count, int) { ++*static_cast<std::atomic<int>*>(count); }, &done);
        ASSERT_EQ(done, 4);
        std::this_thread::sleep_for(3ms);  // until they sleep
    }
    for (int look = 0; look < 2000 && !nobody_is_kept_off(); ++look) std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(nobody_is_kept_off());
}

}  // namespace
#endif
