// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Inputs that scaling by rows would spoil: the library's default beside SGEMM, and its TF32 beside cuBLAS's.
#pragma once

#include "cublas.hpp"

namespace bench {

/// Prints every error beside cuBLAS's, then what such inputs cost; how many are more than twice as large as cuBLAS's.
int hostile_inputs(const Cublas& cublas);

/// What ordinary inputs take: to be compared with an earlier build of the library.
void ordinary_times(const Cublas& cublas);

}  // namespace bench
