// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What BLAS does about a wrong argument: it calls xerbla or cblas_xerbla with the argument's number, and these belong
// to the program or to its BLAS. They may print, stop the program, throw or jump away, so nothing is held while they
// run.
#pragma once

#include "blas/names.hpp"

namespace tw::blas {

/// xerbla_ of the process, with the routine's name in capitals and the Fortran position of the wrong argument.
void report_fortran(Spelling spelling, char letter, Routine routine, int position);

/// cblas_xerbla of the process. `what` is "layout", "TransA", ... for a setting that is none of the allowed ones.
void report_c(Spelling spelling, char letter, Routine routine, int position, const char* what = nullptr, int value = 0);

/// As netlib's cblas_?gemm reports what it found after swapping the operands of a row-major call: `fortran_position`
/// counts in the swapped call. netlib's handler swaps the number back when RowMajorStrg says so.
void report_c_swapped(Spelling spelling, char letter, Routine routine, int fortran_position);

}  // namespace tw::blas
