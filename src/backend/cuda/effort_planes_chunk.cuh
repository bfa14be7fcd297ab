// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A chunk of 128 inputs by a tile of 256 outputs, as one warp multiplies it, in whole numbers on the matrix unit.
//
//   a row's word g as 16 x 4 codes:  row g: outputs k = p of 4 blocks,  row g + 8: k = p + 2;   column: high or low of v d of one block
//
// A word has four blocks' bytes, so v d of a block stands in its own byte alone: nothing is unpacked but by a mask. The first of a
// word's codes is not even masked: what the other adds to it is taken off at the end. Planes A and B of an input are multiplied as
// four bits a code; where there is no plane B its bits are zero, and what codes are counted from knows it.
#pragma once

#include "backend/cuda/effort_planes_round.cuh"

namespace tw::cuda::effort::of_planes {

__device__ inline void multiply(int (&d)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/// The high two of each four bits of one, the low two of the other.
__device__ inline unsigned pairs_of(unsigned high, unsigned low) {
    unsigned both;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(both) : "r"(0xccccccccu), "r"(high), "r"(low));
    return both;
}

/// The sums of one warp: of outputs k = p (registers 0, 1) and k = p + 2 (2, 3) of each quarter.
struct Sums {
    int of[2][2][4] = {};

    __device__ void add_four_bits(int q, int p, unsigned x0, unsigned x1, unsigned b0, unsigned b1) {
        multiply(of[q][p], x0, x0 & 0xf0f0f0f0u, x1, x1 & 0xf0f0f0f0u, b0, b1);
    }
};

/// What one warp makes of its chunk. A group is eight inputs; a lane has words of two of them.
struct Chunk {
    static constexpr int groups = chunk / 8;

    Room& room;
    Lane my;
    unsigned mask;                         ///< the bytes of the lane's block
    const uint2* x;                        ///< high or low, the lane's column
    const std::byte *b, *c;                ///< the lane's words of the planes' rows
    unsigned has_b = 0;                    ///< bit n: input 4 n + four has plane B
    int count_c = 0;                       ///< inputs that have plane C

    __device__ Chunk(Room& of_warp, const Rows& of_tile)
        : room(of_warp), mask(0xffu << 8 * (my.row / 2)), x(reinterpret_cast<const uint2*>(of_warp.x) + my.row % 2),
          b(of_tile.b + 64 * my.four + 8 * my.row), c(of_tile.c + 16 * my.row) {
        asm("" : "+r"(mask), "+l"(b), "+l"(c));  // kept, not made again for each row
    }

    __device__ void find_b(const Own& mine) {
#pragma unroll
        for (int i = 0; i < own; ++i) {
            const unsigned with_b = __ballot_sync(~0u, mine.k[i] > 1);
            if (my.four == i) has_b = with_b;
        }
    }

    /// Which inputs have plane C; behind them the one that is zero is listed.
    __device__ void list_c(const Own& mine) {
        const unsigned earlier = (1u << my.lane) - 1;
        const auto put = [&](int place, int input) { room.list[place % 4][place / 4] = static_cast<std::uint8_t>(input); };
#pragma unroll
        for (int i = 0; i < own; ++i) {
            const unsigned with_c = __ballot_sync(~0u, mine.k[i] > 2);
            if (mine.k[i] > 2) put(count_c + __popc(with_c & earlier), own * my.lane + i);
            count_c += __popc(with_c);
        }
        if (my.lane < 8) put(count_c + my.lane, chunk);
        __syncwarp();
    }

    /// Of group `first` + s.
    __device__ void ask_b(int first, int s, uint2 (&words)[2]) const {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            words[half] = {0, 0};
            if (has_b >> 2 * first >> (2 * s + half) & 1) words[half] = __ldg(reinterpret_cast<const uint2*>(b + 512 * first + 512 * s + 256 * half));
        }
    }

    /// The lane's inputs of four groups from `first` on, a byte each.
    __device__ uint2 listed(int first) const {
        const unsigned* words = reinterpret_cast<const unsigned*>(&room.list[my.four][2 * first]);
        return {words[0], words[1]};
    }
    /// One of group s of those four.
    __device__ static unsigned input_of(const uint2& four, int s, int half) { return __byte_perm(s < 2 ? four.x : four.y, 0, 0x4440 + (2 * s + half) % 4); }

    __device__ void ask_c(const uint2& four, int s, uint4 (&words)[2]) const {
#pragma unroll
        for (int half = 0; half < 2; ++half)
            words[half] = __ldg(reinterpret_cast<const uint4*>(c + input_of(four, s, half) % chunk * 128));
    }

