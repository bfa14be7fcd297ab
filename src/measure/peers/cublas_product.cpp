// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/cublas_product.hpp"

#include <utility>

namespace tw::measure {
namespace {

constexpr int real_32f = 0, real_64f = 1, real_16f = 2, real_16bf = 14, complex_32f = 4,
              complex_64f = 5;                                               // cudaDataType
constexpr int compute_32f = 68, compute_64f = 70, compute_32f_by_tf32 = 77;  // cublasComputeType_t

int data_type_of(Type type) {
    switch (type) {
        case Type::f64: return real_64f;
        case Type::f32: return real_32f;
        case Type::f16: return real_16f;
        case Type::bf16: return real_16bf;
        case Type::c64: return complex_32f;
        case Type::c128: return complex_64f;
    }
    return -1;
}

/// Column-major operands are passed as they are, row-major ones as their transpose. A single row or column may have
/// both steps 1: then a pitch of 1 must mean lines of one element.
CublasOperand seen_by_columns(const Matrix& matrix, std::int64_t step, void** pointers) {
    const bool by_columns = matrix.row_step == 1 && (matrix.col_step != 1 || matrix.cols > 1);
    if (by_columns)
        return {matrix.data, cublas_no_transpose, matrix.rows, matrix.cols, matrix.col_step, step, pointers};
    return {matrix.data, cublas_transpose, matrix.cols, matrix.rows, matrix.row_step, step, pointers};
}

void transpose(CublasOperand& operand) { operand.operation ^= cublas_transpose; }

}  // namespace

CublasProduct cublas_product(const Matrix& a, const Matrix& b, const Matrix& c, const Batch& batch,
                             void** const (&pointers)[3], bool by_pointers, double beta, Accuracy accuracy) {
    CublasProduct made;
    made.m = c.rows, made.n = c.cols, made.k = a.cols;
    made.a = seen_by_columns(a, batch.a_step, pointers[0]);
    made.b = seen_by_columns(b, batch.b_step, pointers[1]);
    made.c = seen_by_columns(c, batch.c_step, pointers[2]);
    if (made.c.operation == cublas_transpose) {
        std::swap(made.m, made.n);
        std::swap(made.a, made.b);
        for (CublasOperand* one : {&made.a, &made.b, &made.c}) transpose(*one);
    }
    made.products = batch.size;
    made.by_pointers = by_pointers;
    const bool is_wide = part_of(c.type) == Type::f64, is_tf32 = c.type == Type::f32 && accuracy == tf32;
    made.data_type = data_type_of(c.type);
    made.scale_type = is_complex(c.type) ? made.data_type : is_wide ? real_64f : real_32f;
    made.compute_type = is_wide ? compute_64f : is_tf32 ? compute_32f_by_tf32 : compute_32f;
    made.beta[0] = beta;
    made.beta_f32_[0] = static_cast<float>(beta);
    return made;
}

const void* CublasProduct::alpha_at() const {
    return compute_type == compute_64f ? static_cast<const void*>(alpha) : alpha_f32_;
}
const void* CublasProduct::beta_at() const {
    return compute_type == compute_64f ? static_cast<const void*>(beta) : beta_f32_;
}

}  // namespace tw::measure
