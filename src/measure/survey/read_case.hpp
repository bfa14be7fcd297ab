// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A case from the words that the survey prints, so that a line of its tables can be measured again.
#pragma once

#include <string>
#include <string_view>

#include "measure/survey/case.hpp"

namespace tw::measure {

/// "bf16 208x4096x4096 NT beta 0.5 pitch +8 +0 +0": what Case::text() has, behind a kind's name. What a table says
/// behind that, from the first ratio or time on, is left out, and so is a number of the line in front. Products of a
/// batch lie one behind the other. False: `trouble` says why.
bool read_case(std::string_view line, Case& one, std::string& trouble);

}  // namespace tw::measure
