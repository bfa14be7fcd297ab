// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// All peers at once: each in a process of its own, opening its library while the others do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure/peers/process.hpp"

namespace tw::measure {

/// Starts all peers of the device, or those in `names`, and returns the usable ones; with `keep_troubled` also those
/// that were found but do not work. Call it before the device is first used: a driver does not survive fork().
std::vector<std::shared_ptr<PeerProcess>> start_peers(const std::vector<std::string>& names, const std::string& device,
                                                      int threads, bool keep_troubled = false);

}  // namespace tw::measure
