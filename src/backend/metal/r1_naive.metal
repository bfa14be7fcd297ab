// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r1_naive: one thread for one result, a dot product each. Neighbouring threads have neighbouring rows, so that a
// SIMD-group reads A with a stride of a whole row.
//
//        k            n               n
//      +-----+      +---+---+      +-------+
//    m |=====|  x k |   |#  |  = m |   #   |     x of the grid runs down the rows
//      +-----+      +---+---+      +-------+
//
// Needs: any Metal GPU. Counts, s bytes an element: device loads 2 mnk s, stores mn s; flops 2mnk + mn, of c64
// 8mnk + 6mn; no barrier.
#include "complex_elements.h"

template <class T>
inline void naive(device const T* a, device const T* b, device T* c, constant Parameters& p, uint2 at) {
    if (at.x >= p.m || at.y >= p.n) return;
    float sum = 0.0f;
    for (uint q = 0; q < p.k; ++q) sum += float(element_of_a(a, p, at.x, q)) * float(element_of_b(b, p, q, at.y));
    put(c, p, at.x, at.y, sum);
}

#define TW_KERNEL(name, T)                                                                                        \
    kernel void name(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device T* c [[buffer(2)]], \
                     constant Parameters& p [[buffer(3)]], uint2 at [[thread_position_in_grid]]) {                \
        naive<T>(a, b, c, p, at);                                                                                 \
    }
TW_KERNEL(r1_naive_f32, float)
TW_KERNEL(r1_naive_f16, half)

kernel void r1_naive_c64(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                         device float* c [[buffer(2)]], constant Parameters& p [[buffer(3)]],
                         uint2 at [[thread_position_in_grid]]) {
    if (at.x >= p.m || at.y >= p.n) return;
    float2 sum = float2(0.0f, 0.0f);
    for (uint q = 0; q < p.k; ++q) sum = plus_product(sum, complex_of_a(a, p, at.x, q), complex_of_b(b, p, q, at.y));
    put_complex(c, p, at.x, at.y, sum);
}
