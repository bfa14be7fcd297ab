// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "tilewright/view.hpp"

namespace tw {

/// For each row i of a host matrix: sums[i] = sum_j M(i,j) x[j] and sizes[i] = sum_j |M(i,j)| w[j], in f64.
void row_sums(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes) noexcept;

}  // namespace tw
