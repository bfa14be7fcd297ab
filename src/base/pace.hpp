// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How quick this machine is, as `tw tune --machine` measured it. Rules that share work out to threads go by it; which
// order of summation is chosen does not, so that a result's bits are the same before and after.
#pragma once

namespace tw {

struct Pace {
    double read = 0, read_together = 0;  ///< bytes a nanosecond from memory: by one thread, by all of them
    double gflops = 0;                   ///< multiply-adds of f32 on one core; 0: nothing was measured
    double start = 0;                    ///< nanoseconds until all threads have begun and ended; 0: not known

    bool is_measured() const noexcept { return gflops > 0; }

    /// Products that a thread must have: as many as one thread makes while others start.
    double products_worth_a_thread() const noexcept;
};

/// This process's. Nothing measured, unless set_pace() came first; it never changes after that, so that a plan and its
/// run agree on threads. What is handed to set_pace() must live as long as the process.
const Pace& pace() noexcept;
void set_pace(const Pace& measured) noexcept;

}  // namespace tw
