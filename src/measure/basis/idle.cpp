// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/idle.hpp"

#include <ctime>

#include "measure/basis/clock.hpp"

namespace tw::measure {
namespace {

constexpr long look = 10'000'000;  // nanoseconds: the system adds up other threads' time some milliseconds late
constexpr double share = 0.1;      // of one processor: so little is no thread that looks for work

}  // namespace

bool wait_until_idle(double most) noexcept {
    const double start = now();
    while (now() - start < most) {
        const double before = now(), used = process_time();
        const timespec time{0, look};
        nanosleep(&time, nullptr);
        if (process_time() - used < share * (now() - before)) return true;
    }
    return false;
}

}  // namespace tw::measure
