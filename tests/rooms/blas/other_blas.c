/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 * Somebody's BLAS, with a gemm that is plainly not ours and a dot that we have not. */
void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc) {
    (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb, (void)beta,
        (void)ldc;
    *c = -1;
}

float sdot_(const int* n, const float* x, const int* incx, const float* y, const int* incy) {
    float sum = 0;
    for (int i = 0; i < *n; ++i) sum += x[i * *incx] * y[i * *incy];
    return sum;
}

int pilaenv_(const int* context, const char* precision) {
    (void)context, (void)precision;
    return 32;
}
