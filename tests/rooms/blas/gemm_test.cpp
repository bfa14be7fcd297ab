// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// gemm by every name that a program may call it by, against three plain loops.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "rooms/blas/matrices.hpp"
#include "rooms/blas/names.hpp"

namespace {

template <class T, class Int>
void try_c(CGemm<T, Int> gemm, int layout, int of_a, int of_b) {
    constexpr Int m = 13, n = 21, k = 34, ld = 40;
    const auto a = numbers<T>(ld * ld, 1), b = numbers<T>(ld * ld, 2), before = numbers<T>(ld * ld, 3);
    auto c = before;
    gemm(layout, of_a, of_b, m, n, k, T(0.7), a.data(), ld, b.data(), ld, T(1.3), c.data(), ld);
    const bool by_rows = layout == RowMajor;
    expect_product<T>({a.data(), ld, by_rows, of_a != NoTrans}, {b.data(), ld, by_rows, of_b != NoTrans},
                      {c.data(), ld, by_rows, false}, {before.data(), ld, by_rows, false}, m, n, k, double(T(0.7)),
                      double(T(1.3)), everywhere);
}

template <class T, class Int>
void try_fortran(FortranGemm<T, Int> gemm, const char* of_a, const char* of_b) {
    const Int m = 9, n = 17, k = 33, ld = 41;
    const T alpha = T(-0.5), beta = 0;
    const auto a = numbers<T>(ld * ld, 1), b = numbers<T>(ld * ld, 2);
    auto c = std::vector<T>(static_cast<std::size_t>(ld * ld), std::numeric_limits<T>::quiet_NaN());
    gemm(of_a, of_b, &m, &n, &k, &alpha, a.data(), &ld, b.data(), &ld, &beta, c.data(), &ld);
    expect_product<T>({a.data(), ld, false, *of_a != 'n'}, {b.data(), ld, false, *of_b != 'n'},
                      {c.data(), ld, false, false}, {c.data(), ld, false, false}, m, n, k, alpha, 0, everywhere);
    EXPECT_TRUE(std::isnan(c[static_cast<std::size_t>(m)])) << "what lies between the columns is nobody's";
}

TEST(BlasNames, Rule16_CByEveryNameLayoutAndTranspose) {
    for (const int layout : {RowMajor, ColMajor})
        for (const int of_a : {NoTrans, Trans, ConjTrans})
            for (const int of_b : {NoTrans, Trans, ConjTrans}) {
                for (auto* gemm : {cblas_sgemm, scipy_cblas_sgemm}) try_c<float, int>(gemm, layout, of_a, of_b);
                for (auto* gemm : {cblas_dgemm, scipy_cblas_dgemm}) try_c<double, int>(gemm, layout, of_a, of_b);
                for (auto* gemm : {cblas_sgemm_64, cblas_sgemm64_, scipy_cblas_sgemm64_})
                    try_c<float, std::int64_t>(gemm, layout, of_a, of_b);
                for (auto* gemm : {cblas_dgemm_64, cblas_dgemm64_, scipy_cblas_dgemm64_})
                    try_c<double, std::int64_t>(gemm, layout, of_a, of_b);
            }
}

TEST(BlasNames, Rule16_FortranByEveryNameAndTranspose) {
    for (const char* of_a : {"n", "t", "c"})
        for (const char* of_b : {"n", "t", "c"}) {
            for (auto* gemm : {sgemm_, scipy_sgemm_}) try_fortran<float, int>(gemm, of_a, of_b);
            for (auto* gemm : {dgemm_, scipy_dgemm_}) try_fortran<double, int>(gemm, of_a, of_b);
            for (auto* gemm : {sgemm_64_, scipy_sgemm_64_}) try_fortran<float, std::int64_t>(gemm, of_a, of_b);
            for (auto* gemm : {dgemm_64_, scipy_dgemm_64_}) try_fortran<double, std::int64_t>(gemm, of_a, of_b);
        }
}

TEST(BlasGemm, WithAlphaZeroOperandsAreNeverLookedAt) {
    float c[4] = {1, 2, 3, 4};
    cblas_sgemm(ColMajor, NoTrans, NoTrans, 2, 2, 2, 0.f, nullptr, 2, nullptr, 2, 2.f, c, 2);
    EXPECT_EQ(c[0], 2.f);
    EXPECT_EQ(c[3], 8.f);
}

TEST(BlasGemm, WithNothingToAddNothingIsLookedAt) {
    std::vector<double> c(4, std::numeric_limits<double>::signaling_NaN());
    const auto before = c;
    for (double* at : {c.data(), static_cast<double*>(nullptr)}) {  // netlib's does not look at a null C there
        cblas_dgemm(RowMajor, NoTrans, NoTrans, 2, 2, 0, 1., nullptr, 1, nullptr, 2, 1., at, 2);
        cblas_dgemm(RowMajor, NoTrans, NoTrans, 2, 2, 2, 0., nullptr, 2, nullptr, 2, 1., at, 2);
    }
    EXPECT_EQ(std::memcmp(c.data(), before.data(), sizeof(double) * c.size()), 0);
}

template <class T, class Call>
void try_triangle(int layout, bool upper, int of_a, int of_b, std::int64_t n, std::int64_t k, Call gemmt) {
    const std::int64_t ld = std::max(n, k) + 3;
    const auto a = numbers<T>(ld * ld, 4), b = numbers<T>(ld * ld, 5), before = numbers<T>(ld * ld, 6);
    auto c = before;
    gemmt(ld, a.data(), b.data(), c.data());
    const bool by_rows = layout == RowMajor;
    expect_product<T>({a.data(), ld, by_rows, of_a != NoTrans}, {b.data(), ld, by_rows, of_b != NoTrans},
                      {c.data(), ld, by_rows, false}, {before.data(), ld, by_rows, false}, n, n, k, 2, -1,
                      [&](std::int64_t i, std::int64_t j) { return upper ? i <= j : i >= j; });
}

TEST(BlasGemmt, OneTriangleIsWrittenAndTheOtherLeftAlone) {
    for (const int layout : {RowMajor, ColMajor})
        for (const int uplo : {Upper, Lower})
            for (const int of_a : {NoTrans, Trans})
                for (const std::int64_t n : {1, 47, 48, 49, 131}) {
                    try_triangle<float>(layout, uplo == Upper, of_a, Trans, n, 20,
                                        [&](std::int64_t ld, const float* a, const float* b, float* c) {
                                            cblas_sgemmt(layout, uplo, of_a, Trans, int(n), 20, 2, a, int(ld), b,
                                                         int(ld), -1, c, int(ld));
                                        });
                    try_triangle<double>(layout, uplo == Upper, of_a, NoTrans, n, 20,
                                         [&](std::int64_t ld, const double* a, const double* b, double* c) {
                                             cblas_dgemmt(layout, uplo, of_a, NoTrans, int(n), 20, 2, a, int(ld), b,
                                                          int(ld), -1, c, int(ld));
                                         });
                }
    try_triangle<float>(ColMajor, false, NoTrans, NoTrans, 60, 5,
                        [](std::int64_t ld, const float* a, const float* b, float* c) {
                            const int n = 60, k = 5, step = int(ld);
                            const float two = 2, minus = -1;
                            sgemmtr_("L", "N", "N", &n, &k, &two, a, &step, b, &step, &minus, c, &step);
                        });
}

TEST(BlasGemmt, WithBetaZeroNothingOfCIsRead) {
    constexpr std::int64_t n = 131, k = 5;  // blocks on the diagonal and off it
    const auto a = numbers<float>(n * n, 4), b = numbers<float>(n * n, 5);
    std::vector<float> c(n * n, std::numeric_limits<float>::quiet_NaN());
    cblas_sgemmt(RowMajor, Lower, NoTrans, NoTrans, n, k, 2, a.data(), n, b.data(), n, 0, c.data(), n);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            ASSERT_EQ(std::isnan(c[static_cast<std::size_t>(i * n + j)]), j > i) << i << ' ' << j;
}

TEST(BlasBatch, GroupsOfDifferentShapes) {
    const int of_a[] = {NoTrans, Trans}, of_b[] = {Trans, NoTrans}, m[] = {3, 8}, n[] = {5, 2}, k[] = {7, 9};
    const int ld[] = {16, 16}, sizes[] = {2, 3};
    const float alpha[] = {1, 2}, beta[] = {0, 1};
    const auto store = numbers<float>(10 * 256, 7), before = numbers<float>(5 * 256, 8);
    auto out = before;
    const float *a[5], *b[5];
    float* c[5];
    for (int i = 0; i < 5; ++i)
        a[i] = &store[std::size_t(i) * 256], b[i] = &store[std::size_t(i + 5) * 256], c[i] = &out[std::size_t(i) * 256];
    cblas_sgemm_batch(RowMajor, of_a, of_b, m, n, k, alpha, a, ld, b, ld, beta, c, ld, 2, sizes);
    for (int i = 0; i < 5; ++i) {
        const int g = i < 2 ? 0 : 1;
        expect_product<float>({a[i], 16, true, of_a[g] != NoTrans}, {b[i], 16, true, of_b[g] != NoTrans},
                              {c[i], 16, true, false}, {&before[std::size_t(i) * 256], 16, true, false}, m[g], n[g],
                              k[g], alpha[g], beta[g], everywhere);
    }
}

/// Groups of two, none and three; the last one's C keeps half of what it was.
template <class T, class Int>
void try_fortran_batch(FortranBatch<T, Int> gemm_batch) {
    const char of_a[] = {'N', 'N', 't'}, of_b[] = {'T', 'N', 'n'};
    const Int m[] = {3, 4, 8}, n[] = {5, 4, 2}, k[] = {7, 4, 9}, ld[] = {16, 16, 16}, sizes[] = {2, 0, 3}, groups = 3;
    const T alpha[] = {1, 1, 2}, beta[] = {0, 1, T(0.5)};
    const auto store = numbers<T>(10 * 256, 7), before = numbers<T>(5 * 256, 8);
    auto out = before;
    const T *a[5], *b[5];
    T* c[5];
    for (int i = 0; i < 5; ++i)
        a[i] = &store[std::size_t(i) * 256], b[i] = &store[std::size_t(i + 5) * 256], c[i] = &out[std::size_t(i) * 256];
    gemm_batch(of_a, of_b, m, n, k, alpha, a, ld, b, ld, beta, c, ld, &groups, sizes);
    for (int i = 0; i < 5; ++i) {
        const int g = i < 2 ? 0 : 2;
        expect_product<T>({a[i], 16, false, of_a[g] != 'N'}, {b[i], 16, false, of_b[g] == 'T'},
                          {c[i], 16, false, false}, {&before[std::size_t(i) * 256], 16, false, false}, m[g], n[g], k[g],
                          alpha[g], beta[g], everywhere);
    }
}

TEST(BlasBatch, GroupsInFortran) {
    try_fortran_batch<float, int>(sgemm_batch_);
    try_fortran_batch<double, std::int64_t>(dgemm_batch_64_);
}

TEST(BlasBatch, StridedInFortran) {
    const int m = 4, n = 3, k = 6, ld = 8, stride = 64, size = 4;
    const double alpha = 1, beta = 1;
    const auto a = numbers<double>(256, 9), b = numbers<double>(256, 10), before = numbers<double>(256, 11);
    auto c = before;
    dgemm_batch_strided_("N", "T", &m, &n, &k, &alpha, a.data(), &ld, &stride, b.data(), &ld, &stride, &beta, c.data(),
                         &ld, &stride, &size);
    for (std::size_t at = 0; at < 256; at += 64)
        expect_product<double>({&a[at], 8, false, false}, {&b[at], 8, false, true}, {&c[at], 8, false, false},
                               {&before[at], 8, false, false}, m, n, k, 1, 1, everywhere);
}

}  // namespace
