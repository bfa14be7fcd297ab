// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "carry/cut.hpp"
#include "carry/shared_operand.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// A product of host operands, tile by tile: while one tile is computed, the panels of the next are uploaded and the
/// result of the one before is downloaded. The bits are those of the product in one piece if the kernel has an order; a
/// cut k is summed in C, from its first slab to its last. After a failure it waits for what was enqueued: each tile of
/// C then holds its result or its former contents, and one tile may hold parts of both. Where all panels stay on the
/// device, those of a shared operand come from other devices, too; it returns when none needs this one's any more.
Status run_in_panels(const Plan& plan, const Call& call, const Cut& cut, const Sharing& sharing = {}) noexcept;

}  // namespace tw
