// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Batches whose operands TMA can't reach as they lie: all of an operand's matrices are copied by one launch, and the
// batch is one by steps.
#pragma once

#include "backend/cuda/operands/batched.hpp"

namespace tw::cuda {

/// Whether TMA reaches a batch's operands as they lie.
bool batch_lies(const Call& call) noexcept;

/// The same, or aligned_batch_bytes has room for copies of them.
bool can_align_batch(const Call& call) noexcept;

/// Scratch for a batch: places, and copies where forms, sizes and steps ask for them.
std::size_t aligned_batch_bytes(const Problem& problem, const Tile& tile, const Batch& batch) noexcept;

/// The call's operands become such that TMA reaches: `aligned` is its batch then. `possible` becomes false where there
/// is too little scratch.
Status align_batch(Call& call, Batch& aligned, bool& possible) noexcept;

}  // namespace tw::cuda
