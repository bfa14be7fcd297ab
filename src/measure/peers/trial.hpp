// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

#include "measure/peers/search.hpp"

namespace tw::measure {

/// OpenBLAS and BLIS choose kernels by the processor's model number and take a narrow one for a model that they don't
/// know. A forked trial asks what this file would choose; when the feature bits allow wider, the environment of this
/// process is set so that it does, once a second trial has shown that it works. A choice that the user made is left
/// alone.
void correct_core_type(const PeerKind& kind, const std::string& file);

}  // namespace tw::measure
