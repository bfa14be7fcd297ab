/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 * What the environment changes: how deep PBLAS's panels are, and whether a part of C has its bits in the whole. */
#include <stdio.h>
#include <string.h>

int pilaenv_(const int*, const char*);
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);

enum { m = 96, n = 80, k = 700 };
static float a[m * k], b[k * n], whole[m * n], part[m * n];

/* The part of C with these columns and rows, computed alone, has the bits that it has in the whole. */
static int has_its_bits(int row, int rows, int col, int cols) {
    const int all_rows = m, depth = k;
    const float alpha = 1, beta = 0;
    sgemm_("N", "N", &rows, &cols, &depth, &alpha, a + row, &all_rows, b + col * k, &depth, &beta, part, &rows);
    for (int j = 0; j < cols; ++j)
        if (memcmp(part + j * rows, whole + (col + j) * m + row, sizeof(float) * (size_t)rows) != 0) return 0;
    return 1;
}

int main(void) {
    const int context = 0, rows = m, cols = n, depth = k;
    const float alpha = 1, beta = 0;
    unsigned random = 1;
    for (int i = 0; i < m * k; ++i) a[i] = (float)((random = random * 1664525 + 1013904223) >> 8) / (1 << 24);
    for (int i = 0; i < k * n; ++i) b[i] = (float)((random = random * 1664525 + 1013904223) >> 8) / (1 << 24);
    sgemm_("N", "N", &rows, &cols, &depth, &alpha, a, &rows, b, &depth, &beta, whole, &rows);
    int same = 1;
    for (int width = 1; width <= 40; width += width / 4 + 1)
        same &= has_its_bits(m - width, width, 0, n) & has_its_bits(0, m, n - width, width);
    printf("panel %d, %s bits\n", (int)pilaenv_(&context, "S"), same ? "the same" : "other");
    return fflush(stdout);
}
