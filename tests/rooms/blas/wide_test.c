/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 * libtilewright_blas64: the plain names take 64-bit integers, as in Debian's libblas64. */
#include <stdint.h>
#include <stdio.h>

void dgemm_(const char*, const char*, const int64_t*, const int64_t*, const int64_t*, const double*, const double*,
            const int64_t*, const double*, const int64_t*, const double*, double*, const int64_t*);
void cblas_sgemm(int, int, int, int64_t, int64_t, int64_t, float, const float*, int64_t, const float*, int64_t, float,
                 float*, int64_t);

int main(void) {
    /* A leading dimension that 32 bits can't hold: with one column it is never stepped by. */
    const int64_t m = 2, one = 1, huge = (int64_t)1 << 33;
    const double alpha = 1, beta = 0, a[2] = {3, 4}, b = 5;
    double c[2] = {0, 0};
    dgemm_("N", "N", &m, &one, &one, &alpha, a, &huge, &b, &huge, &beta, c, &huge);
    const float x = 6, y = 7;
    float z = 0;
    cblas_sgemm(101, 111, 111, 1, 1, 1, 1, &x, huge, &y, huge, 0, &z, huge);
    printf("%g %g %g\n", c[0], c[1], (double)z);
    return c[0] == 15 && c[1] == 20 && z == 42 ? 0 : 1;
}
