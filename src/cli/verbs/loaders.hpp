// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

namespace tw::cli {

/// tw bench loaders: the seeds' microbenchmark; counts on metal-check, a curve on a GPU.
void run_loaders(const std::string& device);

}  // namespace tw::cli
