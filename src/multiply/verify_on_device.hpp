// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/sums_contract.hpp"
#include "multiply/correct.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// Ok, or why a product whose operands lie in a device's memory can't be checked there.
Status can_verify_on_device(const Plan& plan, void* stream) noexcept;

/// run_until_right() for such operands: the device adds up, and what is off is made again there. Waits for the stream.
Status run_until_right_on_device(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b,
                                 const Matrix& c, void* stream) noexcept;

/// The same by given sums, and what was done on the device.
Status run_until_right_on_device(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b,
                                 const Matrix& c, void* stream, const ProductSums& sums, Corrections& done) noexcept;

}  // namespace tw
