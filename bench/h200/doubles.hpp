// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of f64, c128 and c64 beside DGEMM, ZGEMM, CGEMM and cuBLAS's own emulation of f64: what multiply() chooses,
// operands converted in every call.
#pragma once

#include "cublas.hpp"

namespace bench {

/// n = 2048 to 16384, or one of them alone, with a B that is kept, too; sustained, in turns.
void double_speeds(const Cublas& cublas, int only = 0);

/// The worst of five seeds on three kinds of values, against sums of twice as many bits, beside cuBLAS's.
void double_errors(const Cublas& cublas);

}  // namespace bench
