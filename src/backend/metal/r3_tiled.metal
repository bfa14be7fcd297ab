// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r3_tiled: a threadgroup loads a square tile of A and one of B, once for all its threads, and multiplies from there.
// Beyond the edges tiles are zero, so that every thread goes through every barrier whatever m, n and k are.
//
//        k               n
//      +--+--+--+      +--+--+       +--+--+
//    m |  |##|  |  x k |  |##|  =  m |  |##|     TILE x TILE threads, one result each;
//      +--+--+--+      +--+--+       +--+--+     the tiles walk along k
//
// Needs: any Metal GPU. Counts, M N K rounded up to TILE, s bytes an element:
// device loads (mk N/TILE + kn M/TILE) s, stores mn s; threadgroup stores 2 MNK/TILE s, loads 2 MNK s;
// flops 2 MNK + mn, of c64 8 MNK + 6 mn; 2 K/TILE barriers in each of MN/TILE^2 threadgroups.
#include "complex_elements.h"

template <class T, uint TILE>
inline void tiled(device const T* a, device const T* b, device T* c, constant Parameters& p, threadgroup T* tile_a,
                  threadgroup T* tile_b, uint2 group, uint2 in) {
    const uint i = group.y * TILE + in.y, j = group.x * TILE + in.x;
    float sum = 0.0f;
    for (uint q = 0; q < p.k; q += TILE) {
        tile_a[in.y * TILE + in.x] = padded_a(a, p, i, q + in.x);
        tile_b[in.y * TILE + in.x] = padded_b(b, p, q + in.y, j);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint r = 0; r < TILE; ++r) sum += float(tile_a[in.y * TILE + r]) * float(tile_b[r * TILE + in.x]);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    put(c, p, i, j, sum);
}

#define TW_KERNEL(name, T, TILE)                                                                                  \
    kernel void name(device const T* a [[buffer(0)]], device const T* b [[buffer(1)]], device T* c [[buffer(2)]], \
                     constant Parameters& p [[buffer(3)]], uint2 group [[threadgroup_position_in_grid]],          \
                     uint2 in [[thread_position_in_threadgroup]]) {                                               \
        threadgroup T tile_a[TILE * TILE];                                                                        \
        threadgroup T tile_b[TILE * TILE];                                                                        \
        tiled<T, TILE>(a, b, c, p, tile_a, tile_b, group, in);                                                    \
    }

template <uint TILE>
inline void tiled_complex(device const float* a, device const float* b, device float* c, constant Parameters& p,
                          threadgroup float2* tile_a, threadgroup float2* tile_b, uint2 group, uint2 in) {
    const uint i = group.y * TILE + in.y, j = group.x * TILE + in.x, own = in.y * TILE + in.x;
    const float2 zero = float2(0.0f, 0.0f);
    float2 sum = zero;
    for (uint q = 0; q < p.k; q += TILE) {
        tile_a[own] = i < p.m && q + in.x < p.k ? complex_of_a(a, p, i, q + in.x) : zero;
        tile_b[own] = q + in.y < p.k && j < p.n ? complex_of_b(b, p, q + in.y, j) : zero;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint r = 0; r < TILE; ++r) sum = plus_product(sum, tile_a[in.y * TILE + r], tile_b[r * TILE + in.x]);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    put_complex(c, p, i, j, sum);
}

#define TW_COMPLEX(name, TILE)                                                                                    \
    kernel void name(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],                    \
                     device float* c [[buffer(2)]], constant Parameters& p [[buffer(3)]],                         \
                     uint2 group [[threadgroup_position_in_grid]], uint2 in [[thread_position_in_threadgroup]]) { \
        threadgroup float2 tile_a[TILE * TILE];                                                                   \
        threadgroup float2 tile_b[TILE * TILE];                                                                   \
        tiled_complex<TILE>(a, b, c, p, tile_a, tile_b, group, in);                                               \
    }
#ifndef TW_BFLOAT
TW_COMPLEX(r3_tiled_16_c64, 16)
TW_COMPLEX(r3_tiled_32_c64, 32)
TW_KERNEL(r3_tiled_16_f32, float, 16)
TW_KERNEL(r3_tiled_32_f32, float, 32)
TW_KERNEL(r3_tiled_16_f16, half, 16)
TW_KERNEL(r3_tiled_32_f16, half, 32)
#else
TW_KERNEL(r3_tiled_16_bf16, bfloat, 16)
#endif
#undef TW_COMPLEX
#undef TW_KERNEL
