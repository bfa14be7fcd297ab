// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
extern "C" [[gnu::visibility("default")]] void fake_neighbour_multiply(int m, int n, int k, const float* a, int lda,
                                                                       const float* b, int ldb, float* c, int ldc);

void fake_neighbour_multiply(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c, int ldc) {
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int p = 0; p < k; ++p) sum += a[i * lda + p] * b[p * ldb + j];
            c[i * ldc + j] = sum;
        }
}
