// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <cstdio>
#include <cstdlib>

extern "C" {
void fake_neighbour_multiply(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c, int ldc);
[[gnu::visibility("default")]] const char* openblas_get_config();
[[gnu::visibility("default")]] const char* openblas_get_corename();
[[gnu::visibility("default")]] void cblas_sgemm(int, int, int, int m, int n, int k, float, const float* a, int lda,
                                                const float* b, int ldb, float, float* c, int ldc);
[[gnu::visibility("default")]] void cblas_sgemm_batch_strided(int, int, int, int m, int n, int k, float, const float* a,
                                                              int lda, int step_of_a, const float* b, int ldb,
                                                              int step_of_b, float, float* c, int ldc, int step_of_c,
                                                              int count);
[[gnu::visibility("default")]] void zgemm_(const char* of_a, const char* of_b, const int* m, const int* n, const int* k,
                                           const double* alpha, const double* a, const int* lda, const double* b,
                                           const int* ldb, const double* beta, double* c, const int* ldc);
}

const char* openblas_get_config() { return "OpenBLAS 99.1.2 FAKE"; }

/// The core it chooses by itself is told to it by FAKE_PEER_CORE; OPENBLAS_CORETYPE is what a user wants.
const char* openblas_get_corename() {
    const char *own = std::getenv("FAKE_PEER_CORE"), *wanted = std::getenv("OPENBLAS_CORETYPE");
    return !own ? "" : wanted ? wanted : own;
}

/// A byte for each call of those that multiply matrices of f32, where a test wants them counted.
static void count_call() {
    const char* path = std::getenv("FAKE_PEER_CALLS");
    if (std::FILE* const file = path ? std::fopen(path, "a") : nullptr) std::fputc('.', file), std::fclose(file);
}

void cblas_sgemm(int, int, int, int m, int n, int k, float, const float* a, int lda, const float* b, int ldb, float,
                 float* c, int ldc) {
    count_call();
    if (std::getenv("FAKE_PEER_CORE_IS_WRONG") && std::getenv("OPENBLAS_CORETYPE")) return;
    fake_neighbour_multiply(m, n, k, a, lda, b, ldb, c, ldc);
}

void cblas_sgemm_batch_strided(int, int, int, int m, int n, int k, float, const float* a, int lda, int step_of_a,
                               const float* b, int ldb, int step_of_b, float, float* c, int ldc, int step_of_c,
                               int count) {
    count_call();
    for (int i = 0; i < count; ++i)
        fake_neighbour_multiply(m, n, k, a + i * step_of_a, lda, b + i * step_of_b, ldb, c + i * step_of_c, ldc);
}

/// Complex products by the name in Fortran alone, as MKL within torch.
void zgemm_(const char* of_a, const char* of_b, const int* m, const int* n, const int* k, const double*,
            const double* a, const int* lda, const double* b, const int* ldb, const double*, double* c,
            const int* ldc) {
    for (int i = 0; i < *m; ++i)
        for (int j = 0; j < *n; ++j) {
            double re = 0, im = 0;
            for (int p = 0; p < *k; ++p) {
                const double* x = a + 2 * (*of_a == 'N' ? i + p * *lda : p + i * *lda);
                const double* y = b + 2 * (*of_b == 'N' ? p + j * *ldb : j + p * *ldb);
                re += x[0] * y[0] - x[1] * y[1], im += x[0] * y[1] + x[1] * y[0];
            }
            c[2 * (i + j * *ldc)] = re, c[2 * (i + j * *ldc) + 1] = im;
        }
}
