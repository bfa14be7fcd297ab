// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "tilewright/batch.hpp"

namespace tw {

/// Every rule about operands that can be checked without reading an element.
Status check_operands(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

/// Those about shapes and types alone: what a plan is made of. Nothing need point anywhere.
Status check_shapes(const Matrix& a, const Matrix& b, const Matrix& c) noexcept;

/// Whether C overlaps another operand. Only in debug builds: a small product takes less time than this check.
#ifdef NDEBUG
inline Status check_overlap(const Matrix&, const Matrix&, const Matrix&, const Options&) noexcept { return {}; }
#else
Status check_overlap(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;
#endif

/// The same for a single operand.
Status check_operand(const Matrix& operand, Argument which) noexcept;

/// The same for a batch of at least one product; the matrices are the first product's.
Status check_batch(const Matrix& a, const Matrix& b, const Matrix& c, const Batch& batch,
                   const Options& options) noexcept;

}  // namespace tw
