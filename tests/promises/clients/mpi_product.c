/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 *
 * ScaLAPACK's p?gemm on a grid of ranks: the best time, the largest error at some 64 elements, a digest of C's bits.
 *   mpirun -np 4 mpi_product s|d N BLOCK ROWS COLS REPEATS [RANK [STATUS]]
 * RANK is killed before its last product, or leaves with the STATUS. */
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
int numroc_(const int*, const int*, const int*, const int*, const int*);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
               int*);
typedef void Product(const char*, const char*, const int*, const int*, const int*, const void*, const void*, const int*,
                     const int*, const int*, const void*, const int*, const int*, const int*, const void*, void*,
                     const int*, const int*, const int*);
Product psgemm_, pdgemm_;

/* A square matrix, block by block over the grid; this rank's part lies column by column. */
static int n, block, grid_rows, grid_cols, row, col, rows_here, cols_here, is_single;

static int whole_row(int i) { return (i / block * grid_rows + row) * block + i % block; }
static int whole_col(int j) { return (j / block * grid_cols + col) * block + j % block; }

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

/* From -1 to 1, exact in the type. */
static double element(uint64_t which, int i, int j) {
    const uint64_t bits = mixed(which << 60 ^ (uint64_t)i << 30 ^ (uint64_t)j);
    return is_single ? (double)(bits >> 40) / (1 << 23) - 1 : (double)(bits >> 11) / (double)(1ull << 52) - 1;
}

static double read_at(const void* part, size_t at) {
    return is_single ? (double)((const float*)part)[at] : ((const double*)part)[at];
}

static void* filled(uint64_t which, size_t bytes) {
    void* part = calloc((size_t)rows_here * (size_t)cols_here + 1, bytes);
    if (!part) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int j = 0; which && j < cols_here; ++j)
        for (int i = 0; i < rows_here; ++i) {
            const size_t at = (size_t)j * (size_t)rows_here + (size_t)i;
            const double value = element(which, whole_row(i), whole_col(j));
            if (is_single) ((float*)part)[at] = (float)value;
            else ((double*)part)[at] = value;
        }
    return part;
}

static double error_at(const void* c, int i, int j) {
    double sum = 0, scale = 0;
    for (int k = 0; k < n; ++k) {
        const double term = element(1, whole_row(i), k) * element(2, k, whole_col(j));
        sum += term, scale += fabs(term);
    }
    return fabs(read_at(c, (size_t)j * (size_t)rows_here + (size_t)i) - sum) / scale;
}

static uint64_t digest_and_error(const void* c, size_t bytes, double* error) {
    uint64_t digest = 0;
    for (int j = 0; j < cols_here; ++j)
        for (int i = 0; i < rows_here; ++i) {
            uint64_t bits = 0;
            memcpy(&bits, (const char*)c + ((size_t)j * (size_t)rows_here + (size_t)i) * bytes, bytes);
            const uint64_t place = (uint64_t)whole_row(i) << 40 ^ mixed((uint64_t)whole_col(j));
            digest += mixed(bits ^ place);
            if (mixed(place) % ((uint64_t)n * (uint64_t)n / 64 + 1) == 0) {
                const double here = error_at(c, i, j);
                if (!(here <= *error)) *error = here;
            }
        }
    return digest;
}

int main(int count, char** words) {
    if (count < 7) return 1;
    is_single = words[1][0] == 's', n = atoi(words[2]), block = atoi(words[3]);
    const int repeats = atoi(words[6]), dying = count > 7 ? atoi(words[7]) : -1,
              status = count > 8 ? atoi(words[8]) : 0, zero = 0, one = 1;
    MPI_Init(&count, &words);
    int context, info, rank, descriptor[9];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", atoi(words[4]), atoi(words[5]));
    Cblacs_gridinfo(context, &grid_rows, &grid_cols, &row, &col);
    rows_here = numroc_(&n, &block, &row, &zero, &grid_rows), cols_here = numroc_(&n, &block, &col, &zero, &grid_cols);
    const int leading = rows_here > 1 ? rows_here : 1;
    descinit_(descriptor, &n, &n, &block, &block, &zero, &zero, &context, &leading, &info);

    const size_t bytes = is_single ? sizeof(float) : sizeof(double);
    void *a = filled(1, bytes), *b = filled(2, bytes), *c = filled(0, bytes);
    const float one_s = 1, zero_s = 0;
    const double one_d = 1, zero_d = 0;
    const void *alpha = is_single ? (const void*)&one_s : &one_d, *beta = is_single ? (const void*)&zero_s : &zero_d;
    Product* const multiply = is_single ? psgemm_ : pdgemm_;
    if (dying >= 0) printf("rank %d is process %d\n", rank, (int)getpid()), fflush(stdout);
    double best = 1e9;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == dying && repeat + 1 == repeats) status ? _exit(status) : (void)raise(SIGKILL);
        const double start = MPI_Wtime();
        multiply("N", "N", &n, &n, &n, alpha, a, &one, &one, descriptor, b, &one, &one, descriptor, beta, c, &one, &one,
                 descriptor);
        MPI_Barrier(MPI_COMM_WORLD);
        best = fmin(best, MPI_Wtime() - start);
    }
    double error = 0, largest = 0;
    uint64_t digest = digest_and_error(c, bytes, &error), whole = 0;
    MPI_Reduce(&digest, &whole, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    const int is_right = largest <= n * (is_single ? 0x1p-24 : 0x1p-53);
    if (rank == 0)
        printf("%s; p%sgemm %d on %dx%d ranks: %.1f ms, error %.2e, bits %016llx\n", is_right ? "right" : "wrong",
               words[1], n, grid_rows, grid_cols, best * 1e3, largest, (unsigned long long)whole);
    free(a), free(b), free(c);
    MPI_Finalize();
    return 0;
}
