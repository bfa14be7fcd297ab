// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How every rung reads and writes elements of the operands. Sums are f32, whatever the type in memory is.
#ifndef TW_METAL_ELEMENTS
#define TW_METAL_ELEMENTS

#include <metal_stdlib>
using namespace metal;
#include "parameters.h"

template <class T>
inline T element_of_a(device const T* a, constant Parameters& p, uint i, uint j) {
    return a[step_t(i) * p.a_row + step_t(j) * p.a_col];
}

template <class T>
inline T element_of_b(device const T* b, constant Parameters& p, uint i, uint j) {
    return b[step_t(i) * p.b_row + step_t(j) * p.b_col];
}

/// Zero beyond the edge, to pad a tile.
template <class T>
inline T padded_a(device const T* a, constant Parameters& p, uint i, uint j) {
    if (i < p.m && j < p.k) return element_of_a(a, p, i, j);
    return T(0.0f);
}

template <class T>
inline T padded_b(device const T* b, constant Parameters& p, uint i, uint j) {
    if (i < p.k && j < p.n) return element_of_b(b, p, i, j);
    return T(0.0f);
}

/// C(i, j) = alpha * sum + beta * C(i, j), where there is such an element.
template <class T>
inline void put(device T* c, constant Parameters& p, uint i, uint j, float sum) {
    if (i >= p.m || j >= p.n) return;
    const step_t at = step_t(i) * p.c_row + step_t(j) * p.c_col;
    if (p.beta == 0.0f) c[at] = T(p.alpha * sum);
    else c[at] = T(p.alpha * sum + p.beta * float(c[at]));
}

#endif
