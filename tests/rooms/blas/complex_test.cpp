// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The complex names, against plain loops. Numbers are small and whole, so that the answers are exact.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "rooms/blas/names.hpp"

template <class C, class Int>
using CComplex = void(int, int, int, Int, Int, Int, const void*, const void*, Int, const void*, Int, const void*, void*,
                      Int);

extern "C" {
using C64 = std::complex<float>;
using C128 = std::complex<double>;
FortranGemm<C64, int> cgemm_, scipy_cgemm_, cgemm3m_;
FortranGemm<C128, int> zgemm_, scipy_zgemm_, zgemm3m_;
FortranGemm<C64, std::int64_t> cgemm_64_, scipy_cgemm_64_;
FortranGemm<C128, std::int64_t> zgemm_64_, scipy_zgemm_64_, zgemm3m_64_;
CComplex<C64, int> cblas_cgemm, scipy_cblas_cgemm, cblas_cgemm3m;
CComplex<C128, int> cblas_zgemm, scipy_cblas_zgemm, cblas_zgemm3m;
CComplex<C64, std::int64_t> cblas_cgemm_64, cblas_cgemm64_, scipy_cblas_cgemm64_;
CComplex<C128, std::int64_t> cblas_zgemm_64, cblas_zgemm64_, scipy_cblas_zgemm64_;
void cblas_zgemmt(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*,
                  int);
FortranGemmt<C64, int> cgemmt_, cgemmtr_;
void cblas_cgemm_batch(int, const int*, const int*, const int*, const int*, const int*, const void*, const void* const*,
                       const int*, const void* const*, const int*, const void*, void* const*, const int*, int,
                       const int*);
FortranStrided<C128, int> zgemm_batch_strided_;
}

namespace {

template <class C>
std::vector<C> whole(std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> between(-3, 3);
    std::vector<C> values(static_cast<std::size_t>(count));
    using Part = typename C::value_type;
    for (C& value : values) {
        const int re = between(random), im = between(random);
        value = C(static_cast<Part>(re), static_cast<Part>(im));
    }
    return values;
}

/// Element (i, j) of op(X).
template <class C>
C at(const C* x, std::int64_t ld, bool by_rows, int op, std::int64_t i, std::int64_t j) {
    const bool straight = by_rows == (op == NoTrans);
    const C value = straight ? x[i * ld + j] : x[i + j * ld];
    return op == ConjTrans ? std::conj(value) : value;
}

template <class C, class Call>
void expect_right(int layout, int of_a, int of_b, std::int64_t m, std::int64_t n, std::int64_t k, C alpha, C beta,
                  const Call& call, int triangle = 0) {
    const std::int64_t ld = 64;
    const auto a = whole<C>(ld * ld, 1), b = whole<C>(ld * ld, 2), before = whole<C>(ld * ld, 3);
    auto c = before;
    call(a.data(), b.data(), c.data());
    const bool by_rows = layout == RowMajor;
    auto right = before;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            if ((triangle == Upper && i > j) || (triangle == Lower && i < j)) continue;
            C sum = 0;
            for (std::int64_t p = 0; p < k; ++p)
                sum += at(a.data(), ld, by_rows, of_a, i, p) * at(b.data(), ld, by_rows, of_b, p, j);
            C& there = right[static_cast<std::size_t>(by_rows ? i * ld + j : i + j * ld)];
            there = alpha * sum + beta * there;
        }
    EXPECT_EQ(c, right) << layout << ' ' << of_a << ' ' << of_b;
}

template <class C, class Int>
void try_c(CComplex<C, Int> gemm, int layout, int of_a, int of_b) {
    const C alpha(2, -1), beta(0, 1);
    expect_right<C>(layout, of_a, of_b, 13, 21, 34, alpha, beta, [&](const C* a, const C* b, C* c) {
        gemm(layout, of_a, of_b, 13, 21, 34, &alpha, a, 64, b, 64, &beta, c, 64);
    });
}

template <class C, class Int>
void try_fortran(FortranGemm<C, Int> gemm, int of_a, int of_b) {
    const auto letter = [](int op) { return op == NoTrans ? "n" : op == Trans ? "T" : "c"; };
    const C alpha(1, 1), beta(-1, 2);
    const Int m = 9, n = 17, k = 33, ld = 64;
    expect_right<C>(ColMajor, of_a, of_b, m, n, k, alpha, beta, [&](const C* a, const C* b, C* c) {
        gemm(letter(of_a), letter(of_b), &m, &n, &k, &alpha, a, &ld, b, &ld, &beta, c, &ld);
    });
}

