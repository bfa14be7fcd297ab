// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Options::slabs: products with slabs of k, added in their tree (plan/slabs.hpp).
#pragma once

#include <cstddef>

#include "backend/contract.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// Scratch of run_slabs(), for operands of the plan's type or widened to f32.
std::size_t slab_scratch_bytes(const Plan& plan, const PackedPanels& packed) noexcept;

/// C = epilogue(alpha * AB + beta * C), AB summed slab by slab: for each block of C, so that partial sums stay in the
/// caches. Operands are where the plan's kernel wants them and as they are: a slab is a view of them.
Status run_slabs(const Plan& plan, const Call& call) noexcept;

/// Where a slab begins in a packed operand that is `lines` wide, and how many bytes it takes up to the end of the last.
std::size_t packed_slab_at(const Packing& packing, Type type, std::int64_t lines, std::int64_t k, int slabs,
                           bool on_left, int number) noexcept;

}  // namespace tw
