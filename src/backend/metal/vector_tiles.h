// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the vectorised rungs fill their tiles: four elements with each load where a row of the operand allows it, one by
// one at the edges. A's tile is transposed on the way, so that four of its rows can be read with one load.
#ifndef TW_METAL_VECTOR_TILES
#define TW_METAL_VECTOR_TILES

#include "elements.h"

/// A(i, j .. j+3), zero beyond the edge.
template <class T>
inline vec<T, 4> four_of_a(device const T* a, constant Parameters& p, uint i, uint j) {
    if ((p.vectors & 1) != 0 && i < p.m && j + 4 <= p.k)
        return *reinterpret_cast<device const vec<T, 4>*>(a + step_t(i) * p.a_row + j);
    vec<T, 4> four = vec<T, 4>(T(0.0f));
    four.x = padded_a(a, p, i, j);
    four.y = padded_a(a, p, i, j + 1);
    four.z = padded_a(a, p, i, j + 2);
    four.w = padded_a(a, p, i, j + 3);
    return four;
}

/// B(i, j .. j+3), zero beyond the edge.
template <class T>
inline vec<T, 4> four_of_b(device const T* b, constant Parameters& p, uint i, uint j) {
    if ((p.vectors & 2) != 0 && i < p.k && j + 4 <= p.n)
        return *reinterpret_cast<device const vec<T, 4>*>(b + step_t(i) * p.b_row + j);
    vec<T, 4> four = vec<T, 4>(T(0.0f));
    four.x = padded_b(b, p, i, j);
    four.y = padded_b(b, p, i, j + 1);
    four.z = padded_b(b, p, i, j + 2);
    four.w = padded_b(b, p, i, j + 3);
    return four;
}

/// tile_a is BK rows of STEP elements, column i of it being row i of A; tile_b is BK rows of STEP elements of B.
template <class T, uint BM, uint BN, uint BK, uint STEP, uint THREADS>
inline void fill_tiles(device const T* a, device const T* b, constant Parameters& p, threadgroup T* tile_a,
                       threadgroup T* tile_b, uint2 group, uint q, uint thread_index) {
    for (uint e = thread_index; e < BM * BK / 4; e += THREADS) {
        const uint i = e / (BK / 4), j = e % (BK / 4) * 4;
        const vec<T, 4> four = four_of_a(a, p, group.y * BM + i, q + j);
        tile_a[j * STEP + i] = four.x;
        tile_a[(j + 1) * STEP + i] = four.y;
        tile_a[(j + 2) * STEP + i] = four.z;
        tile_a[(j + 3) * STEP + i] = four.w;
    }
    for (uint e = thread_index; e < BK * BN / 4; e += THREADS) {
        const uint i = e / (BN / 4), j = e % (BN / 4) * 4;
        *reinterpret_cast<threadgroup vec<T, 4>*>(tile_b + i * STEP + j) = four_of_b(b, p, q + i, group.x * BN + j);
    }
}

/// Four neighbouring elements of a tile, as floats.
template <class T>
inline float4 four_of(threadgroup const T* tile) {
    return float4(*reinterpret_cast<threadgroup const vec<T, 4>*>(tile));
}

#endif
