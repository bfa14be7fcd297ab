// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "base/remembered.hpp"
#include "multiply/correct.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// The value of TW_LOG, -1 until it has been read. With 1, each product writes one line to standard error: what was
/// chosen, why, and the `tw` command that runs the same again.
extern constinit Remembered<int, -1> log_wanted;

void write_log(const Plan& plan, std::int64_t products) noexcept;
int read_log_wanted() noexcept;

inline void log_call(const Plan& plan, std::int64_t products = 1) noexcept {
    if (log_wanted.get(read_log_wanted) != 0) write_log(plan, products);
}

/// One line when a correcting product found something wrong.
void write_corrections(const Plan& plan, const Corrections& done) noexcept;

inline void log_corrections(const Plan& plan, const Corrections& done) noexcept {
    if ((done.elements != 0 || done.whole || done.by_second) && log_wanted.get(read_log_wanted) != 0)
        write_corrections(plan, done);
}

}  // namespace tw
