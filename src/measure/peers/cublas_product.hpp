// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One of our products as cuBLAS's arguments. cuBLAS is column-major, so row-major memory looks transposed to it and a
// row-major C is computed as C^T = B^T A^T.
#pragma once

#include "tilewright/accuracy.hpp"
#include "tilewright/batch.hpp"

namespace tw::measure {

inline constexpr int cublas_no_transpose = 0, cublas_transpose = 1;

struct CublasOperand {
    void* data = nullptr;
    int operation = cublas_no_transpose;
    std::int64_t rows = 0, cols = 0;  ///< in memory, column-major, before the operation
    std::int64_t pitch = 0, step = 0;
    void** pointers = nullptr;  ///< in the device's memory
};

struct CublasProduct {
    std::int64_t m = 0, n = 0, k = 0;
    CublasOperand a, b, c;  ///< a is the left operand for cuBLAS
    std::int64_t products = 1;
    bool by_pointers = false;
    int data_type = 0, compute_type = 0, scale_type = 0;
    double alpha[2] = {1, 0}, beta[2] = {0, 0};  ///< complex, or the first of them

    /// Where cuBLAS reads alpha and beta: f64 for DGEMM and ZGEMM, else f32.
    const void* alpha_at() const;
    const void* beta_at() const;

private:
    friend CublasProduct cublas_product(const Matrix&, const Matrix&, const Matrix&, const Batch&,
                                        void** const (&pointers)[3], bool by_pointers, double beta, Accuracy);
    float alpha_f32_[2] = {1, 0}, beta_f32_[2] = {0, 0};
};

/// Each operand must have a step of 1. `pointers`: A's, B's and C's lists on the device, used if `by_pointers`.
CublasProduct cublas_product(const Matrix& a, const Matrix& b, const Matrix& c, const Batch& batch,
                             void** const (&pointers)[3], bool by_pointers, double beta, Accuracy accuracy);

}  // namespace tw::measure
