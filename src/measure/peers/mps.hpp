// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Apple's MPS beside our Metal rungs. Unlike other peers it runs in this process: macOS's frameworks do not survive a
// fork, and it has no threads of its own that could disturb others.
#pragma once

#include <memory>

#include "measure/turns/entrant.hpp"

namespace tw::measure {

inline constexpr const char* mps_name = "mps";

/// Null when the backend is not Metal, there is no MPS, or it does not multiply this type.
std::shared_ptr<Entrant> mps_entrant(const Backend& backend, const Task& task,
                                     const std::shared_ptr<Operands>& operands);

}  // namespace tw::measure
