// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Error exits: this program has handlers of its own, as netlib's testers do, and they must hear netlib's numbers.
#include <dlfcn.h>

#include <complex>
#include <csetjmp>
#include <cstdarg>
#include <string>
#include <vector>

#include "rooms/blas/matrices.hpp"
#include "rooms/blas/names.hpp"

namespace {

struct Heard {
    std::string name;
    int position = 0;
    bool is_swapped = false;  ///< said so in netlib's way
};
Heard heard;
const int* row_major_strg = nullptr;
std::jmp_buf away;
bool jump = false;

}  // namespace

extern "C" {
FortranGemm<std::complex<double>, int> zgemm_;
void cblas_zgemm3m(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*,
                   int);
}

extern "C" __attribute__((visibility("default"))) void xerbla_(const char* name, const int* position,
                                                               std::size_t length) {
    heard = {std::string(name, length), *position};
    if (jump) std::longjmp(away, 1);
}

extern "C" __attribute__((visibility("default"))) void cblas_xerbla(int position, const char* name, const char*, ...) {
    heard = {name, position, row_major_strg && *row_major_strg == 1};
}

namespace {

std::vector<float> untouched(400, 1.f);

int fortran(const char* of_a, const char* of_b, int m, int n, int k, int lda, int ldb, int ldc) {
    heard = {};
    const float one = 1;
    std::vector<float> c(400, 1.f);
    sgemm_(of_a, of_b, &m, &n, &k, &one, untouched.data(), &lda, untouched.data(), &ldb, &one, c.data(), &ldc);
    EXPECT_EQ(c, untouched) << "C is left alone";
    EXPECT_EQ(heard.name, heard.position ? "SGEMM " : "");
    return heard.position;
}

int in_c(int layout, int of_a, int of_b, int m, int n, int k, int lda, int ldb, int ldc) {
    heard = {};
    std::vector<float> c(400, 1.f);
    cblas_sgemm(layout, of_a, of_b, m, n, k, 1, untouched.data(), lda, untouched.data(), ldb, 1, c.data(), ldc);
    EXPECT_EQ(c, untouched) << "C is left alone";
    EXPECT_EQ(heard.name, heard.position ? "cblas_sgemm" : "");
    return heard.position;
}

TEST(BlasErrors, Rule19_ComplexRoutinesSayTheirNames) {
    const std::complex<double> one = 1;
    std::vector<std::complex<double>> x(4), c(4);
    const int two = 2, wrong = -1;
    heard = {};
    zgemm_("N", "C", &wrong, &two, &two, &one, x.data(), &two, x.data(), &two, &one, c.data(), &two);
    EXPECT_EQ(heard.name, "ZGEMM ");
    EXPECT_EQ(heard.position, 3);
    for (const int layout : {RowMajor, ColMajor}) {
        cblas_zgemm3m(layout, ConjTrans, NoTrans, 2, -1, 2, &one, x.data(), 2, x.data(), 2, &one, c.data(), 2);
        EXPECT_EQ(heard.name, "cblas_zgemm3m");
        EXPECT_EQ(heard.position, 5);
        cblas_zgemm3m(layout, NoTrans, 114, 2, 2, 2, &one, x.data(), 2, x.data(), 2, &one, c.data(), 2);
        EXPECT_EQ(heard.position, 3);
    }
}

TEST(BlasErrors, Rule19_FortranPositions) {
    EXPECT_EQ(fortran("/", "N", 2, 2, 2, 2, 2, 2), 1);
    EXPECT_EQ(fortran("N", "X", 2, 2, 2, 2, 2, 2), 2);
    EXPECT_EQ(fortran("N", "N", -1, 2, 2, 2, 2, 2), 3);
    EXPECT_EQ(fortran("N", "N", 2, -1, 2, 2, 2, 2), 4);
    EXPECT_EQ(fortran("N", "N", 2, 2, -1, 2, 2, 2), 5);
    EXPECT_EQ(fortran("N", "N", 3, 2, 2, 2, 2, 3), 8);
    EXPECT_EQ(fortran("T", "N", 3, 2, 4, 3, 4, 3), 8);
    EXPECT_EQ(fortran("N", "N", 2, 2, 3, 2, 2, 2), 10);
    EXPECT_EQ(fortran("N", "T", 2, 4, 3, 2, 3, 2), 10);
    EXPECT_EQ(fortran("N", "N", 3, 2, 2, 3, 2, 2), 13);
}

TEST(BlasErrors, Rule19_CPositionsInBothLayouts) {
    EXPECT_EQ(in_c(100, NoTrans, NoTrans, 2, 2, 2, 2, 2, 2), 1);
    for (const int layout : {ColMajor, RowMajor}) {
        EXPECT_EQ(in_c(layout, 110, NoTrans, 2, 2, 2, 2, 2, 2), 2);
        EXPECT_EQ(in_c(layout, NoTrans, 114, 2, 2, 2, 2, 2, 2), 3);
        EXPECT_EQ(in_c(layout, NoTrans, NoTrans, -1, 2, 2, 2, 2, 2), 4);
        EXPECT_EQ(in_c(layout, NoTrans, NoTrans, 2, -1, 2, 2, 2, 2), 5);
        EXPECT_EQ(in_c(layout, NoTrans, NoTrans, 2, 2, -1, 2, 2, 2), 6);
        EXPECT_EQ(in_c(layout, NoTrans, NoTrans, 3, 3, 3, 2, 3, 3), 9);
        EXPECT_EQ(in_c(layout, NoTrans, NoTrans, 3, 3, 3, 3, 2, 3), 11);
        EXPECT_EQ(in_c(layout, NoTrans, NoTrans, 3, 3, 3, 3, 3, 2), 14);
    }
    EXPECT_EQ(in_c(ColMajor, NoTrans, NoTrans, -1, -1, 2, 2, 2, 2), 4) << "the first one in Fortran's order";
    EXPECT_EQ(in_c(RowMajor, NoTrans, NoTrans, -1, -1, 2, 2, 2, 2), 5) << "and in that of the swapped call";
}

// netlib's handler turns positions of a row-major call back by itself.
TEST(BlasErrors, Rule19_AHandlerThatSwapsHearsTheSwappedPosition) {
    const int wrong[][6] = {{-1, 2, 2, 2, 2, 2}, {2, -1, 2, 2, 2, 2}, {2, 2, -1, 2, 2, 2},
                            {3, 3, 3, 2, 3, 3},  {3, 3, 3, 3, 2, 3},  {3, 3, 3, 3, 3, 2}};
    const auto positions = [&](int layout, bool is_swapped) {
        std::vector<int> all;
        for (const auto& [m, n, k, lda, ldb, ldc] : wrong) {
            all.push_back(in_c(layout, NoTrans, NoTrans, m, n, k, lda, ldb, ldc));
            EXPECT_EQ(heard.is_swapped, is_swapped) << all.back();
        }
        return all;
    };
    const std::vector<int> plain{4, 5, 6, 9, 11, 14};
    EXPECT_EQ(positions(RowMajor, false), plain);
    void* const library = dlopen(ROW_MAJOR_STRG, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_TRUE(library) << dlerror();
    row_major_strg = static_cast<int*>(dlsym(library, "RowMajorStrg"));
    EXPECT_EQ(positions(RowMajor, true), (std::vector<int>{5, 4, 6, 11, 9, 14}));
    EXPECT_EQ(positions(ColMajor, false), plain);
    EXPECT_EQ(*row_major_strg, 0) << "as it was";
    row_major_strg = nullptr;
    dlclose(library);
}

TEST(BlasErrors, GemmtAndBatches) {
    float c[16] = {};
    const auto triangle = [&](int layout, int uplo, int n, int k, int lda, int ldb, int ldc) {
        heard = {};
        cblas_sgemmt(layout, uplo, NoTrans, NoTrans, n, k, 1, c, lda, c, ldb, 1, c, ldc);
        return heard.position;
    };
    EXPECT_EQ(triangle(ColMajor, 0, 1, 1, 1, 1, 1), 2);
    EXPECT_EQ(triangle(ColMajor, Upper, -1, 1, 1, 1, 1), 5);
    EXPECT_EQ(triangle(ColMajor, Upper, 1, -1, 1, 1, 1), 6);
    EXPECT_EQ(triangle(ColMajor, Upper, 3, 1, 2, 1, 3), 9);
    EXPECT_EQ(triangle(RowMajor, Upper, 1, 3, 2, 1, 1), 9);
    EXPECT_EQ(triangle(RowMajor, Upper, 3, 1, 1, 2, 3), 11);
    EXPECT_EQ(triangle(ColMajor, Upper, 3, 1, 3, 1, 2), 14);
    heard = {};
    cblas_sgemm_batch_strided(ColMajor, NoTrans, NoTrans, 2, 2, 2, 1, c, 2, 4, c, 2, 4, 0, c, 2, 3, 2);
    EXPECT_EQ(heard.position, 17) << "two products into one C";
    const int of = NoTrans, two = 2, one = 1;
    const float factor = 1;
    const float* operand = c;
    float* result = c;
    heard = {};
    cblas_sgemm_batch(ColMajor, &of, &of, &two, &two, &two, &factor, &operand, &one, &operand, &two, &factor, &result,
                      &two, 1, &one);
    EXPECT_EQ(heard.position, 9);
    EXPECT_EQ(heard.name, "cblas_sgemm_batch");
}

TEST(BlasErrors, Rule19_OfFortransBatchesSayTheArgumentOfAnyGroup) {
    const auto batch = [](int groups, int size_of_second, int lda_of_second) {
        const char of[] = {'N', 'N'};
        const int two[] = {2, 2}, lda[] = {2, lda_of_second}, sizes[] = {1, size_of_second};
        const float factors[] = {1, 1};
        std::vector<float> left(8, 1.f);
        const float* operands[] = {untouched.data(), untouched.data()};
        float* results[] = {left.data(), left.data() + 4};
        heard = {};
        sgemm_batch_(of, of, two, two, two, factors, operands, lda, operands, two, factors, results, two, &groups,
                     sizes);
        EXPECT_EQ(left == std::vector<float>(8, 1.f), heard.position != 0) << "C is left alone";
        EXPECT_EQ(heard.name, heard.position ? "SGEMM_BATCH" : "");
        return heard.position;
    };
    EXPECT_EQ(batch(2, 1, 2), 0);
    EXPECT_EQ(batch(-1, 1, 2), 14);
    EXPECT_EQ(batch(2, -1, 2), 15);
    EXPECT_EQ(batch(2, 1, 1), 8);
}

TEST(BlasErrors, Fault20_AHandlerMayJumpAway) {
    static const float one[] = {1};
    static const int size = 1;
    static float left[] = {1};
    jump = true;
    // Straight away: a jump over something that has a destructor is not allowed.
    if (setjmp(away) == 0) sgemm_("?", "N", &size, &size, &size, one, one, &size, one, &size, one, left, &size);
    jump = false;
    EXPECT_EQ(heard.position, 1);
    EXPECT_EQ(fortran("N", "N", 0, 0, 0, 1, 1, 1), 0);
    float a = 3, c = 0;
    cblas_sgemm(ColMajor, NoTrans, NoTrans, 1, 1, 1, 1, &a, 1, &a, 1, 0, &c, 1);
    EXPECT_EQ(c, 9.f) << "nothing was left held";
}

}  // namespace
