// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows: k is split among the threads of a threadgroup, for products of 1 to 16 rows, where all other rungs would
// leave most of their threads without a row. Each thread takes every eighth term of one column for all rows at once, so
// that B is read once; the eight partial sums are added in threadgroup memory.
//
//          k             32              32 columns x 8 slices of k:
//      +--------+      +-----+           thread (x, y) sums terms y, y+8, y+16 ...
//   16 |========|    k |y|   |
//      +--------+      |y+8  |
//
// Needs: any Metal GPU; m <= 16. Counts, N rounded up to 32, s bytes an element:
// device loads (mkn + kn) s, stores mn s; threadgroup stores 32 m N, loads 32 m n;
// flops 2 mkn + 8 mn + mn; one barrier in each of N/32 threadgroups.
#include "elements.h"

constant constexpr uint ROWS = 16, COLS = 32, SLICES = 8;

template <class T>
inline void few_rows(device const T* a, device const T* b, device T* c, constant Parameters& p,
                     threadgroup float* partial, uint2 group, uint2 in) {
    const uint j = group.x * COLS + in.x;
    float sum[ROWS] = {};
    if (j < p.n)
        for (uint q = in.y; q < p.k; q += SLICES) {
            const float bv = float(element_of_b(b, p, q, j));
#pragma clang loop unroll(full)
            for (uint i = 0; i < ROWS; ++i)
                if (i < p.m) sum[i] += float(element_of_a(a, p, i, q)) * bv;
        }
#pragma clang loop unroll(full)
    for (uint i = 0; i < ROWS; ++i)
        if (i < p.m) partial[(i * SLICES + in.y) * COLS + in.x] = sum[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j >= p.n) return;
    for (uint i = in.y; i < p.m; i += SLICES) {
        float all = 0.0f;
        for (uint slice = 0; slice < SLICES; ++slice) all += partial[(i * SLICES + slice) * COLS + in.x];
        put(c, p, i, j, all);
    }
}

#define TW_KERNEL(name, T)                                                                                        \
    kernel void name(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device T* c [[buffer(2)]], \
                     constant Parameters& p [[buffer(3)]], uint2 group [[threadgroup_position_in_grid]],          \
                     uint2 in [[thread_position_in_threadgroup]]) {                                               \
        threadgroup float partial[ROWS * SLICES * COLS];                                                          \
        few_rows<T>(a, b, c, p, partial, group, in);                                                              \
    }
TW_KERNEL(few_rows_f32, float)
TW_KERNEL(few_rows_f16, half)
