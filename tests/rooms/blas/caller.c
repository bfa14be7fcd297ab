/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 * A program that knows nothing of us. Prints what its BLAS makes of a product, of a dot and of the first and the last
 * function of the alphabet. */
#include <stdio.h>

void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
float sdot_(const int*, const float*, const int*, const float*, const int*);
void caxpy_(const int*, const float*, const float*, const int*, float*, const int*);
void ztrsv_(const char*, const char*, const char*, const int*, const double*, const int*, double*, const int*);

int main(void) {
    const int one = 1, two = 2;
    const float alpha = 1, beta = 0, a[2] = {2, 3}, b[2] = {10, 100};
    const double triangle[2] = {1, 0};
    float c = 0, y[2] = {0};
    double x[2] = {0};
    sgemm_("N", "N", &one, &one, &two, &alpha, a, &one, b, &two, &beta, &c, &one);
    caxpy_(&one, a, b, &one, y, &one);
    ztrsv_("U", "N", "N", &one, triangle, &one, x, &one);
    printf("gemm %g dot %g ends %g %g\n", (double)c, (double)sdot_(&two, a, &one, a, &one), (double)*y, *x);
    return fflush(stdout);
}
