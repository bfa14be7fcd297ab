// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Decoding's table: tokens by layers.
#pragma once

#include <string>
#include <vector>

#include "measure/survey/survey.hpp"

namespace tw::measure {

/// True when every outcome is a case of decoding().
bool is_decoding(const std::vector<Outcome>& outcomes);

/// For each kind, and weights N x K (NT) and K x N (NN): the ratios, a row for each number of tokens.
std::string grids_of(const std::vector<Outcome>& outcomes);

}  // namespace tw::measure
