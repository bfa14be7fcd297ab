// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of host operands on a device: copies them there, runs the kernel, copies C back.
#pragma once

#include "backend/contract.hpp"
#include "carry/shared_operand.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// Bytes of scratch that a run needs if they begin on a line. Plan::scratch_bytes() adds what aligning may take.
std::size_t aligned_scratch_bytes(const Plan& plan, const PackedPanels& packed = {}) noexcept;

/// Gives the call scratch of so many bytes: the caller's, or memory kept for this thread.
Status scratch_for(const Plan& plan, std::size_t bytes, Call& call) noexcept;

/// Runs the plan's kernel on operands that are in its memory already.
Status run_in_place(const Plan& plan, Call& call) noexcept;

/// Applies the epilogue to a C that the plan's kernel has computed, where its operands are. It runs where the kernel
/// runs, so that the bits are those of a fused epilogue.
Status finish_as_planned(const Plan& plan, const Matrix& c, const Epilogue& epilogue, void* stream) noexcept;

/// True when the backend has memory of its own and C is not in it.
bool needs_staging(const Plan& plan, const Matrix& c) noexcept;

/// Copies the operands to the device, runs the kernel, copies C back and waits for it. Large products go in panels,
/// which are copied while others are computed; so do products that do not fit the device's memory.
Status run_staged(const Plan& plan, const Call& call, const Sharing& sharing = {}) noexcept;

}  // namespace tw
