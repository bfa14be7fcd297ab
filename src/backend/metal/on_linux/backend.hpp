// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// "metal-check": the Metal ladder executed on the CPU, every access checked. Never chosen unless it is asked for by
// name.
#pragma once

#include "backend/contract.hpp"

namespace tw::metal_check {

const Backend& backend() noexcept;

}  // namespace tw::metal_check
