// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <complex>

#include "blas/arguments.hpp"
#include "tilewright/batch.hpp"

namespace tw::blas {

/// alpha and beta, of real products with an imaginary part of 0.
using Scalar = std::complex<double>;

/// C = alpha * A * B + beta * C, as the settings want it. BLAS can't report a failure: when memory or a device is
/// short, the plainest kernel does it, which needs neither.
void multiply(const Matrix& a, const Matrix& b, const Matrix& c, Scalar alpha, Scalar beta) noexcept;

/// The same for every product of a batch.
void multiply(const Matrix& a, const Matrix& b, const Matrix& c, Scalar alpha, Scalar beta,
              const Batch& batch) noexcept;

/// The same for arguments that have passed first_wrong().
template <class T>
void multiply(const Shape& s, T alpha, const T* a, const T* b, T beta, T* c, bool by_rows) noexcept {
    multiply(operand(a, s.m, s.k, s.lda, s.of_a, by_rows), operand(b, s.k, s.n, s.ldb, s.of_b, by_rows),
             operand(c, s.m, s.n, s.ldc, Transpose::no, by_rows), alpha, beta);
}

template <class T>
void multiply(const Shape& s, T alpha, const T* a, const T* b, T beta, T* c, bool by_rows,
              const Batch& batch) noexcept {
    multiply(operand(a, s.m, s.k, s.lda, s.of_a, by_rows), operand(b, s.k, s.n, s.ldb, s.of_b, by_rows),
             operand(c, s.m, s.n, s.ldc, Transpose::no, by_rows), alpha, beta, batch);
}

/// Only the triangle of the square C that `of_upper` names is read and written.
void multiply_triangle(const Matrix& a, const Matrix& b, const Matrix& c, Scalar alpha, Scalar beta,
                       bool of_upper) noexcept;

}  // namespace tw::blas
