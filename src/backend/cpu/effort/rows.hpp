// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/effort_contract.hpp"

namespace tw::cpu {

#if defined(__x86_64__)
inline constexpr int effort_row_count = 12;
#elif defined(__aarch64__)
inline constexpr int effort_row_count = 5;
#else
inline constexpr int effort_row_count = 4;
#endif

/// The rows of the effort dial, set after set, the plainest first.
extern const EffortKernel* const effort_rows[effort_row_count];

}  // namespace tw::cpu
