// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

namespace tw::cli {

/// tw roofline --peak F --bandwidth B: what a chip of these roofs allows each block of C, without such a chip.
void run_roofs_of_a_chip(const std::string& peak, const std::string& bandwidth, const std::string& type);

}  // namespace tw::cli
