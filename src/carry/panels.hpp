// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "carry/cut.hpp"

namespace tw {

/// A product of host operands, tile by tile: while one is computed, the panels of the next are on their way there and
/// the results of the one before on their way back. The bits are those of the product in one piece, as long as the
/// kernel has an order; a cut k is added up from its first slab to its last, in C. When something fails, what has been
/// enqueued is waited for: tiles of C then hold their result or what was there before, and one may hold parts of both.
Status run_panelled(const Plan& plan, const Call& call, const Cut& cut) noexcept;

}  // namespace tw
