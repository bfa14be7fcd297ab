// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/contract.hpp"

namespace tw::metal {

/// The GPU of a Mac.
const Backend& backend() noexcept;
bool owns(const void* memory) noexcept;

/// What Metal's compiler says against a family of kernels ("r9_async_pipeline"); "" when it takes it, or there is no GPU.
const char* refusal_of(const char* family);

}  // namespace tw::metal
