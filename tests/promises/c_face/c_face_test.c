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

static void test_batches(void) {
    double a[12] = {1, 2, 3, 4, 5, 6, 2, 4, 6, 8, 10, 12}, b[6] = {7, 8, 9, 10, 11, 12}, c[8] = {0};
    const double right[8] = {58, 64, 139, 154, 116, 128, 278, 308};
    tw_matrix am = {a, TW_F64, 2, 3, 3, 1}, bm = {b, TW_F64, 3, 2, 2, 1}, cm = {c, TW_F64, 2, 2, 2, 1};
    tw_batch batch = {sizeof batch, 2, 6, 0, 4, NULL, NULL, NULL};
    expect(tw_multiply_batch(&am, &bm, &cm, &batch, NULL) == TW_OK && memcmp(c, right, sizeof c) == 0,
           "a batch by steps");

    const void *as[2] = {a, a + 6}, *bs[2] = {b, NULL};
    void* cs[2] = {c, c + 4};
    memset(c, 0, sizeof c);
    batch.a = as, batch.b = bs, batch.c = cs;
    expect(tw_multiply_batch(&am, &bm, &cm, &batch, NULL) == TW_BAD_ARGUMENT, "a null pointer in a batch is refused");
    expect(strstr(tw_last_error(), "product 1 of the batch: B: it is null") != NULL,
           "and the sentence says in which product");
    bs[1] = b;
    expect(tw_multiply_batch(&am, &bm, &cm, &batch, NULL) == TW_OK && memcmp(c, right, sizeof c) == 0,
           "a batch by pointers");
    batch.size = 0;
    expect(tw_multiply_batch(&am, &bm, &cm, &batch, NULL) == TW_BAD_ARGUMENT,
           "a batch without a size is refused, not skipped");
    expect(tw_multiply_batch(&am, &bm, &cm, NULL, NULL) == TW_BAD_ARGUMENT, "a null batch is refused");
}

static void test_packed(void) {
    double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, 8, 9, 10, 11, 12}, c[4] = {0};
    const double right[4] = {58, 64, 139, 154};
    tw_matrix am = {a, TW_F64, 2, 3, 3, 1}, bm = {b, TW_F64, 3, 2, 2, 1}, cm = {c, TW_F64, 2, 2, 2, 1};
    tw_packed *of_b = tw_pack(&bm, NULL), *of_a = tw_pack_a(&am, NULL);
    expect(of_b && tw_packed_bytes(of_b) >= sizeof b && strncmp(tw_packed_kernel(of_b), "cpu.", 4) == 0,
           "an operand is packed");
    expect(tw_multiply_packed(&am, of_b, &cm, NULL) == TW_OK && memcmp(c, right, sizeof c) == 0,
           "a packed B multiplies");
    memset(c, 0, sizeof c);
    expect(tw_multiply_packed_a(of_a, &bm, &cm, NULL) == TW_OK && memcmp(c, right, sizeof c) == 0,
           "a packed A multiplies");
    expect(tw_multiply_packed(&am, of_a, &cm, NULL) == TW_BAD_ARGUMENT, "an A is no B");
    tw_packed_destroy(of_a);
    tw_packed_destroy(of_b);
    tw_packed_destroy(NULL);
    bm.data = NULL;
    expect(tw_pack(&bm, NULL) == NULL && strstr(tw_last_error(), "B: it is null") != NULL,
           "a null operand is not packed");
    expect(tw_pack(NULL, NULL) == NULL && tw_multiply_packed(&am, NULL, &cm, NULL) == TW_BAD_ARGUMENT,
           "nor is nothing");
}

/* What can't be run can't be planned. The operands need not point anywhere yet. */
static void test_plans_that_do_not_fit(void) {
    tw_matrix am = {NULL, TW_F32, 2, 3, 3, 1}, bm = {NULL, TW_F32, 3, 2, 2, 1}, cm = {NULL, TW_F32, 2, 2, 2, 1};
    tw_plan* plan = tw_plan_create(&am, &bm, &cm, NULL);
    expect(plan != NULL, "a plan needs no memory of its operands");
    tw_plan_destroy(plan);
    bm.rows = 2;
    expect(tw_plan_create(&am, &bm, &cm, NULL) == NULL && strstr(tw_last_error(), "as many as A's columns") != NULL,
           "a B that does not fit is not planned");
    bm.rows = 3, bm.type = TW_F64;
    expect(tw_plan_create(&am, &bm, &cm, NULL) == NULL && strstr(tw_last_error(), "its type must be A's") != NULL,
           "nor one of another type");
    bm.type = TW_F32, cm.type = TW_F64;
    expect(
        tw_plan_create(&am, &bm, &cm, NULL) == NULL && strstr(tw_last_error(), "C: its type must be A's, or") != NULL,
        "nor a C that no product is written to");
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

    options.size = 0;
    expect(tw_multiply(&am, &bm, &cm, &options) == TW_BAD_ARGUMENT,
           "options without a size are refused, not overlooked");
    expect(strstr(tw_last_error(), "tw_default_options()") != NULL, "and the sentence says how they begin");
    bm.type = (tw_type)(256 + TW_F64);
    expect(tw_multiply(&am, &bm, &cm, NULL) == TW_BAD_ARGUMENT, "a type of more than 8 bits is no type");
    bm.type = TW_F64;

    options = tw_default_options();
    static const char* const no_accuracies[] = {"very", "", "inf", "nan", "0", "-1e-3", "1e400", "1e-3 "};
    for (size_t i = 0; i < sizeof no_accuracies / sizeof *no_accuracies; ++i) {
        options.accuracy = no_accuracies[i];
        expect(tw_multiply(&am, &bm, &cm, &options) == TW_BAD_ARGUMENT, "what is no accuracy is refused");
        expect(strstr(tw_last_error(), "the accuracy is no name of the dial and no positive number") != NULL,
               "and the sentence speaks of the accuracy");
    }
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

    test_batches();
    test_packed();
    test_plans_that_do_not_fit();

    printf("%d failed\n", failures);
    return failures != 0;
}
