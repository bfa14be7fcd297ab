// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which rows may do a product: those that can run here, and those that keep the promise.
#pragma once

#include "backend/contract.hpp"

namespace tw {

/// Types, features that are present, and shapes that the row may not take.
bool fits(Features present, const Kernel& kernel, const Problem& problem) noexcept;

/// The same with the features of this machine.
bool can_run(const Backend& backend, const Kernel& kernel, const Problem& problem) noexcept;

/// Its certificate stays under what the problem promises.
bool keeps_promise(const Kernel& kernel, const Problem& problem) noexcept;

}  // namespace tw
