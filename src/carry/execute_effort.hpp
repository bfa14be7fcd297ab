// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// execute for the effort dial: copies operands and notes to the kernel's memory, runs it, copies results back.
#pragma once

#include "plan/choose_effort.hpp"

namespace tw {

/// Bytes of scratch that a call needs in the backend's memory. For a kernel that reads the layout they include its
/// notes, unless those are chosen already and in that memory.
std::size_t effort_scratch_bytes(const EffortPlan& plan, const EffortKernel& kernel, const EffortCall& call) noexcept;

/// Runs a kernel of the plan. Operands may be in any memory; notes that are chosen already are in the host's, and
/// afterwards the call's notes are the kernel's. Waits, unless both operands are in the backend's memory.
Status execute_effort(const EffortPlan& plan, const EffortKernel& kernel, EffortCall& call) noexcept;

/// Copies what was chosen for a finished product to the host; `entries` has room for every input.
Status fetch_choice(const EffortPlan& plan, const EffortCall& call, int product, EffortChosen& chosen,
                    EffortEntry* entries) noexcept;

}  // namespace tw
