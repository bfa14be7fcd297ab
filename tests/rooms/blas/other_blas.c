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

/* The first and the last name of those that are handed on. */
void caxpy_(const int* n, const float* alpha, const float* x, const int* incx, float* y, const int* incy) {
    (void)n, (void)alpha, (void)x, (void)incx, (void)incy;
    *y = 1;
}

void ztrsv_(const char* triangle, const char* of_a, const char* diagonal, const int* n, const double* a, const int* lda,
            double* x, const int* incx) {
    (void)triangle, (void)of_a, (void)diagonal, (void)n, (void)a, (void)lda, (void)incx;
    *x = 2;
}

int pilaenv_(const int* context, const char* precision) {
    (void)context, (void)precision;
    return 32;
}
