// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "carry/shared_operand.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// The plan that a product is computed by once more when its check fails: the naive kernel, which has nothing in common
/// with those that are hard to write; with `reproducible`, the plainest kernel of the same order of summation.
Status plan_second(const Plan& plan, Plan& second) noexcept;

/// Runs the plan and checks the result in O(n^2); C gets the bits that it gets without verification. A result that
/// fails is computed once more by `second`; if that fails too, the status is Code::verification_failed and C holds the
/// second result.
Status run_verified(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b, const Matrix& c,
                    void* stream, const Sharing& sharing = {}) noexcept;

/// One attempt after the other, until the check accepts C or there is no more to try. Both plans are without epilogue,
/// and operands lie on the host.
Status run_until_right(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b, const Matrix& c,
                       void* stream, const Sharing& sharing) noexcept;

}  // namespace tw
