// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// ?gemm under all its names.
#include "blas/counts.hpp"
#include "blas/errors.hpp"
#include "blas/product.hpp"

namespace tw::blas {
namespace {

template <class T, class Int>
void from_fortran(Spelling spelling, const Shape& s, T alpha, const T* a, const T* b, T beta, T* c) {
    count(letter<T>, Routine::gemm, Language::fortran, sizeof(Int) == 8);
    if (const int wrong = first_wrong(s)) return report_fortran(spelling, letter<T>, Routine::gemm, wrong);
    multiply(s, alpha, a, b, beta, c, false);
}

template <class T, class Int>
void from_c(Spelling spelling, int layout, int of_a, int of_b, const Shape& s, T alpha, const T* a, const T* b, T beta,
            T* c) {
    count(letter<T>, Routine::gemm, Language::c, sizeof(Int) == 8);
    const auto illegal = [&](int position, const char* what, int value) {
        report_c(spelling, letter<T>, Routine::gemm, position, what, value);
    };
    if (layout != row_major && layout != column_major) return illegal(1, "layout", layout);
    if (s.of_a == Transpose::illegal) return illegal(2, "TransA", of_a);
    if (s.of_b == Transpose::illegal) return illegal(3, "TransB", of_b);
    if (layout == row_major) {
        if (const int wrong = first_wrong(s.swapped())) return report_c_swapped(spelling, letter<T>, wrong);
    } else if (const int wrong = first_wrong(s)) {
        return report_c(spelling, letter<T>, Routine::gemm, wrong + 1);
    }
    multiply(s, alpha, a, b, beta, c, layout == row_major);
}

}  // namespace

#define TW_FORTRAN_GEMM(name, T, Int, spelling)                                                                     \
    TW_BLAS_EXPORT void name(const char* of_a, const char* of_b, const Int* m, const Int* n, const Int* k,          \
                             const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb, const T* beta, \
                             T* c, const Int* ldc) {                                                                \
        from_fortran<T, Int>(spelling, {transpose_of(*of_a), transpose_of(*of_b), *m, *n, *k, *lda, *ldb, *ldc},    \
                             *alpha, a, b, *beta, c);                                                               \
    }
TW_EACH_FORTRAN_NAME(TW_FORTRAN_GEMM, float, sgemm)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_GEMM, double, dgemm)

#define TW_C_GEMM(name, T, Int, spelling)                                                                              \
    TW_BLAS_EXPORT void name(int layout, int of_a, int of_b, Int m, Int n, Int k, T alpha, const T* a, Int lda,        \
                             const T* b, Int ldb, T beta, T* c, Int ldc) {                                             \
        from_c<T, Int>(spelling, layout, of_a, of_b, {transpose_of(of_a), transpose_of(of_b), m, n, k, lda, ldb, ldc}, \
                       alpha, a, b, beta, c);                                                                          \
    }
TW_EACH_CBLAS_NAME(TW_C_GEMM, float, sgemm)
TW_EACH_CBLAS_NAME(TW_C_GEMM, double, dgemm)

}  // namespace tw::blas
