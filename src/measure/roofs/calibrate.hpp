// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

#include "base/pace.hpp"

namespace tw::measure {

/// Measures what rules may go by, in some 0.2 s: memory by one thread and by `threads`, multiply-adds of one core, and
/// how long threads take to begin and to be waited for.
Pace calibrate(int threads);

/// Four lines for a person.
std::string text_of(const Pace& pace, int threads);

}  // namespace tw::measure
