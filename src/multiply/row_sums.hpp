// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "tilewright/executor.hpp"
#include "tilewright/view.hpp"

namespace tw {

/// Who computes beside the caller.
struct Workers {
    const Executor* executor = nullptr;  ///< null: the library's pool
    int threads = 1;
};

/// For each row i of a host matrix: sums[i] = sum_j M(i,j) x[j] and sizes[i] = sum_j |M(i,j)| w[j], in f64. The
/// bits are the same with any number of threads.
void row_sums(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes,
              const Workers& workers = {}) noexcept;

/// One thread's share of it by plain loops, on any machine.
void row_sums_plain(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes) noexcept;

/// By an instruction set's vectors; false where elements of neither rows nor columns lie side by side.
bool row_sums_avx2(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes) noexcept;
bool row_sums_avx512(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes) noexcept;

}  // namespace tw
