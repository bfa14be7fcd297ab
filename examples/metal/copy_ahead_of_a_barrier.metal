// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// For metal-check, after seed 000: one SIMD-group has both tiles copied, all four multiply 8 x 8 matrices from them.
// The last barrier of a round holds back the threads, and with mem_none not their reads: the next copy may overwrite a
// tile that is still read. -D LAST=mem_threadgroup is the cure. docs/metal-seeds.md runs both.
//
// The grid is (32, n / 32, m / 32) threads in threadgroups of (32, 2, 2): y and z say which SIMD-group a thread is of,
// and x, its lane, is never read, so that all lanes of a SIMD-group act alike. Sides are multiples of 64, k of 16.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

#ifndef LAST
#define LAST mem_none
#endif

struct _simdgroup_event_t;
thread _simdgroup_event_t* __metal_simdgroup_async_copy_2d(ulong, ulong, threadgroup void*, ulong, ulong, ulong2,
                                                           const device void*, ulong, ulong, ulong2, long2,
                                                           int) __asm("air.simdgroup_async_copy_2d.p3i8.p1i8");
void __metal_wait_simdgroup_events(int, thread _simdgroup_event_t**) __asm("air.wait_simdgroup_events");

constant constexpr ushort S = 4, SIGMA = 2, DEEP = 16, BLOCK = 8 * S * SIGMA;

inline thread _simdgroup_event_t* copy(threadgroup float* to, ulong2 tile, device const float* from, ulong step) {
    return __metal_simdgroup_async_copy_2d(4, 4, to, tile.x, 1, tile, from, step, 1, tile, long2(0), 0);
}

kernel void multiply(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                     device float* c [[buffer(2)]], constant uint* sides [[buffer(3)]],
                     uint3 at [[thread_position_in_grid]], uint3 in [[thread_position_in_threadgroup]],
                     ushort simdgroup [[simdgroup_index_in_threadgroup]]) {
    threadgroup float tile_a[BLOCK * DEEP];
    threadgroup float tile_b[BLOCK * DEEP];
    const uint k = sides[1], n = sides[2];
    const uint left = at.y * 8 * S, top = at.z * 8 * S;                                // of this SIMD-group's part of C
    const uint block_left = (at.y - in.y) * 8 * S, block_top = (at.z - in.z) * 8 * S;  // of its threadgroup's
    simdgroup_float8x8 sums[S][S];
    for (ushort i = 0; i < S; ++i)
        for (ushort j = 0; j < S; ++j) sums[i][j] = simdgroup_float8x8(0);
    for (uint from = 0; from < k; from += DEEP) {
        if (simdgroup == 0) {
            thread _simdgroup_event_t* events[2];
            events[0] = copy(tile_a, ulong2(DEEP, BLOCK), a + block_top * k + from, k);
            events[1] = copy(tile_b, ulong2(BLOCK, DEEP), b + from * n + block_left, n);
            __metal_wait_simdgroup_events(2, events);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (ushort i = 0; i < S; ++i)
            for (ushort j = 0; j < S; ++j)
                for (ushort p = 0; p < DEEP; p += 8) {
                    simdgroup_float8x8 x, y;
                    simdgroup_load(x, tile_a, DEEP, ulong2(p, (in.z * S + i) * 8));
                    simdgroup_load(y, tile_b, BLOCK, ulong2((in.y * S + j) * 8, p));
                    simdgroup_multiply_accumulate(sums[i][j], x, y, sums[i][j]);
                }
        threadgroup_barrier(mem_flags::LAST);
    }
    for (ushort i = 0; i < S; ++i)
        for (ushort j = 0; j < S; ++j) simdgroup_store(sums[i][j], c, n, ulong2(left + j * 8, top + i * 8));
}
