// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How quick this machine is, as `tw tune --machine` measured it. Rules that share work out to threads go by it, and
// which kernel of an order of summation multiplies some rows of C; which order is chosen does not, so that a result's
// bits are the same before and after.
#pragma once

#include <cstdint>

namespace tw {

/// What some rows of C by a larger B take on one thread, nanoseconds, by one way to multiply them: it grows by lines, a
/// product and a byte of B each at a pace of its own, where B's rows are contiguous and where it lies along k; and a
/// byte of C. Products of f32, of which one of f64 takes two.
struct RowPace {
    double product = 0, byte = 0, product_along_k = 0, byte_along_k = 0, result_byte = 0;

    /// `size`: bytes of an element.
    double nanoseconds(std::int64_t rows, std::int64_t cols, std::int64_t k, int size, bool along_k) const noexcept;
};

struct Pace {
    double read = 0, read_together = 0;  ///< bytes a nanosecond from memory: by one thread, by all of them
    double gflops = 0;                   ///< multiply-adds of f32 on one core; 0: nothing was measured
    double start = 0;                    ///< nanoseconds until all threads have begun and ended; 0: not known

    RowPace strips{}, panels{}, passing{};  ///< of r6, r7 and few_rows

    bool is_measured() const noexcept { return gflops > 0; }

    bool knows_rows() const noexcept { return strips.product > 0 && panels.product > 0 && passing.product > 0; }

    /// Products that a thread must have: as many as one thread makes while others start.
    double products_worth_a_thread() const noexcept;
};

/// This process's. Nothing measured, unless set_pace() came first; it never changes after that, so that a plan and its
/// run agree on threads. What is handed to set_pace() must live as long as the process.
const Pace& pace() noexcept;
void set_pace(const Pace& measured) noexcept;

}  // namespace tw
