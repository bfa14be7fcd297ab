// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The scheme of rows that take f32 for two parts of tf32 and hold all numbers.
#pragma once

#include <array>

#include "scheme/scheme.hpp"

namespace tw::cuda {

/// tf32x3 where an element whose small part has fewer bits has what it is multiplied into summed anew: nothing flushes.
inline constexpr std::array<std::array<int, 2>, 3> smallest_first{{{1, 0}, {0, 1}, {0, 0}}};
inline constexpr Scheme tf32x3_of_all{"tf32x3", Type::f32, 2, smallest_first, 2 * 0x1p-21 + 0x1p-22};

}  // namespace tw::cuda
