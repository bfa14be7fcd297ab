/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 *
 * The C header in a C program: rule 34 (a struct's size comes first), statuses, sentences, plans, executors. */
#include <stdio.h>
#include <string.h>

#include "tilewright/tilewright.h"

static int failures = 0;

static void expect(int condition, const char* what) {
    if (!condition) {
        printf("not so: %s\n", what);
        ++failures;
    }
}

static void run_backwards(void* calls, int tasks, void (*task)(void*, int), void* context) {
    ++*(int*)calls;
    while (tasks-- > 0) task(context, tasks);
}

int main(void) {
    double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, 8, 9, 10, 11, 12}, c[4] = {1, 1, 1, 1};
    const double right[4] = {58, 64, 139, 154}, with_beta[4] = {60, 66, 141, 156};
    tw_matrix am = {a, TW_F64, 2, 3, 3, 1}, bm = {b, TW_F64, 3, 2, 2, 1}, cm = {c, TW_F64, 2, 2, 2, 1};

    expect(strcmp(tw_version(), "0.1.0") == 0, "the version is 0.1.0");
    expect(tw_multiply(&am, &bm, &cm, NULL) == TW_OK && memcmp(c, right, sizeof c) == 0, "defaults multiply");

    tw_options options = tw_default_options();
    expect(options.size == sizeof options, "the defaults carry their size");
    for (int i = 0; i < 4; ++i) c[i] = 1;
    options.beta = 2;
    options.kernel = "no such kernel";
    options.size = 3 * sizeof(double); /* a caller who knows no more than size, alpha and beta */
    expect(tw_multiply(&am, &bm, &cm, &options) == TW_OK && memcmp(c, with_beta, sizeof c) == 0,
           "fields beyond the caller's size keep their defaults");

    options = tw_default_options();
    options.accuracy = "very";
    expect(tw_multiply(&am, &bm, &cm, &options) == TW_BAD_ARGUMENT, "an unknown accuracy is refused");
    expect(strstr(tw_last_error(), "accuracy") != NULL, "and the sentence speaks of the accuracy");
    options.accuracy = "1e-30";
    expect(tw_multiply(&am, &bm, &cm, &options) == TW_UNSUPPORTED, "an accuracy beyond every kernel is unsupported");
    options = tw_default_options();
    options.device = "abacus";
    expect(tw_multiply(&am, &bm, &cm, &options) == TW_NO_DEVICE, "an unknown device is no device");
    expect(tw_multiply(NULL, &bm, &cm, NULL) == TW_BAD_ARGUMENT, "a null matrix is refused");

    am.cols = 2;
    expect(tw_multiply(&am, &bm, &cm, NULL) == TW_BAD_ARGUMENT, "shapes that don't fit are refused");
    expect(strstr(tw_last_error(), "A is 2 x 2 f64") != NULL, "and the sentence says what came");
    am.cols = 3;

    int calls = 0;
    tw_executor executor = {&calls, run_backwards};
    options = tw_default_options();
    options.executor = &executor;
    options.verify = 1;
    tw_plan* plan = tw_plan_create(&am, &bm, &cm, &options);
    expect(plan != NULL && strncmp(tw_plan_kernel(plan), "cpu.", 4) == 0, "a plan names its kernel");
    expect(tw_plan_run(plan, &am, &bm, &cm) == TW_OK && memcmp(c, right, sizeof c) == 0, "a plan runs");
    bm.cols = 1, cm.cols = 1;
    expect(tw_plan_run(plan, &am, &bm, &cm) == TW_BAD_ARGUMENT, "a plan refuses other shapes");
    tw_plan_destroy(plan);
    tw_plan_destroy(NULL);

    printf("%d failed\n", failures);
    return failures != 0;
}
