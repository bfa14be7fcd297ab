// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "reference/answer.hpp"

namespace tw::reference {

/// answer() where the operands are complex: the answer of the real product that says the same, then alpha, beta and the
/// epilogue.
Answer complex_answer(const Question& question, std::span<const std::int64_t> rows, int threads);

}  // namespace tw::reference
