// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// execute for the effort dial: operands and notes that live elsewhere are moved, the kernel runs, results come back.
#pragma once

#include "plan/choose_effort.hpp"

namespace tw {

/// Bytes of scratch that a call takes where the plan's backend works; with a kernel that reads the layout, its notes
/// among them unless they are chosen and where the kernel finds them.
std::size_t effort_scratch_bytes(const EffortPlan& plan, const EffortKernel& kernel, const EffortCall& call) noexcept;

/// Runs a row of the plan. The call's notes, where they are chosen, are the host's, its operands anywhere; afterwards
/// its notes are where the kernel has them. Waits, unless both operands are in the memory of the plan's backend.
Status execute_effort(const EffortPlan& plan, const EffortKernel& kernel, EffortCall& call) noexcept;

/// What the notes say of a product, once it is done: copied to the host, where `entries` has room for all.
Status fetch_choice(const EffortPlan& plan, const EffortCall& call, int product, EffortChosen& chosen,
                    EffortEntry* entries) noexcept;

}  // namespace tw
