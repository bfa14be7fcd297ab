// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>
#include <vector>

#include "measure/peers/search.hpp"

namespace tw::measure {

/// OpenBLAS and BLIS choose kernels by the processor's model number, and narrow ones for a model that they do not know.
/// A forked trial finds out what this file chooses. If the feature bits allow wider kernels, and a second trial shows
/// that they work, this sets the environment so that they are used. It never overrides the user's own choice.
void correct_core_type(const PeerKind& kind, const std::string& file);

/// The candidates by the versions that they tell in forked trials; of equals, and of those that tell none or do not
/// open, the order stays.
std::vector<PeerCandidate> newest_first(const PeerKind& kind, std::vector<PeerCandidate> candidates);

/// True when version `a` is newer than `b`: "0.3.34" than "0.3.21", "3.13.2" than "3.4".
bool is_newer(const std::string& a, const std::string& b);

}  // namespace tw::measure
