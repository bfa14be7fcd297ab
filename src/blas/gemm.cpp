// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// ?gemm under all its names, and the 3m names of the complex ones: those promise four products' accuracy here, as ours
// is the four-product form under either name.
#include "blas/counts.hpp"
#include "blas/errors.hpp"
#include "blas/product.hpp"

namespace tw::blas {
namespace {

template <class T, class Int>
void from_fortran(Spelling spelling, Routine routine, const Shape& s, T alpha, const T* a, const T* b, T beta, T* c) {
    count(letter<T>, routine, Language::fortran, sizeof(Int) == 8);
    if (const int wrong = first_wrong(s)) return report_fortran(spelling, letter<T>, routine, wrong);
    multiply(s, alpha, a, b, beta, c, false);
}

template <class T, class Int>
void from_c(Spelling spelling, Routine routine, int layout, int of_a, int of_b, const Shape& s, T alpha, const T* a,
            const T* b, T beta, T* c) {
    count(letter<T>, routine, Language::c, sizeof(Int) == 8);
    const auto illegal = [&](int position, const char* what, int value) {
        report_c(spelling, letter<T>, routine, position, what, value);
    };
    if (layout != row_major && layout != column_major) return illegal(1, "layout", layout);
    if (s.of_a == Transpose::illegal) return illegal(2, "TransA", of_a);
    if (s.of_b == Transpose::illegal) return illegal(3, "TransB", of_b);
    if (layout == row_major) {
        if (const int wrong = first_wrong(s.swapped())) return report_c_swapped(spelling, letter<T>, routine, wrong);
    } else if (const int wrong = first_wrong(s)) {
        return report_c(spelling, letter<T>, routine, wrong + 1);
    }
    multiply(s, alpha, a, b, beta, c, layout == row_major);
}

}  // namespace

#define TW_FORTRAN_PRODUCT(routine, name, T, Int, spelling)                                                          \
    TW_BLAS_EXPORT void name(const char* of_a, const char* of_b, const Int* m, const Int* n, const Int* k,           \
                             const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb, const T* beta,  \
                             T* c, const Int* ldc) {                                                                 \
        from_fortran<T, Int>(spelling, routine,                                                                      \
                             {transpose_of(*of_a), transpose_of(*of_b), *m, *n, *k, *lda, *ldb, *ldc}, *alpha, a, b, \
                             *beta, c);                                                                              \
    }
#define TW_FORTRAN_GEMM(...) TW_FORTRAN_PRODUCT(Routine::gemm, __VA_ARGS__)
#define TW_FORTRAN_GEMM3M(...) TW_FORTRAN_PRODUCT(Routine::gemm3m, __VA_ARGS__)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_GEMM, float, sgemm)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_GEMM, double, dgemm)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_GEMM, C64, cgemm)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_GEMM, C128, zgemm)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_GEMM3M, C64, cgemm3m)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_GEMM3M, C128, zgemm3m)

#define TW_C_PRODUCT(routine, name, T, Int, spelling)                                                                 \
    TW_BLAS_EXPORT void name(int layout, int of_a, int of_b, Int m, Int n, Int k, Value<T> alpha, const Memory<T>* a, \
                             Int lda, const Memory<T>* b, Int ldb, Value<T> beta, Memory<T>* c, Int ldc) {            \
        from_c<T, Int>(spelling, routine, layout, of_a, of_b,                                                         \
                       {transpose_of(of_a), transpose_of(of_b), m, n, k, lda, ldb, ldc}, InC<T>::value(alpha),        \
                       static_cast<const T*>(a), static_cast<const T*>(b), InC<T>::value(beta), static_cast<T*>(c));  \
    }
#define TW_C_GEMM(...) TW_C_PRODUCT(Routine::gemm, __VA_ARGS__)
#define TW_C_GEMM3M(...) TW_C_PRODUCT(Routine::gemm3m, __VA_ARGS__)
TW_EACH_CBLAS_NAME(TW_C_GEMM, float, sgemm)
TW_EACH_CBLAS_NAME(TW_C_GEMM, double, dgemm)
TW_EACH_CBLAS_NAME(TW_C_GEMM, C64, cgemm)
TW_EACH_CBLAS_NAME(TW_C_GEMM, C128, zgemm)
TW_EACH_CBLAS_NAME(TW_C_GEMM3M, C64, cgemm3m)
TW_EACH_CBLAS_NAME(TW_C_GEMM3M, C128, zgemm3m)

}  // namespace tw::blas
