// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "blas/names.hpp"

namespace tw::blas {

/// One call came by this name. With TW_LOG=counts, the sums are one line on standard error when the program ends:
/// "tilewright blas: 12 sgemm_, 3 cblas_dgemm_64".
void count(char letter, Routine routine, Language language, bool wide_integers) noexcept;

/// One product of those went to the GPU.
void count_on_device() noexcept;

/// One was refused as the settings wanted it (a kernel asked for by name that can't, a device or memory that is short),
/// and was done otherwise.
void count_otherwise() noexcept;

}  // namespace tw::blas
