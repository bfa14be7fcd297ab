// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// "metal-check": the Metal ladder executed on the CPU, with every access checked. Chosen only when asked for by name.
#pragma once

#include <span>

#include "backend/contract.hpp"
#include "backend/metal/dispatch.hpp"

namespace tw::metal_check {

const Backend& backend() noexcept;

/// Runs them in order; afterwards door()->last_run() gives the counts.
Status launch(std::span<const metal::Dispatch> dispatches);

}  // namespace tw::metal_check
