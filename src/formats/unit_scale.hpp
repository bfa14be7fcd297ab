// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

namespace tw::effort {

/// The power of 2 that brings the largest |v| to 1..2; 1 when all are zero, 0 when one is not finite.
float unit_scale(const float* v, std::int64_t count) noexcept;

}  // namespace tw::effort
