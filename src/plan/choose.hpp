// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a caller of try_plan() may ask beside it: whether a choice is remembered, and whether one was asked for.
#pragma once

#include "backend/contract.hpp"

namespace tw {

/// The direct way of this thread's last plan, when try_plan() would answer with it and it is for such operands of the
/// host; null when not.
const Direct* remembered_direct(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

/// True when the caller or the environment names a kernel.
bool names_kernel(const Options& options) noexcept;

}  // namespace tw
