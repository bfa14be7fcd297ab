// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the CPU copies operands in memory that it shares with the GPU.
#pragma once

#include "tilewright/view.hpp"

namespace tw::metal {

/// Copies element by element, widening or rounding to nearest even. The shapes are equal.
void copy_elements(const Matrix& to, const Matrix& from) noexcept;

}  // namespace tw::metal
