// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/effort_contract.hpp"

namespace tw::cuda {

inline constexpr int effort_row_count = 4;

/// The dense copy, buckets, tiers, planes.
extern const EffortKernel* const effort_rows[effort_row_count];

}  // namespace tw::cuda
