// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex elements: a float2 in registers, and in memory two floats, which may begin at any float. Conjugates are signs
// that imaginary parts get as they are read.
#ifndef TW_METAL_COMPLEX_ELEMENTS
#define TW_METAL_COMPLEX_ELEMENTS

#include "elements.h"

inline float2 complex_at(device const float* x, step_t at, bool is_conj) {
    const float imaginary = x[2 * at + 1];
    return float2(x[2 * at], is_conj ? -imaginary : imaginary);
}
inline float2 complex_of_a(device const float* a, constant Parameters& p, uint i, uint j) {
    return complex_at(a, step_t(i) * p.a_row + step_t(j) * p.a_col, (p.conjugates & 1) != 0);
}
inline float2 complex_of_b(device const float* b, constant Parameters& p, uint i, uint j) {
    return complex_at(b, step_t(i) * p.b_row + step_t(j) * p.b_col, (p.conjugates & 2) != 0);
}

/// Four fused products, in this order on every rung.
inline float2 plus_product(float2 sum, float2 x, float2 y) {
    const float re = fma(x.x, y.x, sum.x), im = fma(x.x, y.y, sum.y);
    return float2(fma(-x.y, y.y, re), fma(x.y, y.x, im));
}

/// A real factor scales each part by itself, so that a NaN stays in its part.
inline float2 scaled(float re, float im, float2 x) {
    const float2 by_real = float2(re * x.x, re * x.y);
    return im == 0.0f ? by_real : float2(fma(-im, x.y, by_real.x), fma(im, x.x, by_real.y));
}

/// C(i, j) = alpha * sum + beta * C(i, j), where there is such an element.
inline void put_complex(device float* c, constant Parameters& p, uint i, uint j, float2 sum) {
    if (i >= p.m || j >= p.n) return;
    const step_t at = 2 * (step_t(i) * p.c_row + step_t(j) * p.c_col);
    float2 result = scaled(p.alpha, p.alpha_imag, sum);
    if (p.beta != 0.0f || p.beta_imag != 0.0f) {
        const float2 old = scaled(p.beta, p.beta_imag, float2(c[at], c[at + 1]));
        result = float2(result.x + old.x, result.y + old.y);
    }
    c[at] = result.x;
    c[at + 1] = result.y;
}

#endif
