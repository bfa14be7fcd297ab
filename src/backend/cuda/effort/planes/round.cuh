// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rounds v d of a chunk to integers: powers of 2, from the chunk's largest v and each block's largest d (in the layout
// already), bring it to -127..127; a second byte holds the fraction in 128ths. v itself is rounded to 11 bits.
#pragma once

#include <cuda_fp16.h>

#include "backend/cuda/effort/planes/planes.cuh"
#include "backend/cuda/ptx/integer.cuh"

namespace tw::cuda::effort::plane_kernels {

__device__ inline __half2& half2_of(unsigned& bits) { return reinterpret_cast<__half2&>(bits); }

/// Transposes four words as 4 x 4 bytes.
__device__ inline void turn_bytes(const unsigned (&from)[4], unsigned (&to)[4]) {
    const unsigned low = __byte_perm(from[0], from[1], 0x5140), low_behind = __byte_perm(from[2], from[3], 0x5140);
    const unsigned high = __byte_perm(from[0], from[1], 0x7362), high_behind = __byte_perm(from[2], from[3], 0x7362);
    to[0] = __byte_perm(low, low_behind, 0x5410), to[1] = __byte_perm(low, low_behind, 0x7632);
    to[2] = __byte_perm(high, high_behind, 0x5410), to[3] = __byte_perm(high, high_behind, 0x7632);
}

/// What a lane keeps; the bytes are written to WarpMemory::x, over the scales.
struct Rounded {
    float step;     ///< of v
    int offset[2];  ///< for the lane's block of each quarter: twice the codes' offset times v d, in 128ths

    /// `levels`: of the chunk's inputs; `to`: for their bytes, and may be the same.
    __device__ Rounded(const uint4* levels, uint4* to, const Lane& my, const LaneInputs& mine) {
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
        unsigned bytes[4][own], counted_from = 0;  // words as in WarpMemory::x
        // Lanes start with different inputs, so that they use different banks.
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
            uint4 d = levels[input];
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
            to[input] = {bytes[0][i], bytes[1][i], bytes[2][i], bytes[3][i]};
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

}  // namespace tw::cuda::effort::plane_kernels
