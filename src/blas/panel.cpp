// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// ScaLAPACK's PBLAS asks pilaenv_ how much of k it may send and multiply at a time. Its own answer is 32, where C is
// read and written for 32 multiplications an element and messages are short; a library found before it may say more.
#include "blas/names.hpp"
#include "blas/settings.hpp"

namespace tw::blas {

/// The context of the grid and the letter of the type change nothing: a rank of any type has room for such a panel.
TW_BLAS_EXPORT Unsuffixed pilaenv_(const Unsuffixed*, const char*) { return settings().panel; }

}  // namespace tw::blas
