// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// "metal-check": the Metal ladder executed on the CPU, every access checked. Never chosen unless it is asked for by
// name.
#pragma once

#include <span>

#include "backend/contract.hpp"
#include "backend/metal/dispatch.hpp"

namespace tw::metal_check {

const Backend& backend() noexcept;

/// One after another, each seeing what those before it have written; door()->last_run() tells what was counted.
Status launch(std::span<const metal::Dispatch> dispatches);

}  // namespace tw::metal_check
