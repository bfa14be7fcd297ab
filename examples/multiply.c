/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 * cc multiply.c -ltilewright */
#include <stdio.h>
#include <tilewright/tilewright.h>

int main(void) {
    float a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][2] = {{1, 0}, {0, 1}, {1, 1}}, c[2][2];
    const tw_matrix am = {a, TW_F32, 2, 3, 3, 1}, bm = {b, TW_F32, 3, 2, 2, 1}, cm = {c, TW_F32, 2, 2, 2, 1};
    tw_options options = tw_default_options();
    options.accuracy = "tf32";
    options.verify = 1;
    if (tw_multiply(&am, &bm, &cm, &options) != TW_OK) {
        fprintf(stderr, "%s\n", tw_last_error());
        return 1;
    }
    printf("%g %g\n%g %g\n", c[0][0], c[0][1], c[1][0], c[1][1]);
    return 0;
}
