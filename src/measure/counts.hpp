// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>
#include <vector>

#include "measure/basis/operands.hpp"
#include "measure/rows/counted.hpp"

namespace tw::measure {

/// What each row of Metal's ladder loads, stores and computes for one product of the task's shape and type, counted by
/// metal-check. `rungs` as answers_to() takes them; empty: all. Empty where there is no metal-check.
std::vector<Counted> count_metal_rungs(const Task& task, const std::vector<std::string>& rungs);

}  // namespace tw::measure
