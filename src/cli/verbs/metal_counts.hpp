// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>
#include <vector>

#include "measure/basis/operands.hpp"

namespace tw::cli {

/// Prints what each row of Metal's ladder loads, stores and computes for one product. `rungs` as answers_to() takes
/// them; empty: all.
void print_metal_counts(const measure::Task& task, const std::vector<std::string>& rungs);

}  // namespace tw::cli
