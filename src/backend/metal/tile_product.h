// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The arithmetic of both kernels of rung 9: SIGMA x SIGMA SIMD-groups, each with S x S matrices of 8x8, multiply two
// tiles in threadgroup memory, 8 TILE_K deep. A tile of a transposed operand is stored transposed.
#ifndef TW_METAL_TILE_PRODUCT
#define TW_METAL_TILE_PRODUCT

#include "matrices_out.h"

template <class T, uint S, uint SIGMA, uint TILE_K>
struct TileProduct {
    simdgroup_float8x8 sum[S][S];

    void clear() thread {
#pragma clang loop unroll(full)
        for (uint i = 0; i < S; ++i)
#pragma clang loop unroll(full)
            for (uint j = 0; j < S; ++j) sum[i][j] = simdgroup_float8x8(0);
    }

    void add(threadgroup const T* tile_a, threadgroup const T* tile_b, bool a_transposed, bool b_transposed, uint row,
             uint col) thread {
        const ulong block = 8 * S * SIGMA, depth = 8 * TILE_K;
#pragma clang loop unroll(full)
        for (uint r = 0; r < 8 * TILE_K; r += 8) {
            simdgroup_matrix<T, 8, 8> a[S], b[S];
#pragma clang loop unroll(full)
            for (uint i = 0; i < S; ++i)
                simdgroup_load(a[i], tile_a, a_transposed ? block : depth,
                               a_transposed ? ulong2(row + 8 * i, r) : ulong2(r, row + 8 * i), a_transposed);
#pragma clang loop unroll(full)
            for (uint j = 0; j < S; ++j)
                simdgroup_load(b[j], tile_b, b_transposed ? depth : block,
                               b_transposed ? ulong2(r, col + 8 * j) : ulong2(col + 8 * j, r), b_transposed);
#pragma clang loop unroll(full)
            for (uint i = 0; i < S; ++i)
#pragma clang loop unroll(full)
                for (uint j = 0; j < S; ++j) simdgroup_multiply_accumulate(sum[i][j], a[i], b[j], sum[i][j]);
        }
    }

    void put_all(device T* c, constant Parameters& p, uint i, uint j, threadgroup float* scratch, uint lane) thread {
#pragma clang loop unroll(full)
        for (uint y = 0; y < S; ++y)
#pragma clang loop unroll(full)
            for (uint x = 0; x < S; ++x) put_matrix(c, p, i + 8 * y, j + 8 * x, sum[y][x], scratch, lane);
    }
};

#endif
