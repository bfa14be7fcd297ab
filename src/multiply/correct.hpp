// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

#include "backend/contract.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// What a correcting product found wrong.
struct Corrections {
    std::int64_t elements = 0;    ///< that got other bits when they were made again
    std::int64_t made_again = 0;  ///< elements that were made again, right ones among them
    bool by_second = false;       ///< the kernel was wrong every time, so the second plan made C
    bool whole = false;           ///< C was made again as a whole, and which elements were wrong is not known
};

/// What one element is off by chance, relative to |A||B|.
double usual_error(const Kernel& kernel, std::int64_t k) noexcept;

/// Runs the plan, which has no epilogue, and checks sums of C's rows and of its columns against those that A and B say
/// they must have. Where a row's sum and a column's are off, their element is made again by the same kernel, in the
/// same order of summation, so that it gets the bits that it should have had; where more is off, whole rows or columns.
/// What stays wrong is the kernel's mistake: `second` makes C, and if that is wrong too, the code is
/// verification_failed.
Status run_corrected(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b, const Matrix& c,
                     void* stream, Corrections& done) noexcept;

}  // namespace tw
