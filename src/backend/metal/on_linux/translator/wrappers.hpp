// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>
#include <vector>

#include "backend/metal/on_linux/translator/program.hpp"

namespace tw::metal_check {

/// Source text of a wrapper for each kernel, which takes all arguments from two tables of addresses and values.
std::string wrappers(const std::vector<KernelText>& kernels);

}  // namespace tw::metal_check
