// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "tilewright/plan.hpp"

namespace tw {

/// A checked product by its plan, verified where the plan's options want it; its line in the log is the caller's
/// affair.
Status run_logged(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c, void* stream) noexcept;

}  // namespace tw
