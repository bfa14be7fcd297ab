// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product whose operands live on the host and whose kernel lives on a device: there and back again.
#pragma once

#include "backend/contract.hpp"

namespace tw {

/// What a run takes of scratch that begins on a line. Plan::scratch_bytes() is as much more as finding a line may take.
std::size_t aligned_scratch_bytes(const Plan& plan) noexcept;

/// Scratch of so many bytes for the call: its own, or what is kept for this thread.
Status scratch_for(const Plan& plan, std::size_t bytes, Call& call) noexcept;

/// The kernel of the plan on operands that are where it wants them.
Status run_in_place(const Plan& plan, Call& call) noexcept;

/// The epilogue on a C of the host whose product the plan's kernel has made: where that kernel runs, so that the bits
/// are those of a kernel that has the epilogue in it.
Status finish_as_planned(const Plan& plan, const Matrix& c, const Epilogue& epilogue, void* stream) noexcept;

/// True when the backend has memory of its own and C is not in it.
bool needs_staging(const Plan& plan, const Matrix& c) noexcept;

/// Copies the operands to the device, runs the kernel there, copies C back and waits for it: large ones in panels,
/// while others are computed, and so also a product that the device's memory has no room for.
Status run_staged(const Plan& plan, const Call& call) noexcept;

}  // namespace tw
