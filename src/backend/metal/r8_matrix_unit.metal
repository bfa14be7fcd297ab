// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r8_matrix_unit: a SIMD-group multiplies 8x8 matrices as one, straight from device memory. Four SIMD-groups make a
// block of 32 x 32, each a quarter of it as 2 x 2 matrices. A matrix that hangs over an edge is put together, with
// zeros, in 64 elements of threadgroup memory.
//
//         k                n
//      +-+-+-+-+      +--+--+        +--+--+
//   16 |#|#|#|#|    8 |##|##|  =  16 |##|##|     # an 8x8 matrix, 2 elements a lane
//      |#|#|#|#|      +--+--+        |##|##|
//      +-+-+-+-+        16           +--+--+
//
// Needs: Apple7. Counts, M N rounded up to 16, K to 8, s bytes an element, E matrices over an edge:
// device loads (mk N/16 + kn M/16) s, stores mn s; threadgroup stores 4 MN + 64 E s, loads 4 mn + 64 E s;
// flops 2 MNK + mn; no barrier of the threadgroup, 2 of the SIMD-group for each 8x8 of C and each of E.
#include "matrices_out.h"

template <class T>
inline simdgroup_matrix<T, 8, 8> matrix_of_a(device const T* a, constant Parameters& p, uint i, uint j,
                                             threadgroup T* edge, uint lane) {
    simdgroup_matrix<T, 8, 8> m;
    if (i + 8 <= p.m && j + 8 <= p.k) {
        const bool transposed = p.a_col != 1;
        device const T* corner = a + step_t(i) * p.a_row + step_t(j) * p.a_col;
        simdgroup_load(m, corner, ulong(transposed ? p.a_col : p.a_row), ulong2(0), transposed);
        return m;
    }
    edge[lane * 2] = padded_a(a, p, i + lane / 4, j + lane % 4 * 2);
    edge[lane * 2 + 1] = padded_a(a, p, i + lane / 4, j + lane % 4 * 2 + 1);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_load(m, edge, 8);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    return m;
}

template <class T>
inline simdgroup_matrix<T, 8, 8> matrix_of_b(device const T* b, constant Parameters& p, uint i, uint j,
                                             threadgroup T* edge, uint lane) {
    simdgroup_matrix<T, 8, 8> m;
    if (i + 8 <= p.k && j + 8 <= p.n) {
        const bool transposed = p.b_col != 1;
        device const T* corner = b + step_t(i) * p.b_row + step_t(j) * p.b_col;
        simdgroup_load(m, corner, ulong(transposed ? p.b_col : p.b_row), ulong2(0), transposed);
        return m;
    }
    edge[lane * 2] = padded_b(b, p, i + lane / 4, j + lane % 4 * 2);
    edge[lane * 2 + 1] = padded_b(b, p, i + lane / 4, j + lane % 4 * 2 + 1);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_load(m, edge, 8);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    return m;
}

template <class T>
inline void matrix_unit(device const T* a, device const T* b, device T* c, constant Parameters& p, threadgroup T* edges,
                        threadgroup float* scratches, uint2 group, uint simdgroup_index, uint lane) {
    const uint i = group.y * 32 + simdgroup_index / 2 * 16, j = group.x * 32 + simdgroup_index % 2 * 16;
    if (i >= p.m || j >= p.n) return;  // the whole SIMD-group, and no barrier of the threadgroup follows
    threadgroup T* edge = edges + simdgroup_index * 64;
    threadgroup float* scratch = scratches + simdgroup_index * 64;
    simdgroup_float8x8 sum00(0), sum01(0), sum10(0), sum11(0);
    for (uint q = 0; q < p.k; q += 8) {
        const simdgroup_matrix<T, 8, 8> a0 = matrix_of_a(a, p, i, q, edge, lane);
        const simdgroup_matrix<T, 8, 8> a1 = matrix_of_a(a, p, i + 8, q, edge, lane);
        const simdgroup_matrix<T, 8, 8> b0 = matrix_of_b(b, p, q, j, edge, lane);
        const simdgroup_matrix<T, 8, 8> b1 = matrix_of_b(b, p, q, j + 8, edge, lane);
        simdgroup_multiply_accumulate(sum00, a0, b0, sum00);
        simdgroup_multiply_accumulate(sum01, a0, b1, sum01);
        simdgroup_multiply_accumulate(sum10, a1, b0, sum10);
        simdgroup_multiply_accumulate(sum11, a1, b1, sum11);
    }
    put_matrix(c, p, i, j, sum00, scratch, lane);
    put_matrix(c, p, i, j + 8, sum01, scratch, lane);
    put_matrix(c, p, i + 8, j, sum10, scratch, lane);
    put_matrix(c, p, i + 8, j + 8, sum11, scratch, lane);
}

#define TW_KERNEL(name, T)                                                                                        \
    kernel void name(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device T* c [[buffer(2)]], \
                     constant Parameters& p [[buffer(3)]], uint2 group [[threadgroup_position_in_grid]],          \
                     uint simdgroup_index [[simdgroup_index_in_threadgroup]],                                     \
                     uint lane [[thread_index_in_simdgroup]]) {                                                   \
        threadgroup T edges[4 * 64];                                                                              \
        threadgroup float scratches[4 * 64];                                                                      \
        matrix_unit<T>(a, b, c, p, edges, scratches, group, simdgroup_index, lane);                               \
    }
#ifndef TW_BFLOAT
TW_KERNEL(r8_matrix_unit_f32, float)
TW_KERNEL(r8_matrix_unit_f16, half)
#else
TW_KERNEL(r8_matrix_unit_bf16, bfloat)
#endif
#undef TW_KERNEL
