// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial's products in Metal, on either device: selection, product and sum are three dispatches of one
// command, without the host in between.
#pragma once

#include <span>

#include "backend/effort_contract.hpp"
#include "backend/metal/dispatch.hpp"

namespace tw::metal {

using LaunchAll = Status (*)(std::span<const Dispatch>);

/// One product; `family` is the .metal file that multiplies.
Status run_effort(const char* family, const EffortCall& call, LaunchAll launch);
std::size_t effort_scratch(const EffortPlaced& matrix, int products);
double effort_nanoseconds(const EffortProblem& problem);

}  // namespace tw::metal
