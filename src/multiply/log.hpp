// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "tilewright/plan.hpp"

namespace tw {

/// With TW_LOG=1, one line to standard error: what was chosen, why, and the `tw` command that runs the same again.
void log_call(const Plan& plan, std::int64_t products = 1) noexcept;

}  // namespace tw
