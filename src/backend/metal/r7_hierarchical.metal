// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical: two levels of tiles below the block. Each 32 neighbouring threads own a 32 x 32 part of it, each
// thread 4 x 8 results of that part in two pieces, so that what the 32 read together is short and shared. Rows of the
// tiles are padded by four elements: the transposing stores of A then fall into different banks.
//
//        BN = 64
//      +----+----+       +-+-+-+-+-+-+-+-+
//      | 32 | 32 |       | thread (y, x) |     8 x 4 threads, rows 4y .. 4y+3,
//   64 +----+----+    32 |  4 x 4   4 x 4|     columns 4x .. 4x+3 and 16 + the same
//      | 32 | 32 |       |               |
//      +----+----+       +---------------+
//
// Needs: any Metal GPU. Counts, M N rounded up to 64, K to 16, s bytes an element:
// device loads (mk N/64 + kn M/64) s, stores mn s; threadgroup stores MNK/32 s, loads 3/8 MNK s;
// flops 2 MNK + mn; K/8 barriers in each of MN/4096 threadgroups.
#include "vector_tiles.h"

constant constexpr uint BM = 64, BN = 64, BK = 16, STEP = 68, THREADS = 128;

template <class T>
inline void hierarchical(device const T* a, device const T* b, device T* c, constant Parameters& p,
                         threadgroup T* tile_a, threadgroup T* tile_b, uint2 group, uint thread_index) {
    const uint part = thread_index / 32, within = thread_index % 32;
    const uint row = part / 2 * 32 + within / 4 * 4, col = part % 2 * 32 + within % 4 * 4;
    float4 near[4] = {float4(0.0f), float4(0.0f), float4(0.0f), float4(0.0f)};
    float4 far[4] = {float4(0.0f), float4(0.0f), float4(0.0f), float4(0.0f)};
    for (uint q = 0; q < p.k; q += BK) {
        fill_tiles<T, BM, BN, BK, STEP, THREADS>(a, b, p, tile_a, tile_b, group, q, thread_index);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint r = 0; r < BK; ++r) {
            const float4 av = four_of(tile_a + r * STEP + row);
            const float4 bn = four_of(tile_b + r * STEP + col), bf = four_of(tile_b + r * STEP + col + 16);
            near[0] += av.x * bn;
            near[1] += av.y * bn;
            near[2] += av.z * bn;
            near[3] += av.w * bn;
            far[0] += av.x * bf;
            far[1] += av.y * bf;
            far[2] += av.z * bf;
            far[3] += av.w * bf;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
#pragma clang loop unroll(full)
    for (uint t = 0; t < 4; ++t)
#pragma clang loop unroll(full)
        for (uint u = 0; u < 4; ++u) {
            put(c, p, group.y * BM + row + t, group.x * BN + col + u, near[t][u]);
            put(c, p, group.y * BM + row + t, group.x * BN + col + 16 + u, far[t][u]);
        }
}

#define TW_KERNEL(name, T)                                                                                        \
    kernel void name(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device T* c [[buffer(2)]], \
                     constant Parameters& p [[buffer(3)]], uint2 group [[threadgroup_position_in_grid]],          \
                     uint thread_index [[thread_index_in_threadgroup]]) {                                         \
        threadgroup vec<T, 4> tile_a[BK * STEP / 4];                                                              \
        threadgroup vec<T, 4> tile_b[BK * STEP / 4];                                                              \
        hierarchical<T>(a, b, c, p, reinterpret_cast<threadgroup T*>(tile_a),                                     \
                        reinterpret_cast<threadgroup T*>(tile_b), group, thread_index);                           \
    }
TW_KERNEL(r7_hierarchical_f32, float)
TW_KERNEL(r7_hierarchical_f16, half)
