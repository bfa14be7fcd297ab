// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Beside try_plan(): whether its answer is remembered, and whether a kernel was asked for by name.
#pragma once

#include "backend/contract.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// The direct way of this thread's last plan, if try_plan() would return that plan and its direct way takes these
/// operands of the host; else null.
const Direct* remembered_direct(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

/// True when the caller or the environment names a kernel.
bool names_kernel(const Options& options) noexcept;

}  // namespace tw
