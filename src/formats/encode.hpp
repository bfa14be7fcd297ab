// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "formats/body.hpp"

namespace tw::effort {

inline constexpr std::int64_t inputs_of_slab = 16;  // a cache line of f32, along the weights' rows

/// Writes inputs first .. first + 15 of one expert to the body: rows, dense copy, `left` and gains.
void encode_inputs(const Matrix& weights, int expert, std::int64_t first, EffortBody& body) noexcept;

}  // namespace tw::effort
