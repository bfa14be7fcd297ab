// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products with one matrix, some at a time: what is read is chosen here or by the device, plan and carry have them
// made, and what came of them is told.
#pragma once

#include "effort/dials.hpp"
#include "plan/choose_effort.hpp"

namespace tw::effort {

/// With rows of the plan's backend and device. Waits, unless vectors and results are in that device's memory.
Status run(EffortPlan plan, const Dials& dials) noexcept;

}  // namespace tw::effort
