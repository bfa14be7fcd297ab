// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the CPU does to operands in memory that it shares with the GPU.
#pragma once

#include "tilewright/epilogue.hpp"
#include "tilewright/view.hpp"

namespace tw::metal {

/// Element by element, widening or rounding to nearest even. Shapes agree.
void copy_elements(const Matrix& to, const Matrix& from) noexcept;

/// C = epilogue(beta * C).
void finish_elements(const Matrix& c, double beta, const Epilogue& epilogue) noexcept;

}  // namespace tw::metal
