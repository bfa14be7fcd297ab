// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// ?gemm_batch_strided: products of one shape, their matrices at equal distances in memory.
#include "blas/counts.hpp"
#include "blas/errors.hpp"
#include "blas/product.hpp"

namespace tw::blas {
namespace {

template <class T>
struct Batch {
    Shape shape;
    T alpha;
    const T* a;
    std::int64_t stride_a;
    const T* b;
    std::int64_t stride_b;
    T beta;
    T* c;
    std::int64_t stride_c, size;

    /// Fortran's position of the first wrong argument: gemm's, moved on by the strides between them. Two products that
    /// would write one C are the caller's mistake too.
    int first_wrong_of_batch(bool by_rows) const noexcept {
        constexpr int positions[] = {0, 1, 2, 3, 4, 5, 0, 0, 8, 0, 11, 0, 0, 15};
        const int wrong = by_rows ? unswapped(first_wrong(shape.swapped())) : first_wrong(shape);
        if (wrong) return positions[wrong];
        if (size < 0) return 17;
        const std::int64_t lines = by_rows ? shape.m : shape.n, along = by_rows ? shape.n : shape.m;
        if (size > 1 && lines > 0 && along > 0 && stride_c < (lines - 1) * shape.ldc + along) return 16;
        return 0;
    }

    void run(bool by_rows) const noexcept {
        multiply(shape, alpha, a, b, beta, c, by_rows,
                 tw::Batch{.size = size, .a_step = stride_a, .b_step = stride_b, .c_step = stride_c});
    }
};

template <class T, class Int>
void from_fortran(Spelling spelling, const Batch<T>& batch) {
    count(letter<T>, Routine::gemm_batch_strided, Language::fortran, sizeof(Int) == 8);
    if (const int wrong = batch.first_wrong_of_batch(false))
        return report_fortran(spelling, letter<T>, Routine::gemm_batch_strided, wrong);
    batch.run(false);
}

template <class T, class Int>
void from_c(Spelling spelling, int layout, const Batch<T>& batch) {
    count(letter<T>, Routine::gemm_batch_strided, Language::c, sizeof(Int) == 8);
    if (layout != row_major && layout != column_major)
        return report_c(spelling, letter<T>, Routine::gemm_batch_strided, 1, "layout", layout);
    if (const int wrong = batch.first_wrong_of_batch(layout == row_major))
        return report_c(spelling, letter<T>, Routine::gemm_batch_strided, wrong + 1);
    batch.run(layout == row_major);
}

}  // namespace

#define TW_FORTRAN_BATCH_STRIDED(name, T, Int, spelling)                                                          \
    TW_BLAS_EXPORT void name(const char* of_a, const char* of_b, const Int* m, const Int* n, const Int* k,        \
                             const T* alpha, const T* a, const Int* lda, const Int* stride_a, const T* b,         \
                             const Int* ldb, const Int* stride_b, const T* beta, T* c, const Int* ldc,            \
                             const Int* stride_c, const Int* size) {                                              \
        from_fortran<T, Int>(spelling, {{transpose_of(*of_a), transpose_of(*of_b), *m, *n, *k, *lda, *ldb, *ldc}, \
                                        *alpha,                                                                   \
                                        a,                                                                        \
                                        *stride_a,                                                                \
                                        b,                                                                        \
                                        *stride_b,                                                                \
                                        *beta,                                                                    \
                                        c,                                                                        \
                                        *stride_c,                                                                \
                                        *size});                                                                  \
    }
TW_EACH_FORTRAN_NAME(TW_FORTRAN_BATCH_STRIDED, float, sgemm_batch_strided)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_BATCH_STRIDED, double, dgemm_batch_strided)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_BATCH_STRIDED, C64, cgemm_batch_strided)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_BATCH_STRIDED, C128, zgemm_batch_strided)

#define TW_C_BATCH_STRIDED(name, T, Int, spelling)                                                                    \
    TW_BLAS_EXPORT void name(int layout, int of_a, int of_b, Int m, Int n, Int k, Value<T> alpha, const Memory<T>* a, \
                             Int lda, Int stride_a, const Memory<T>* b, Int ldb, Int stride_b, Value<T> beta,         \
                             Memory<T>* c, Int ldc, Int stride_c, Int size) {                                         \
        from_c<T, Int>(spelling, layout,                                                                              \
                       {{transpose_of(of_a), transpose_of(of_b), m, n, k, lda, ldb, ldc},                             \
                        InC<T>::value(alpha),                                                                         \
                        static_cast<const T*>(a),                                                                     \
                        stride_a,                                                                                     \
                        static_cast<const T*>(b),                                                                     \
                        stride_b,                                                                                     \
                        InC<T>::value(beta),                                                                          \
                        static_cast<T*>(c),                                                                           \
                        stride_c,                                                                                     \
                        size});                                                                                       \
    }
TW_EACH_CBLAS_NAME(TW_C_BATCH_STRIDED, float, sgemm_batch_strided)
TW_EACH_CBLAS_NAME(TW_C_BATCH_STRIDED, double, dgemm_batch_strided)
TW_EACH_CBLAS_NAME(TW_C_BATCH_STRIDED, C64, cgemm_batch_strided)
TW_EACH_CBLAS_NAME(TW_C_BATCH_STRIDED, C128, zgemm_batch_strided)

}  // namespace tw::blas
