// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// ?gemmt, a product of which one triangle is wanted, and ?gemmtr, netlib's name for it. C is n x n.
#include "blas/counts.hpp"
#include "blas/errors.hpp"
#include "blas/product.hpp"

namespace tw::blas {
namespace {

enum class Triangle : std::uint8_t { upper, lower, illegal };

constexpr Triangle triangle_of(char letter) noexcept {
    return letter == 'U' || letter == 'u'   ? Triangle::upper
           : letter == 'L' || letter == 'l' ? Triangle::lower
                                            : Triangle::illegal;
}

constexpr Triangle triangle_of(int setting) noexcept {
    return setting == upper ? Triangle::upper : setting == lower ? Triangle::lower : Triangle::illegal;
}

/// Fortran's position of the first wrong argument. In a row-major call a leading dimension spans columns.
int first_wrong_of_triangle(Triangle triangle, const Shape& s, bool by_rows) noexcept {
    if (triangle == Triangle::illegal) return 1;
    if (s.of_a == Transpose::illegal) return 2;
    if (s.of_b == Transpose::illegal) return 3;
    if (s.n < 0) return 4;
    if (s.k < 0) return 5;
    const bool a_spans_n = (s.of_a == Transpose::no) != by_rows, b_spans_k = (s.of_b == Transpose::no) != by_rows;
    if (s.lda < std::max<std::int64_t>(1, a_spans_n ? s.n : s.k)) return 8;
    if (s.ldb < std::max<std::int64_t>(1, b_spans_k ? s.k : s.n)) return 10;
    if (s.ldc < std::max<std::int64_t>(1, s.n)) return 13;
    return 0;
}

template <class T>
void run(const Shape& s, T alpha, const T* a, const T* b, T beta, T* c, Triangle triangle, bool by_rows) noexcept {
    multiply_triangle(operand(a, s.n, s.k, s.lda, s.of_a, by_rows), operand(b, s.k, s.n, s.ldb, s.of_b, by_rows),
                      operand(c, s.n, s.n, s.ldc, Transpose::no, by_rows), alpha, beta, triangle == Triangle::upper);
}

template <class T, class Int>
void from_fortran(Spelling spelling, Routine routine, Triangle triangle, const Shape& s, T alpha, const T* a,
                  const T* b, T beta, T* c) {
    count(letter<T>, routine, Language::fortran, sizeof(Int) == 8);
    if (const int wrong = first_wrong_of_triangle(triangle, s, false))
        return report_fortran(spelling, letter<T>, routine, wrong);
    run(s, alpha, a, b, beta, c, triangle, false);
}

template <class T, class Int>
void from_c(Spelling spelling, Routine routine, int layout, Triangle triangle, const Shape& s, T alpha, const T* a,
            const T* b, T beta, T* c) {
    count(letter<T>, routine, Language::c, sizeof(Int) == 8);
    if (layout != row_major && layout != column_major)
        return report_c(spelling, letter<T>, routine, 1, "layout", layout);
    if (const int wrong = first_wrong_of_triangle(triangle, s, layout == row_major))
        return report_c(spelling, letter<T>, routine, wrong + 1);
    run(s, alpha, a, b, beta, c, triangle, layout == row_major);
}

}  // namespace

#define TW_FORTRAN_GEMMT(routine, name, T, Int, spelling)                                                            \
    TW_BLAS_EXPORT void name(const char* uplo, const char* of_a, const char* of_b, const Int* n, const Int* k,       \
                             const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb, const T* beta,  \
                             T* c, const Int* ldc) {                                                                 \
        from_fortran<T, Int>(spelling, routine, triangle_of(*uplo),                                                  \
                             {transpose_of(*of_a), transpose_of(*of_b), *n, *n, *k, *lda, *ldb, *ldc}, *alpha, a, b, \
                             *beta, c);                                                                              \
    }
#define TW_FORTRAN_T(...) TW_FORTRAN_GEMMT(Routine::gemmt, __VA_ARGS__)
#define TW_FORTRAN_TR(...) TW_FORTRAN_GEMMT(Routine::gemmtr, __VA_ARGS__)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_T, float, sgemmt)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_T, double, dgemmt)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_T, C64, cgemmt)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_T, C128, zgemmt)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_TR, float, sgemmtr)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_TR, double, dgemmtr)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_TR, C64, cgemmtr)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_TR, C128, zgemmtr)

#define TW_C_GEMMT(routine, name, T, Int, spelling)                                                                  \
    TW_BLAS_EXPORT void name(int layout, int uplo, int of_a, int of_b, Int n, Int k, Value<T> alpha,                 \
                             const Memory<T>* a, Int lda, const Memory<T>* b, Int ldb, Value<T> beta, Memory<T>* c,  \
                             Int ldc) {                                                                              \
        from_c<T, Int>(spelling, routine, layout, triangle_of(uplo),                                                 \
                       {transpose_of(of_a), transpose_of(of_b), n, n, k, lda, ldb, ldc}, InC<T>::value(alpha),       \
                       static_cast<const T*>(a), static_cast<const T*>(b), InC<T>::value(beta), static_cast<T*>(c)); \
    }
#define TW_C_T(...) TW_C_GEMMT(Routine::gemmt, __VA_ARGS__)
#define TW_C_TR(...) TW_C_GEMMT(Routine::gemmtr, __VA_ARGS__)
TW_EACH_CBLAS_NAME(TW_C_T, float, sgemmt)
TW_EACH_CBLAS_NAME(TW_C_T, double, dgemmt)
TW_EACH_CBLAS_NAME(TW_C_T, C64, cgemmt)
TW_EACH_CBLAS_NAME(TW_C_T, C128, zgemmt)
TW_EACH_CBLAS_NAME(TW_C_TR, float, sgemmtr)
TW_EACH_CBLAS_NAME(TW_C_TR, double, dgemmtr)
TW_EACH_CBLAS_NAME(TW_C_TR, C64, cgemmtr)
TW_EACH_CBLAS_NAME(TW_C_TR, C128, zgemmtr)

}  // namespace tw::blas
