// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/contract.hpp"

namespace tw::metal {

/// The GPU of a Mac.
const Backend& backend() noexcept;
bool owns(const void* memory) noexcept;

}  // namespace tw::metal
