// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which kernels may do a product: those that can run here and keep the promise.
#pragma once

#include "backend/contract.hpp"

namespace tw {

/// True when the kernel takes the types and the shape, and the features that it needs are present.
bool fits(Features present, const Kernel& kernel, const Problem& problem) noexcept;

/// The same for the features of this machine.
bool can_run(const Backend& backend, const Kernel& kernel, const Problem& problem) noexcept;

/// True when its certificate is at most what the problem promises.
bool keeps_promise(const Kernel& kernel, const Problem& problem) noexcept;

}  // namespace tw
