// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
extern "C" {
void fake_neighbour_multiply(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c, int ldc);
[[gnu::visibility("default")]] const char* openblas_get_config();
[[gnu::visibility("default")]] void cblas_sgemm(int, int, int, int m, int n, int k, float, const float* a, int lda,
                                                const float* b, int ldb, float, float* c, int ldc);
}

const char* openblas_get_config() { return "OpenBLAS 99.1.2 FAKE"; }

void cblas_sgemm(int, int, int, int m, int n, int k, float, const float* a, int lda, const float* b, int ldb, float,
                 float* c, int ldc) {
    fake_neighbour_multiply(m, n, k, a, lda, b, ldb, c, ldc);
}
