// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Apple's MPS beside our Metal rungs. It has no threads of its own to keep apart and shares the device's queue, and the
// frameworks of macOS don't survive a fork: so it runs in this process, unlike the other peers.
#pragma once

#include <memory>

#include "measure/turns/entrant.hpp"

namespace tw::measure {

inline constexpr const char* mps_name = "mps";

/// Null when the backend is not Metal's, when there is no MPS, or when it does not multiply this type.
std::shared_ptr<Entrant> mps_entrant(const Backend& backend, const Task& task,
                                     const std::shared_ptr<Operands>& operands);

}  // namespace tw::measure
