// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What cuBLAS is told: a comparison is fair when it computes as it was asked, in the type and at the accuracy of ours.
#include "measure/peers/cublas_product.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace tw::measure {
namespace {

constexpr void** no_lists[3] = {nullptr, nullptr, nullptr};

CublasProduct told(const Matrix& a, const Matrix& b, const Matrix& c, double beta = 0, Accuracy accuracy = {}) {
    const Batch batch{.size = 3, .a_step = 100, .b_step = 200, .c_step = 300};
    return cublas_product(a, b, c, batch, no_lists, false, beta, accuracy);
}
CublasProduct of(Type type, Accuracy accuracy) {
    const Matrix square{nullptr, type, 4, 4, 4};
    return told(square, square, square, 2, accuracy);
}

TEST(CublasProduct, ComputesInTheTypeAndAtTheAccuracyOfOurs) {
    for (const Accuracy accuracy : {Accuracy(), fp32, tf32, bf16, Accuracy(1e-3)}) {
        const bool takes_tf32 = accuracy == tf32;
        EXPECT_EQ(of(Type::f64, accuracy).compute_type, 70);                    // CUBLAS_COMPUTE_64F
        EXPECT_EQ(of(Type::f32, accuracy).compute_type, takes_tf32 ? 77 : 68);  // ..._32F_FAST_TF32, ..._32F
        EXPECT_EQ(of(Type::f16, accuracy).compute_type, 68);
        EXPECT_EQ(of(Type::bf16, accuracy).compute_type, 68);
    }
    for (const auto& [type, data, scale] :
         {std::tuple(Type::f64, 1, 1), {Type::f32, 0, 0}, {Type::f16, 2, 0}, {Type::bf16, 14, 0}}) {
        const CublasProduct made = of(type, fp32);
        EXPECT_EQ(made.data_type, data);
        EXPECT_EQ(made.scale_type, scale);
        if (type == Type::f64) {
            EXPECT_EQ(*static_cast<const double*>(made.alpha_at()), 1);
            EXPECT_EQ(*static_cast<const double*>(made.beta_at()), 2);
        } else {
            EXPECT_EQ(*static_cast<const float*>(made.alpha_at()), 1);
            EXPECT_EQ(*static_cast<const float*>(made.beta_at()), 2);
        }
    }
}

void expect_operand(const CublasOperand& got, int operation, std::int64_t rows, std::int64_t cols, std::int64_t pitch,
                    std::int64_t step) {
    EXPECT_EQ(got.operation, operation);
    EXPECT_EQ(got.rows, rows);
    EXPECT_EQ(got.cols, cols);
    EXPECT_EQ(got.pitch, pitch);
    EXPECT_EQ(got.step, step);
}

TEST(CublasProduct, RowsOfCAreColumnsOfItsTranspose) {
    const Matrix a{nullptr, Type::f32, 5, 7, 9}, b{nullptr, Type::f32, 7, 6, 8}, c{nullptr, Type::f32, 5, 6, 11};
    const CublasProduct by_rows = told(a, b, c), by_columns = told(b.transposed(), a.transposed(), c.transposed());
    EXPECT_EQ(by_rows.m, 6);
    EXPECT_EQ(by_rows.n, 5);
    EXPECT_EQ(by_rows.k, 7);
    EXPECT_EQ(by_rows.products, 3);
    expect_operand(by_rows.a, cublas_no_transpose, 6, 7, 8, 200);
    expect_operand(by_rows.b, cublas_no_transpose, 7, 5, 9, 100);
    expect_operand(by_rows.c, cublas_no_transpose, 6, 5, 11, 300);
    EXPECT_EQ(by_columns.m, 6);
    EXPECT_EQ(by_columns.n, 5);
    expect_operand(by_columns.a, cublas_no_transpose, 6, 7, 8, 100);
    expect_operand(by_columns.b, cublas_no_transpose, 7, 5, 9, 200);
    const CublasProduct mixed = told(a, b, {nullptr, Type::f32, 5, 6, 1, 12});
    EXPECT_EQ(mixed.m, 5);
    expect_operand(mixed.a, cublas_transpose, 7, 5, 9, 100);
    expect_operand(mixed.b, cublas_transpose, 6, 7, 8, 200);
    expect_operand(mixed.c, cublas_no_transpose, 5, 6, 12, 300);
}

}  // namespace
}  // namespace tw::measure
