// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/contract.hpp"
#include "carry/shared_operand.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// Runs the plan's kernel. The operands have been checked by the front door and match the plan's problem; k is at
/// least 1. `packed` replaces one operand, for a kernel that has a packing. That of `sharing` is read together with
/// other devices, where it goes in panels.
Status execute(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c, void* stream = nullptr,
               const PackedPanels& packed = {}, const Sharing& sharing = {}) noexcept;

}  // namespace tw
