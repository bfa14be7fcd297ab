// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r2_coalesced: the same dot products with the axes of the grid exchanged. Neighbouring threads have neighbouring
// columns: a SIMD-group reads one element of A for all its lanes and 32 neighbours of B, and writes 32 neighbours of C.
//
//        k            n               n
//      +-----+      +---+---+      +-------+
//    m |=====|  x k |   |###|  = m |   ####|     x of the grid runs along the columns
//      +-----+      +---+---+      +-------+
//
// Needs: any Metal GPU. Counts, s bytes an element: device loads 2 mnk s, stores mn s; flops 2mnk + mn; no barrier.
#include "elements.h"

template <class T>
inline void coalesced(device const T* a, device const T* b, device T* c, constant Parameters& p, uint2 at) {
    if (at.y >= p.m || at.x >= p.n) return;
    float sum = 0.0f;
    for (uint q = 0; q < p.k; ++q) sum += float(element_of_a(a, p, at.y, q)) * float(element_of_b(b, p, q, at.x));
    put(c, p, at.y, at.x, sum);
}

#define TW_KERNEL(name, T)                                                                                        \
    kernel void name(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device T* c [[buffer(2)]], \
                     constant Parameters& p [[buffer(3)]], uint2 at [[thread_position_in_grid]]) {                \
        coalesced<T>(a, b, c, p, at);                                                                             \
    }
TW_KERNEL(r2_coalesced_f32, float)
TW_KERNEL(r2_coalesced_f16, half)
