// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Runs products with one matrix, a few at a time: chooses what is read, here or on the device, has plan and carry run
// the kernels, and fills in the reports.
#pragma once

#include "effort/request.hpp"
#include "plan/choose_effort.hpp"

namespace tw::effort {

/// Runs on the plan's backend and device. Waits, unless vectors and results are in that device's memory.
Status run(EffortPlan plan, const Request& request) noexcept;

}  // namespace tw::effort
