// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a SIMD-group writes its 8x8 results to C. Which lane holds which element is not documented, so they go through 64
// floats of threadgroup memory that no other SIMD-group uses.
#ifndef TW_METAL_MATRICES_OUT
#define TW_METAL_MATRICES_OUT

#include <metal_simdgroup_matrix>
#include "elements.h"

template <class T>
inline void put_matrix(device T* c, constant Parameters& p, uint i, uint j, simdgroup_float8x8 sum,
                       threadgroup float* scratch, uint lane) {
    simdgroup_store(sum, scratch, 8);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    const uint y = i + lane / 4, x = j + lane % 4 * 2;
    if (y < p.m && x < p.n) put(c, p, y, x, scratch[lane * 2]);
    if (y < p.m && x + 1 < p.n) put(c, p, y, x + 1, scratch[lane * 2 + 1]);
    simdgroup_barrier(mem_flags::mem_threadgroup);
}

#endif
