// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "tilewright/batch.hpp"

namespace tw {

/// Every rule about operands that can be settled without reading an element.
Status check_operands(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

/// That C lies apart from the others, where a call's cost does not matter: in builds for finding mistakes.
#ifdef NDEBUG
inline Status check_overlap(const Matrix&, const Matrix&, const Matrix&, const Options&) noexcept { return {}; }
#else
Status check_overlap(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;
#endif

/// The same for an operand by itself.
Status check_operand(const Matrix& operand, Argument which) noexcept;

/// The same for a batch, whose first product's operands these are; its size is at least 1.
Status check_batch(const Matrix& a, const Matrix& b, const Matrix& c, const Batch& batch,
                   const Options& options) noexcept;

}  // namespace tw
