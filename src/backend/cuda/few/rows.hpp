// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rows for few rows or few tiles that only the ladder names: what no other row falls back to is declared apart from
// ladder.hpp, which every rung includes.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

extern const Kernel few_tiles_slices;
extern const Kernel few_rows_anywhere_f32, few_rows_anywhere_f32_of_all, few_rows_anywhere_tf32, few_rows_anywhere_bf16,
    few_rows_anywhere_bf16_f32, few_rows_anywhere_f16, few_rows_anywhere_f16_f32;
extern const Kernel few_steps_f32, few_steps_mma_tf32;

}  // namespace tw::cuda
