// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r6_vectorized: four elements a load, from device memory and from threadgroup memory. A's tile lies transposed, so
// that the four rows that a thread needs are neighbours.
//
//         BM            BN
//      +--||-+       +--||-+       +--||-+
//   BK |  || |    BK |  || |  = BM |--##-|     16 x 16 threads, 4 x 4 results each: a block of 64 x 64;
//      +--||-+       +--||-+       +--||-+     || is one load of four
//
// Needs: any Metal GPU. Counts, M N rounded up to 64, K to 16, s bytes an element:
// device loads (mk N/64 + kn M/64) s, stores mn s; threadgroup stores MNK/32 s, loads MNK/2 s;
// flops 2 MNK + mn; K/8 barriers in each of MN/4096 threadgroups.
#include "vector_tiles.h"

constant constexpr uint BM = 64, BN = 64, BK = 16, TM = 4, TN = 4, THREADS = 256;

template <class T>
inline void vectorized(device const T* a, device const T* b, device T* c, constant Parameters& p, threadgroup T* tile_a,
                       threadgroup T* tile_b, uint2 group, uint2 in) {
    float4 sum[TM] = {float4(0.0f), float4(0.0f), float4(0.0f), float4(0.0f)};
    for (uint q = 0; q < p.k; q += BK) {
        fill_tiles<T, BM, BN, BK, BM, THREADS>(a, b, p, tile_a, tile_b, group, q, in.y * (BN / TN) + in.x);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint r = 0; r < BK; ++r) {
            const float4 av = four_of(tile_a + r * BM + in.y * TM), bv = four_of(tile_b + r * BN + in.x * TN);
            sum[0] += av.x * bv;
            sum[1] += av.y * bv;
            sum[2] += av.z * bv;
            sum[3] += av.w * bv;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
#pragma clang loop unroll(full)
    for (uint t = 0; t < TM; ++t) {
        const uint i = group.y * BM + in.y * TM + t, j = group.x * BN + in.x * TN;
        put(c, p, i, j, sum[t].x);
        put(c, p, i, j + 1, sum[t].y);
        put(c, p, i, j + 2, sum[t].z);
        put(c, p, i, j + 3, sum[t].w);
    }
}

#define TW_KERNEL(name, T)                                                                                            \
    kernel void name(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device T* c [[buffer(2)]],     \
                     constant Parameters& p [[buffer(3)]], uint2 group [[threadgroup_position_in_grid]],              \
                     uint2 in [[thread_position_in_threadgroup]]) {                                                   \
        threadgroup vec<T, 4> tile_a[BK * BM / 4];                                                                    \
        threadgroup vec<T, 4> tile_b[BK * BN / 4];                                                                    \
        vectorized<T>(a, b, c, p, reinterpret_cast<threadgroup T*>(tile_a), reinterpret_cast<threadgroup T*>(tile_b), \
                      group, in);                                                                                     \
    }
TW_KERNEL(r6_vectorized_f32, float)
TW_KERNEL(r6_vectorized_f16, half)
