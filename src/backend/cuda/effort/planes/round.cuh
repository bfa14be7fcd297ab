// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// v d of a chunk as whole numbers: brought to -127..127 by powers of 2, of the chunk's largest v and (as the tile was
// laid out) of its largest d of each block, and a fraction in 128ths of that. v itself is rounded to 11 bits.
#pragma once

#include <cuda_fp16.h>

#include "backend/cuda/effort/planes/planes.cuh"
#include "backend/cuda/ptx/integer.cuh"

namespace tw::cuda::effort::of_planes {

__device__ inline __half2& half2_of(unsigned& bits) { return reinterpret_cast<__half2&>(bits); }

/// Byte n of each of four words, as one word.
__device__ inline void turn_bytes(const unsigned (&from)[4], unsigned (&to)[4]) {
    const unsigned low = __byte_perm(from[0], from[1], 0x5140), low_behind = __byte_perm(from[2], from[3], 0x5140);
    const unsigned high = __byte_perm(from[0], from[1], 0x7362), high_behind = __byte_perm(from[2], from[3], 0x7362);
    to[0] = __byte_perm(low, low_behind, 0x5410), to[1] = __byte_perm(low, low_behind, 0x7632);
    to[2] = __byte_perm(high, high_behind, 0x5410), to[3] = __byte_perm(high, high_behind, 0x7632);
}

/// What a lane keeps of it; the bytes lie in Room::x, where the scales were.
struct Rounded {
    float step;     ///< what v is counted in
    int offset[2];  ///< of the lane's block of each quarter: twice what the codes are counted from, times v d in 128ths

    __device__ Rounded(Room& room, const Lane& my, const Own& mine) {
        unsigned most = 0;
#pragma unroll
        for (int i = 0; i < own; ++i) most = max(most, __float_as_uint(mine.v[i]) & 0x7fffffffu);
        most = min(__reduce_max_sync(~0u, most), 0x7f000000u);
        constexpr unsigned least = 27u << 23;  // 2^-100
        constexpr float widest = 127.f / 64;
        const unsigned exponent = most >> 23;
        const float factor = most >= least ? __uint_as_float((259 - exponent) << 23) * widest : 0.f;
        step = most >= least ? __uint_as_float((exponent - 5) << 23) * (1 / widest) : 0.f;
        const __half2 shift = __float2half2_rn(1536.f), fraction = __float2half2_rn(128.f);
        unsigned bytes[4][own], counted_from = 0;  // words as in Room::x
        // Lanes begin with another one of their inputs each, and so in other banks.
        const int turn = my.lane / 2 % own;
        const auto turned = [&](const auto(&of)[own], int i) {
            const auto even = turn & 1 ? of[(i + 1) % own] : of[i],
                       odd = turn & 1 ? of[(i + 3) % own] : of[(i + 2) % own];
            return turn & 2 ? odd : even;
        };
#pragma unroll
        for (int i = 0; i < own; ++i) {
            const int input = own * my.lane + (i + turn) % own;
            const unsigned k = turned(mine.k, i);
            uint4 d = room.x[input];
            const __half2 v = __float2half2_rn(turned(mine.v, i) * factor);
            unsigned high[4], low[4];
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                const __half2 of_blocks = half2_of(n == 0 ? d.x : n == 1 ? d.y : n == 2 ? d.z : d.w);
                const __half2 moved = __hfma2(v, of_blocks, shift);
                const __half2 rest = __hfma2(v, of_blocks, __hsub2(shift, moved));
                half2_of(high[n]) = moved, half2_of(low[n]) = __hfma2(rest, fraction, shift);
            }
#pragma unroll
            for (int q = 0; q < 2; ++q) {
                bytes[q][i] = __byte_perm(high[2 * q], high[2 * q + 1], 0x6420);
                bytes[2 + q][i] = __byte_perm(low[2 * q], low[2 * q + 1], 0x6420);
            }
            room.x[input] = {bytes[0][i], bytes[1][i], bytes[2][i], bytes[3][i]};
            counted_from |= (k > 2 ? 255u : k > 1 ? 240u : 192u) << 8 * i;
        }
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            unsigned high[4], low[4];
            turn_bytes(bytes[q], high), turn_bytes(bytes[2 + q], low);
            int of[4];
#pragma unroll
            for (int j = 0; j < 4; ++j)
                of[j] =
                    __reduce_add_sync(~0u, ptx::dot(counted_from, low[j], ptx::dot(counted_from, high[j], 0) * 128));
            offset[q] = my.four < 2 ? (my.four == 0 ? of[0] : of[1]) : my.four == 2 ? of[2] : of[3];
        }
    }
};

}  // namespace tw::cuda::effort::of_planes
