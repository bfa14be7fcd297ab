// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9_async_pipeline: one SIMD-group has the copy unit bring both tiles, the others wait at the barrier, and the GPU
// fills the wait with other threadgroups. simdgroup_async_copy is not in Apple's documents, and compilers since macOS
// 26 refuse it: r9_plain_loads is the same without it. What lies beyond an edge arrives as zero. The result of every
// copy is read, and a threadgroup barrier follows: a copy that nobody reads can hang an M1.
//
//       8 TILE_K          B                B = 8 S SIGMA
//      +--------+      +------+       +------+
//    B | tile_a |  x   |tile_b|   =   |      |  SIGMA x SIGMA SIMD-groups,
//      |        |      +------+       |      |  S x S matrices of 8x8 each
//      +--------+                     +------+
//
// Needs: Apple7, a compiler that takes the instruction. Counts, M N rounded up to B, K to 8 TILE_K, s bytes an element:
// device loads (mk N/B + kn M/B) s, stores mn s; threadgroup stores 2 MNK/B s + 4 MN, loads MNK/(4 S) s + 4 mn;
// flops 2 MNK + mn; K/(4 TILE_K) barriers, and as many async copies, in each of MN/B^2 threadgroups.
#include "tile_product.h"

struct _simdgroup_event_t;
thread _simdgroup_event_t* __metal_simdgroup_async_copy_2d(ulong, ulong, threadgroup void*, ulong, ulong, ulong2,
                                                           const device void*, ulong, ulong, ulong2, long2,
                                                           int) __asm("air.simdgroup_async_copy_2d.p3i8.p1i8");
void __metal_wait_simdgroup_events(int, thread _simdgroup_event_t**) __asm("air.wait_simdgroup_events");

/// A tile of `cols` x `rows` from a matrix whose rows are `step` apart; only `from.x` x `from.y` of it are there.
template <class T>
inline thread _simdgroup_event_t* copy_tile(threadgroup T* to, uint cols, uint rows, device const T* corner,
                                            step_t step, uint2 from) {
    return __metal_simdgroup_async_copy_2d(sizeof(T), alignof(T), reinterpret_cast<threadgroup void*>(to), ulong(cols),
                                           1, ulong2(cols, rows), reinterpret_cast<const device void*>(corner),
                                           ulong(step), 1, ulong2(from.x, from.y), long2(0), 0);
}

template <class T, uint S, uint SIGMA, uint TILE_K>
inline void async_pipeline(device const T* a, device const T* b, device T* c, constant Parameters& p,
                           threadgroup T* tile_a, threadgroup T* tile_b, threadgroup float* scratches, uint2 group,
                           uint simdgroup_index, uint lane) {
    const uint block = 8 * S * SIGMA, depth = 8 * TILE_K;
    const uint top = group.y * block, left = group.x * block;
    const uint rows = min(block, p.m - top), cols = min(block, p.n - left);
    const bool at = p.a_col != 1, bt = p.b_col != 1;
    const uint row = simdgroup_index / SIGMA * 8 * S, col = simdgroup_index % SIGMA * 8 * S;
    TileProduct<T, S, SIGMA, TILE_K> product;
    product.clear();
    for (uint q = 0; q < p.k; q += depth) {
        if (simdgroup_index == 0) {
            const uint deep = min(depth, p.k - q);
            device const T* a_corner = a + step_t(top) * p.a_row + step_t(q) * p.a_col;
            device const T* b_corner = b + step_t(q) * p.b_row + step_t(left) * p.b_col;
            thread _simdgroup_event_t* events[2];
            events[0] = at ? copy_tile(tile_a, block, depth, a_corner, p.a_col, uint2(rows, deep))
                           : copy_tile(tile_a, depth, block, a_corner, p.a_row, uint2(deep, rows));
            events[1] = bt ? copy_tile(tile_b, depth, block, b_corner, p.b_col, uint2(deep, cols))
                           : copy_tile(tile_b, block, depth, b_corner, p.b_row, uint2(cols, deep));
            __metal_wait_simdgroup_events(2, events);
        }
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
        async_pipeline<T, S, SIGMA, TILE_K>(a, b, c, p, tile_a, tile_b, scratches, group, simdgroup_index, lane); \
    }
TW_KERNEL(r9_async_pipeline_4_2_2_f32, float, 4, 2, 2)
TW_KERNEL(r9_async_pipeline_2_2_2_f32, float, 2, 2, 2)
TW_KERNEL(r9_async_pipeline_4_2_4_f32, float, 4, 2, 4)
TW_KERNEL(r9_async_pipeline_4_2_2_f16, half, 4, 2, 2)
TW_KERNEL(r9_async_pipeline_2_2_4_f16, half, 2, 2, 4)
