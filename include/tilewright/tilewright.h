/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 *
 * The C face. Nothing here throws, prints or exits. Structs that may grow begin with their size. */
#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TW_C_API __attribute__((visibility("default")))
#else
#define TW_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* C64 and C128 are pairs of f32 and of f64, the real part first. An A or B of a _CONJ type counts as the conjugates of
 * what lies there. */
typedef enum tw_type { TW_F64, TW_F32, TW_F16, TW_BF16, TW_C64, TW_C128, TW_C64_CONJ, TW_C128_CONJ } tw_type;

typedef enum tw_code {
    TW_OK,
    TW_BAD_ARGUMENT,
    TW_UNSUPPORTED,
    TW_OUT_OF_MEMORY,
    TW_NO_DEVICE,
    TW_DEVICE_FAILED,
    TW_VERIFICATION_FAILED,
    TW_BAD_FILE
} tw_code;

/* What tw_options::verify may be: see docs/accuracy.md. Any other number checks. */
typedef enum tw_verify { TW_VERIFY_OFF, TW_VERIFY_CHECK, TW_VERIFY_CORRECT } tw_verify;

/* Element (i, j) is data[i * row_step + j * col_step]; steps count elements. */
typedef struct tw_matrix {
    void* data;
    tw_type type;
    int64_t rows, cols;
    int64_t row_step, col_step;
} tw_matrix;

/* Threads of the caller's: run calls task(context, i) once for each i in [0, tasks) and returns when all have returned.
 */
typedef struct tw_executor {
    void* self;
    void (*run)(void* self, int tasks, void (*task)(void* context, int index), void* context);
} tw_executor;

typedef struct tw_options {
    size_t size; /* sizeof(tw_options): begin with tw_default_options() */
    double alpha, beta;
    const char* accuracy; /* "fp32", "tf32", "1e-5", ...; null: fp64 for f64 and c128, else fp32 */
    const char* device;   /* "cpu", "cuda:1", "cuda:*" for all, ...; null: where the operands live */
    const char* kernel;   /* null: the cheapest that keeps the accuracy */
    void* stream;
    const tw_executor* executor;
    void* scratch; /* at any address, one call's at a time; null: the library keeps its own */
    size_t scratch_bytes;
    int threads; /* 0: as many as are sensible */
    int reproducible;
    int verify;    /* a tw_verify */
    int64_t slabs; /* a power of two: so many parts of k, added in a tree (docs/rules.md, 40); 0: k whole */
    double alpha_imag, beta_imag; /* of complex operands alone */
} tw_options;

typedef struct tw_plan tw_plan;

TW_C_API const char* tw_version(void);
TW_C_API tw_options tw_default_options(void);

/* C = alpha * A * B + beta * C. A null `options` means the defaults. */
TW_C_API tw_code tw_multiply(const tw_matrix* a, const tw_matrix* b, const tw_matrix* c, const tw_options* options);

/* The choice of a kernel, kept. The data pointers of the three are ignored: any operands of the same shapes,
 * types and steps can be run later. Null when no kernel will do; tw_last_error() says why. */
TW_C_API tw_plan* tw_plan_create(const tw_matrix* a, const tw_matrix* b, const tw_matrix* c, const tw_options* options);
TW_C_API tw_code tw_plan_run(const tw_plan* plan, const tw_matrix* a, const tw_matrix* b, const tw_matrix* c);
/* What the options' scratch must hold, wherever it begins, for a run that allocates nothing. */
TW_C_API size_t tw_plan_scratch_bytes(const tw_plan* plan);
TW_C_API const char* tw_plan_kernel(const tw_plan* plan);
TW_C_API void tw_plan_destroy(tw_plan* plan);

/* Many products of one shape. The operands passed beside it are product 0's; those of the others lie a step of so many
 * elements apart (0 for a or b: all share it) or, where it is not null, where an array of `count` pointers says. */
typedef struct tw_batch {
    size_t size; /* sizeof(tw_batch) */
    int64_t count;
    int64_t a_step, b_step, c_step;
    const void* const* a; /* a[i] is where product i's A begins */
    const void* const* b;
    void* const* c;
} tw_batch;

/* The same bits as one product at a time, planned once. Arguments are checked before anything is written. */
TW_C_API tw_code tw_multiply_batch(const tw_matrix* a, const tw_matrix* b, const tw_matrix* c, const tw_batch* batch,
                                   const tw_options* options);

/* An operand laid out once for many products: a copy, in this process's own layout, safe from many threads. */
typedef struct tw_packed tw_packed;

/* Null when it can't be made; tw_last_error() says why. Destroy it with tw_packed_destroy(). */
TW_C_API tw_packed* tw_pack(const tw_matrix* b, const tw_options* options);
TW_C_API tw_packed* tw_pack_a(const tw_matrix* a, const tw_options* options);
TW_C_API tw_code tw_multiply_packed(const tw_matrix* a, const tw_packed* b, const tw_matrix* c,
                                    const tw_options* options);
TW_C_API tw_code tw_multiply_packed_a(const tw_packed* a, const tw_matrix* b, const tw_matrix* c,
                                      const tw_options* options);
TW_C_API size_t tw_packed_bytes(const tw_packed* packed);
TW_C_API const char* tw_packed_kernel(const tw_packed* packed);
TW_C_API void tw_packed_destroy(tw_packed* packed);

/* The sentence for this thread's last failure: what was expected and what came. Never null. */
TW_C_API const char* tw_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
