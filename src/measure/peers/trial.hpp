// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

#include "measure/peers/search.hpp"

namespace tw::measure {

/// OpenBLAS and BLIS choose kernels by the processor's model number, and narrow ones for a model that they do not know.
/// A forked trial finds out what this file chooses. If the feature bits allow wider kernels, and a second trial shows
/// that they work, this sets the environment so that they are used. It never overrides the user's own choice.
void correct_core_type(const PeerKind& kind, const std::string& file);

}  // namespace tw::measure
