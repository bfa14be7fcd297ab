// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r4_register_tile: each thread keeps TM results of one column in registers, so that an element of B that it takes from
// threadgroup memory serves TM multiplications.
//
//         BK            BN
//      +------+      +--|--+       +--|--+
//   BM |======|   BK |  |  |  = BM |  #  |     32 x 8 threads, TM = 4 rows each: a block of 32 x 32
//      +------+      +--|--+       +--#--+
//
// Needs: any Metal GPU. Counts, M N rounded up to 32, K to 16, s bytes an element:
// device loads (mk N/32 + kn M/32) s, stores mn s; threadgroup stores MNK/16 s, loads 5/4 MNK s;
// flops 2 MNK + mn; K/8 barriers in each of MN/1024 threadgroups.
#include "elements.h"

constant constexpr uint BM = 32, BN = 32, BK = 16, TM = 4, THREADS = 256;

template <class T>
inline void register_tile(device const T* a, device const T* b, device T* c, constant Parameters& p,
                          threadgroup T* tile_a, threadgroup T* tile_b, uint2 group, uint2 in) {
    const uint thread_index = in.y * BN + in.x;
    float sum[TM] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint q = 0; q < p.k; q += BK) {
        for (uint e = thread_index; e < BM * BK; e += THREADS)
            tile_a[e] = padded_a(a, p, group.y * BM + e / BK, q + e % BK);
        for (uint e = thread_index; e < BK * BN; e += THREADS)
            tile_b[e] = padded_b(b, p, q + e / BN, group.x * BN + e % BN);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint r = 0; r < BK; ++r) {
            const float bv = float(tile_b[r * BN + in.x]);
#pragma clang loop unroll(full)
            for (uint t = 0; t < TM; ++t) sum[t] += float(tile_a[(in.y * TM + t) * BK + r]) * bv;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
#pragma clang loop unroll(full)
    for (uint t = 0; t < TM; ++t) put(c, p, group.y * BM + in.y * TM + t, group.x * BN + in.x, sum[t]);
}

#define TW_KERNEL(name, T)                                                                                        \
    kernel void name(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device T* c [[buffer(2)]], \
                     constant Parameters& p [[buffer(3)]], uint2 group [[threadgroup_position_in_grid]],          \
                     uint2 in [[thread_position_in_threadgroup]]) {                                               \
        threadgroup T tile_a[BM * BK];                                                                            \
        threadgroup T tile_b[BK * BN];                                                                            \
        register_tile<T>(a, b, c, p, tile_a, tile_b, group, in);                                                  \
    }
TW_KERNEL(r4_register_tile_f32, float)
TW_KERNEL(r4_register_tile_f16, half)
