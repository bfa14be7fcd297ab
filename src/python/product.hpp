// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "python/arrays.hpp"
#include "tilewright/options.hpp"

namespace tw::python {

/// One product, or a batch broadcast to the result's; `residual` may be null. Throws; touches nothing of Python's, so
/// that the interpreter may be let go.
void multiply_operands(const Operand& a, const Operand& b, const Operand& c, const Operand* residual, Options options);

}  // namespace tw::python