TEST(BlasComplex, Rule16_ByEveryNameLayoutAndTranspose) {
    for (const int of_a : {NoTrans, Trans, ConjTrans})
        for (const int of_b : {NoTrans, Trans, ConjTrans}) {
            for (const int layout : {RowMajor, ColMajor}) {
                for (auto* gemm : {cblas_cgemm, scipy_cblas_cgemm, cblas_cgemm3m})
                    try_c<C64, int>(gemm, layout, of_a, of_b);
                for (auto* gemm : {cblas_zgemm, scipy_cblas_zgemm, cblas_zgemm3m})
                    try_c<C128, int>(gemm, layout, of_a, of_b);
                for (auto* gemm : {cblas_cgemm_64, cblas_cgemm64_, scipy_cblas_cgemm64_})
                    try_c<C64, std::int64_t>(gemm, layout, of_a, of_b);
                for (auto* gemm : {cblas_zgemm_64, cblas_zgemm64_, scipy_cblas_zgemm64_})
                    try_c<C128, std::int64_t>(gemm, layout, of_a, of_b);
            }
            for (auto* gemm : {cgemm_, scipy_cgemm_, cgemm3m_}) try_fortran<C64, int>(gemm, of_a, of_b);
            for (auto* gemm : {zgemm_, scipy_zgemm_, zgemm3m_}) try_fortran<C128, int>(gemm, of_a, of_b);
            for (auto* gemm : {cgemm_64_, scipy_cgemm_64_}) try_fortran<C64, std::int64_t>(gemm, of_a, of_b);
            for (auto* gemm : {zgemm_64_, scipy_zgemm_64_, zgemm3m_64_})
                try_fortran<C128, std::int64_t>(gemm, of_a, of_b);
        }
}

TEST(BlasComplex, OneTriangleIsWrittenAndTheOtherLeftAlone) {
    const C128 alpha(0, 2), beta(1, 1);
    for (const int layout : {RowMajor, ColMajor})
        for (const int uplo : {Upper, Lower})
            for (const int n : {1, 48, 61})
                expect_right<C128>(
                    layout, ConjTrans, NoTrans, n, n, 7, alpha, beta,
                    [&](const C128* a, const C128* b, C128* c) {
                        cblas_zgemmt(layout, uplo, ConjTrans, NoTrans, n, 7, &alpha, a, 64, b, 64, &beta, c, 64);
                    },
                    uplo);
    const int n = 50, k = 9, ld = 64;
    const C64 one = 1, two = 2;
    for (auto* gemmt : {cgemmt_, cgemmtr_})
        expect_right<C64>(
            ColMajor, NoTrans, ConjTrans, n, n, k, one, two,
            [&](const C64* a, const C64* b, C64* c) {
                gemmt("L", "N", "C", &n, &k, &one, a, &ld, b, &ld, &two, c, &ld);
            },
            Lower);
}

TEST(BlasComplex, BatchesOfGroupsAndOfSteps) {
    const int of_a[] = {ConjTrans}, of_b[] = {NoTrans}, m[] = {4}, n[] = {3}, k[] = {5}, lds[] = {64}, sizes[] = {2};
    const C64 alpha[] = {{1, 2}}, beta[] = {{0, -1}};
    for (const int which : {0, 1})  // each product of two in turn, the other into a place of its own
        expect_right<C64>(
            RowMajor, ConjTrans, NoTrans, 4, 3, 5, alpha[0], beta[0], [&](const C64* a, const C64* b, C64* c) {
                std::vector<C64> other(64 * 64);
                const void *as[] = {a, a}, *bs[] = {b, b};
                void* cs[] = {which ? other.data() : c, which ? c : other.data()};
                cblas_cgemm_batch(RowMajor, of_a, of_b, m, n, k, alpha, as, lds, bs, lds, beta, cs, lds, 1, sizes);
            });
    const C128 one = 1, i(0, 1);
    const int rows = 6, cols = 6, terms = 8, ld = 64, step = 0, step_of_c = 8 * 64, size = 2;
    const auto x = whole<C128>(64 * 64, 4);
    std::vector<C128> c(64 * 64, C128(1, 1));
    zgemm_batch_strided_("C", "T", &rows, &cols, &terms, &one, x.data(), &ld, &step, x.data(), &ld, &step, &i, c.data(),
                         &ld, &step_of_c, &size);
    for (std::int64_t r = 0; r < 6; ++r)
        for (std::int64_t s = 0; s < 6; ++s) {
            C128 sum = i * C128(1, 1);
            for (std::int64_t p = 0; p < 8; ++p)
                sum += at(x.data(), 64, false, ConjTrans, r, p) * at(x.data(), 64, false, Trans, p, s);
            for (const std::int64_t product : {0, 8 * 64})
                EXPECT_EQ(c[static_cast<std::size_t>(product + r + 64 * s)], sum) << r << ' ' << s;
        }
}

}  // namespace
