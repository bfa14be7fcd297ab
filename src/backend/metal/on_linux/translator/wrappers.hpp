// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>
#include <vector>

#include "backend/metal/on_linux/translator/program.hpp"

namespace tw::metal_check {

/// Source text: a function for each kernel that takes everything from two tables of addresses and values.
std::string wrappers(const std::vector<KernelText>& kernels);

}  // namespace tw::metal_check
