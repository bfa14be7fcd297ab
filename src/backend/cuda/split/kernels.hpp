// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The two ways of splitting, by which direction of the operand is contiguous.
#pragma once

#include "backend/cuda/split/split.hpp"

namespace tw::cuda {

/// And sets counters to 0.
Status split_along_k(const Splitting& a, const Splitting& b, Parts parts, unsigned* counters, int counted,
                     void* stream) noexcept;
Status split_across_k(const Splitting& one, Parts parts, void* stream) noexcept;

}  // namespace tw::cuda
