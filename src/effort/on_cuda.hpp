// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial on a CUDA device: weights are laid out in its memory once, products are enqueued there.
#pragma once

#include <string_view>

#include "effort/dials.hpp"

namespace tw::effort {

/// "cuda" or "cuda:N".
bool names_cuda(std::string_view device) noexcept;

/// Vectors and results in the memory of a CUDA device: the host may not look at them.
bool is_on_cuda(const void* memory) noexcept;

/// Where v or y is the host's the call waits; where both are the device's it enqueues, and a report has what is known
/// before.
Status run_on_cuda(const Dials& dials) noexcept;

/// Lays the matrix out in the device's memory, unless it is there.
Status place_on_cuda(const EffortBody& body, std::string_view device) noexcept;

}  // namespace tw::effort
