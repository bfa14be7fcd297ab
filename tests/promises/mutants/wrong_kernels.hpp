// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every planted defect, by theme: a file each.
#pragma once

#include <span>

#include "backend/contract.hpp"

namespace tw::mutants {

using Table = std::span<const Kernel* const>;

Table wrong_at_edges();
Table wrong_in_steps();
Table wrong_in_scalars();
Table wrong_in_values();
Table wrong_in_sums();
Table wrong_in_memory();
Table wrong_in_digits();
Table wrong_in_complex();

/// What those digits are before anything is spoilt.
const Kernel& true_digits();
const Kernel& true_complex();

}  // namespace tw::mutants
