// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/contract.hpp"

namespace tw::cpu {

const Backend& backend() noexcept;

/// The same matrix units, emulated: "cpu-check".
const Backend& check_backend() noexcept;

}  // namespace tw::cpu
