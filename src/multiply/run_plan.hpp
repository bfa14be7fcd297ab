// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "carry/shared_operand.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// Runs the plan, and verifies the result if its options ask for that. The caller has checked the operands and written
/// the line of the log.
Status run_plan(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c, void* stream,
                const Sharing& sharing = {}) noexcept;

}  // namespace tw
