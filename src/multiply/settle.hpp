// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the front door settles by itself: products without terms, and operands in different places.
#pragma once

#include "tilewright/plan.hpp"

namespace tw {

/// Nothing to write, or nothing to add to beta * C.
constexpr bool needs_no_product(const Matrix& a, const Matrix& c, const Options& options) noexcept {
    return c.rows == 0 || c.cols == 0 || options.alpha == 0 || a.cols == 0;
}

/// What is left of a product without terms, done where C lives.
Status finish_anywhere(const Matrix& c, const Options& options) noexcept;

/// One address space for all three: a device's kernel can't read the host's memory, nor the other way round.
Status check_places(const Matrix& a, const Matrix& b, const Matrix& c) noexcept;
/// The same where C's place is known.
Status check_places(const Matrix& a, const Matrix& b, Place place) noexcept;

}  // namespace tw
