// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

#include "base/pace.hpp"

namespace tw::measure {

/// Measures what rules may go by, in some 0.3 s: memory by one thread and by `threads`, multiply-adds of one core, how
/// long threads take to begin and to be waited for, and what some rows of C take by each way to multiply them.
Pace calibrate(int threads);

/// Some lines for a person.
std::string text_of(const Pace& pace, int threads);

}  // namespace tw::measure
