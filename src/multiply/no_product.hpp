// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products without terms, which no kernel is asked for, and operands in different places, which none can take.
#pragma once

#include "tilewright/plan.hpp"

namespace tw {

/// Nothing to write, or nothing to add to beta * C.
constexpr bool needs_no_product(const Matrix& a, const Matrix& c, const Options& options) noexcept {
    return c.rows == 0 || c.cols == 0 || (options.alpha == 0 && options.alpha_imag == 0) || a.cols == 0;
}

/// epilogue(beta * C): all that such a product has to do, in the memory where C is.
Status finish_anywhere(const Matrix& c, const Options& options) noexcept;

/// All three must be in one memory: a device's kernel can't read the host's, nor the other way round.
Status check_places(const Matrix& a, const Matrix& b, const Matrix& c) noexcept;
/// The same where C's place is known.
Status check_places(const Matrix& a, const Matrix& b, Place place) noexcept;

}  // namespace tw
