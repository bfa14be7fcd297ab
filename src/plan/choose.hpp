// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What try_plan() asks of a row, for others that already have one.
#pragma once

#include "backend/contract.hpp"

namespace tw {

/// Types, features of this machine, and shapes that the row may not take.
bool can_run(const Backend& backend, const Kernel& kernel, const Problem& problem) noexcept;

/// The direct way of this thread's last plan, when try_plan() would answer with it and it is for such operands of the
/// host; null when not.
const Direct* remembered_direct(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

/// True when the caller or the environment names a kernel.
bool names_kernel(const Options& options) noexcept;

/// Its certificate stays under what the problem promises.
bool keeps_promise(const Kernel& kernel, const Problem& problem) noexcept;

}  // namespace tw
