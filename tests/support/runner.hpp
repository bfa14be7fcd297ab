// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a test runs one kernel on operands that lie in host memory.
#pragma once

#include <functional>

#include "backend/contract.hpp"

namespace tw::test {

/// The problem that a call poses to a kernel of that place.
Problem problem_of(const Call& call, Place place) noexcept;

/// Runs the kernel with this call, whose operands are in host memory and whose scratch is not yet set.
using Runner = std::function<Status(const Kernel&, const Call&, const Tile&)>;

/// For kernels of host memory: scratch is full of NaN (its first MiB) and ends at a page without access.
Status run_on_host(const Kernel& kernel, const Call& call, const Tile& tile);

/// For kernels of a device: operands travel there with their steps, their alignment and their padding, between zones
/// full of NaN that must come back as they went.
Runner device_runner(const Backend& backend);

/// Whichever of the two the backend needs.
Runner runner_for(const Backend& backend);

}  // namespace tw::test
