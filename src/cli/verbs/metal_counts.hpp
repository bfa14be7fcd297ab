// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/types.hpp"

namespace tw::cli {

/// Prints what each Metal rung loads, stores and computes for one product, counted by the executor.
/// `rungs` as answers_to() takes them; empty: all.
void print_metal_counts(std::int64_t m, std::int64_t n, std::int64_t k, Type type,
                        const std::vector<std::string>& rungs);

}  // namespace tw::cli