    /// Four bits of each output: of plane A, and of B where there is one.
    __device__ void add_ab(int first, int s, const uint2 (&of_b)[2], Sums& sums) const {
        const uint2* a = reinterpret_cast<const uint2*>(room.a) + 8 * my.four + (my.row ^ (my.four & 2) * 2) + 64 * first;
        const uint2* of_x = x + 2 * (8 * first + my.four);
        const uint2 a0 = a[64 * s], a1 = a[64 * s + 32], x0 = of_x[16 * s], x1 = of_x[16 * s + 8];
        const auto even = [](unsigned of_a, unsigned of_b) { return pairs_of(of_a << 2, of_b); };
        const auto odd = [](unsigned of_a, unsigned of_b) { return pairs_of(of_a, of_b >> 2); };
        sums.add_four_bits(0, 0, even(a0.x, of_b[0].x), even(a1.x, of_b[1].x), x0.x & mask, x1.x & mask);
        sums.add_four_bits(0, 1, odd(a0.x, of_b[0].x), odd(a1.x, of_b[1].x), x0.x & mask, x1.x & mask);
        sums.add_four_bits(1, 0, even(a0.y, of_b[0].y), even(a1.y, of_b[1].y), x0.y & mask, x1.y & mask);
        sums.add_four_bits(1, 1, odd(a0.y, of_b[0].y), odd(a1.y, of_b[1].y), x0.y & mask, x1.y & mask);
    }
    __device__ void add_c(const uint2& four, int s, const uint4 (&w)[2], Sums& sums) const {
        const uint2 x0 = x[2 * input_of(four, s, 0)], x1 = x[2 * input_of(four, s, 1)];
        const unsigned v[4] = {x0.x & mask, x1.x & mask, x0.y & mask, x1.y & mask};
        sums.add_four_bits(0, 0, w[0].x, w[1].x, v[0], v[1]);
        sums.add_four_bits(1, 0, w[0].y, w[1].y, v[2], v[3]);
        sums.add_four_bits(0, 1, w[0].z, w[1].z, v[0], v[1]);
        sums.add_four_bits(1, 1, w[0].w, w[1].w, v[2], v[3]);
    }

    /// Adds to total[q] the sums of outputs 128 q + 32 four + 4 row and the three behind it. `wait`: for scales and plane A.
    /// `b_ahead`, `c_ahead`: groups whose planes B and C are asked for before they are needed.
    template <int b_ahead, int c_ahead, class Wait>
    __device__ void multiply_all(const Own& mine, float4 (&total)[2], const Wait& wait) {
        find_b(mine);
        uint2 of_b[b_ahead][2];
#pragma unroll
        for (int s = 0; s < b_ahead; ++s) ask_b(0, s, of_b[s]);
        if (my.lane == 0) room.x[chunk] = {0, 0, 0, 0};
        list_c(mine);
        const int groups_c = (count_c + 7) / 8;
        uint2 four = listed(0);
        uint4 of_c[c_ahead][2];
#pragma unroll
        for (int s = 0; s < c_ahead; ++s)
            if (s < groups_c) ask_c(four, s, of_c[s]);
        wait();
        __syncwarp();
        const Rounded rounded(room, my, mine);
        __syncwarp();
        Sums sums;
#pragma unroll 1
        for (int first = 0; first < groups; first += b_ahead)
#pragma unroll
            for (int s = 0; s < b_ahead; ++s) {
                add_ab(first, s, of_b[s], sums);
                if (first + b_ahead < groups) ask_b(first + b_ahead, s, of_b[s]);
            }
#pragma unroll
        for (int n = 0; n < 16; ++n) sums.of[n / 8][n / 4 % 2][n % 4] <<= 4;
#pragma unroll 1
        for (int first = 0; first < groups_c; first += c_ahead) {
            const uint2 next = listed(min(first + c_ahead, groups));
#pragma unroll
            for (int s = 0; s < c_ahead; ++s) {
                if (first + s >= groups_c) break;
                add_c(four, s, of_c[s], sums);
                if (first + s + c_ahead < groups_c) ask_c(next, s, of_c[s]);
            }
            four = next;
        }
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            const float of_block = rounded.step * room.step[4 * q + my.four] * (1.f / (32 * 128));
            const auto value = [&](int p, int r) {
                const int(&s)[4] = sums.of[q][p];
                const int high = r ? s[2] >> 4 : s[0] - s[2], low = r ? s[3] >> 4 : s[1] - s[3];
                return static_cast<float>(256 * high + 2 * low - rounded.offset[q]) * of_block;
            };
            total[q].x += value(0, 0), total[q].y += value(1, 0), total[q].z += value(0, 1), total[q].w += value(1, 1);
        }
    }
};

}  // namespace tw::cuda::effort::of_planes
