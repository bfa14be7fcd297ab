// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Beside try_plan(): whether its answer is remembered, whether a kernel was asked for by name, and which tuning records
// it follows.
#pragma once

#include "backend/contract.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// The direct way of this thread's last plan, if try_plan() would return that plan and its direct way takes these
/// operands of the host; else null.
const Direct* remembered_direct(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

/// True when the caller or the environment names a kernel.
bool names_kernel(const Options& options) noexcept;

struct Tuned;

/// A tuning record may change the kernel, the tile or the number of threads, but break no rule: the kernel can run and
/// keeps the promise, the tile is one of its own, and the bits do not change where they are promised. Else the plan
/// stays as it is.
void follow_record(const Tuned& record, const Problem& problem, Plan& plan) noexcept;

}  // namespace tw
