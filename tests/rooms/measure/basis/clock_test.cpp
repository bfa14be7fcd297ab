// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/clock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace tw::measure {
namespace {

/// Seconds by that clock of a sleep of 50 ms.
double of_a_sleep(Clock clock) {
    const double start = clock();
    usleep(50000);
    return clock() - start;
}

TEST(Clock, OfOneThreadOfTheHostLeavesOutWhatItWaits) {
    EXPECT_LT(of_a_sleep(clock_of(Place::host, 1)), 0.04);
    EXPECT_GE(of_a_sleep(clock_of(Place::host, 2)), 0.05);
    EXPECT_GE(of_a_sleep(clock_of(Place::host, 0)), 0.05) << "as many as there are";
    EXPECT_GE(of_a_sleep(clock_of(Place::cuda, 1)), 0.05) << "a device works while the host waits";
    EXPECT_GE(of_a_sleep(clock_of(Place::metal, 1)), 0.05);
}

TEST(Clock, EachCountsWhatItsNameSays) {
    const double wall = now(), own = thread_time(), all = process_time();
    std::thread([] {
        for (const double start = thread_time(); thread_time() - start < 0.03;) {
        }
    }).join();
    EXPECT_GE(now() - wall, 0.03);
    EXPECT_GE(process_time() - all, 0.03);
    EXPECT_LT(thread_time() - own, 0.03) << "another thread has worked";
}

}  // namespace
}  // namespace tw::measure
