// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// ?gemm_batch: groups of products, all of a group with one shape, every matrix by a pointer of its own. A group's
// arguments stand at the positions that they have in ?gemm; every group is checked before anything is computed.
#include "blas/counts.hpp"
#include "blas/errors.hpp"
#include "blas/product.hpp"

namespace tw::blas {
namespace {

/// The arrays of a call, one element a group; Letter is Fortran's char or C's int.
template <class T, class Int, class Letter>
struct Groups {
    const Letter *of_a, *of_b;
    const Int *m, *n, *k;
    const T* alpha;
    const T* const* a;
    const Int* lda;
    const T* const* b;
    const Int* ldb;
    const T* beta;
    T* const* c;
    const Int* ldc;
    Int count;
    const Int* sizes;

    Shape shape(Int g) const noexcept {
        return {transpose_of(of_a[g]), transpose_of(of_b[g]), m[g], n[g], k[g], lda[g], ldb[g], ldc[g]};
    }

    /// Fortran's position of the first wrong argument of any group.
    int first_wrong_group(bool by_rows) const noexcept {
        if (count < 0) return 14;
        for (Int g = 0; g < count; ++g) {
            const int wrong = by_rows ? unswapped(first_wrong(shape(g).swapped())) : first_wrong(shape(g));
            if (wrong) return wrong;
            if (sizes[g] < 0) return 15;
        }
        return 0;
    }

    void run(bool by_rows) const noexcept {
        std::int64_t next = 0;
        for (Int g = 0; g < count; next += sizes[g++])
            if (sizes[g] > 0)
                multiply(shape(g), alpha[g], a[next], b[next], beta[g], c[next], by_rows,
                         batch_of(static_cast<std::int64_t>(sizes[g]), a + next, b + next, c + next));
    }
};

template <class T, class Int>
void from_fortran(Spelling spelling, const Groups<T, Int, char>& groups) {
    count(letter<T>, Routine::gemm_batch, Language::fortran, sizeof(Int) == 8);
    if (const int wrong = groups.first_wrong_group(false))
        return report_fortran(spelling, letter<T>, Routine::gemm_batch, wrong);
    groups.run(false);
}

template <class T, class Int>
void from_c(Spelling spelling, int layout, const Groups<T, Int, int>& groups) {
    count(letter<T>, Routine::gemm_batch, Language::c, sizeof(Int) == 8);
    if (layout != row_major && layout != column_major)
        return report_c(spelling, letter<T>, Routine::gemm_batch, 1, "layout", layout);
    if (const int wrong = groups.first_wrong_group(layout == row_major))
        return report_c(spelling, letter<T>, Routine::gemm_batch, wrong + 1);
    groups.run(layout == row_major);
}

}  // namespace

#define TW_FORTRAN_BATCH(name, T, Int, spelling)                                                                    \
    TW_BLAS_EXPORT void name(const char* of_a, const char* of_b, const Int* m, const Int* n, const Int* k,          \
                             const T* alpha, const T* const* a, const Int* lda, const T* const* b, const Int* ldb,  \
                             const T* beta, T* const* c, const Int* ldc, const Int* groups, const Int* sizes) {     \
        from_fortran<T, Int>(spelling, {of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, *groups, sizes}); \
    }
TW_EACH_FORTRAN_NAME(TW_FORTRAN_BATCH, float, sgemm_batch)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_BATCH, double, dgemm_batch)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_BATCH, C64, cgemm_batch)
TW_EACH_FORTRAN_NAME(TW_FORTRAN_BATCH, C128, zgemm_batch)

#define TW_C_BATCH(name, T, Int, spelling)                                                                            \
    TW_BLAS_EXPORT void name(int layout, const int* of_a, const int* of_b, const Int* m, const Int* n, const Int* k,  \
                             const Memory<T>* alpha, const Memory<T>* const* a, const Int* lda,                       \
                             const Memory<T>* const* b, const Int* ldb, const Memory<T>* beta, Memory<T>* const* c,   \
                             const Int* ldc, Int groups, const Int* sizes) {                                          \
        from_c<T, Int>(spelling, layout,                                                                              \
                       {of_a, of_b, m, n, k, static_cast<const T*>(alpha), reinterpret_cast<const T* const*>(a), lda, \
                        reinterpret_cast<const T* const*>(b), ldb, static_cast<const T*>(beta),                       \
                        reinterpret_cast<T* const*>(c), ldc, groups, sizes});                                         \
    }
TW_EACH_CBLAS_NAME(TW_C_BATCH, float, sgemm_batch)
TW_EACH_CBLAS_NAME(TW_C_BATCH, double, dgemm_batch)
TW_EACH_CBLAS_NAME(TW_C_BATCH, C64, cgemm_batch)
TW_EACH_CBLAS_NAME(TW_C_BATCH, C128, zgemm_batch)

}  // namespace tw::blas
