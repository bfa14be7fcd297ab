// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9_plain_loads: the twin of r9_async_pipeline for compilers that refuse the copy instruction, and for GPUs where it
// doesn't pay: the same tiles, brought by all threads together.
//
//       8 TILE_K          B                B = 8 S SIGMA
//      +--------+      +------+       +------+
//    B | tile_a |  x   |tile_b|   =   |      |  SIGMA x SIGMA SIMD-groups,
//      |        |      +------+       |      |  S x S matrices of 8x8 each
//      +--------+                     +------+
//
// Needs: Apple7. Counts, M N rounded up to B, K to 8 TILE_K, s bytes an element:
// device loads (mk N/B + kn M/B) s, stores mn s; threadgroup stores 2 MNK/B s + 4 MN, loads MNK/(4 S) s + 4 mn;
// flops 2 MNK + mn; K/(4 TILE_K) barriers in each of MN/B^2 threadgroups.
#include "tile_product.h"

template <class T, uint S, uint SIGMA, uint TILE_K>
inline void plain_loads(device const T* a, device const T* b, device T* c, constant Parameters& p,
                        threadgroup T* tile_a, threadgroup T* tile_b, threadgroup float* scratches, uint2 group,
                        uint simdgroup_index, uint lane) {
    const uint block = 8 * S * SIGMA, depth = 8 * TILE_K, threads = 32 * SIGMA * SIGMA;
    const uint top = group.y * block, left = group.x * block, thread_index = simdgroup_index * 32 + lane;
    const bool at = p.a_col != 1, bt = p.b_col != 1;
    const uint row = simdgroup_index / SIGMA * 8 * S, col = simdgroup_index % SIGMA * 8 * S;
    TileProduct<T, S, SIGMA, TILE_K> product;
    product.clear();
    for (uint q = 0; q < p.k; q += depth) {
        for (uint e = thread_index; e < block * depth; e += threads)
            tile_a[e] =
                at ? padded_a(a, p, top + e % block, q + e / block) : padded_a(a, p, top + e / depth, q + e % depth);
        for (uint e = thread_index; e < block * depth; e += threads)
            tile_b[e] =
                bt ? padded_b(b, p, q + e % depth, left + e / depth) : padded_b(b, p, q + e / block, left + e % block);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        product.add(tile_a, tile_b, at, bt, row, col);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    product.put_all(c, p, top + row, left + col, scratches + simdgroup_index * 64, lane);
}

#define TW_KERNEL(name, T, S, SIGMA, TILE_K)                                                                      \
    kernel void name(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device T* c [[buffer(2)]], \
                     constant Parameters& p [[buffer(3)]], uint2 group [[threadgroup_position_in_grid]],          \
                     uint simdgroup_index [[simdgroup_index_in_threadgroup]],                                     \
                     uint lane [[thread_index_in_simdgroup]]) {                                                   \
        threadgroup T tile_a[64 * S * SIGMA * TILE_K];                                                            \
        threadgroup T tile_b[64 * S * SIGMA * TILE_K];                                                            \
        threadgroup float scratches[SIGMA * SIGMA * 64];                                                          \
        plain_loads<T, S, SIGMA, TILE_K>(a, b, c, p, tile_a, tile_b, scratches, group, simdgroup_index, lane);    \
    }
#ifndef TW_BFLOAT
TW_KERNEL(r9_plain_loads_4_2_2_f32, float, 4, 2, 2)
TW_KERNEL(r9_plain_loads_2_2_2_f32, float, 2, 2, 2)
TW_KERNEL(r9_plain_loads_4_2_4_f32, float, 4, 2, 4)
TW_KERNEL(r9_plain_loads_4_2_2_f16, half, 4, 2, 2)
TW_KERNEL(r9_plain_loads_2_2_4_f16, half, 2, 2, 4)
#else
TW_KERNEL(r9_plain_loads_4_2_2_bf16, bfloat, 4, 2, 2)
#endif
#undef TW_KERNEL
