// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Row i: what goes around a product. Batches, by steps and by pointers, beside cuBLAS's; epilogues beside cublasLt's.
#pragma once

#include <vector>

#include "product.hpp"

namespace bench {

/// Each side's result is compared with the other's before both are timed; printed as they come.
std::vector<Result> measure_batches(const Cublas& cublas);
std::vector<Result> measure_epilogues();

}  // namespace bench
