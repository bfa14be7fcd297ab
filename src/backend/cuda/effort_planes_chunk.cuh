// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A chunk of 128 inputs by a tile of 256 outputs, as one warp multiplies it, in whole numbers on the matrix unit.
//
//   a row's word g as 16 x 4 codes:  row g: outputs k = p of 4 blocks,  row g + 8: k = p + 2;   column: high or low of v d of one block
//
// A word has four blocks' bytes, so v d of a block stands in its own byte alone: nothing is unpacked but by a mask. The first of a
// word's codes is not even masked: what the others add to it is taken off at the end.
#pragma once

#include "backend/cuda/effort_planes_round.cuh"

namespace tw::cuda::effort::of_planes {

__device__ inline void multiply(int (&d)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/// Two inputs of a group of eight, and the lane's words of their rows.
template <class Words>
struct Asked {
    unsigned input[2];
    Words x[2];
};

/// The sums of one warp: of outputs k = p (registers 0, 1) and k = p + 2 (2, 3) of each quarter.
struct Sums {
    int of[2][2][4] = {};

    __device__ void add_two_bits(int q, unsigned x0, unsigned x1, unsigned b0, unsigned b1) {
        multiply(of[q][0], x0, x0 & 0x30303030u, x1, x1 & 0x30303030u, b0, b1);
        multiply(of[q][1], x0 & 0x0c0c0c0cu, x0 & 0xc0c0c0c0u, x1 & 0x0c0c0c0cu, x1 & 0xc0c0c0c0u, b0, b1);
    }
    __device__ void add_four_bits(int q, int p, unsigned x0, unsigned x1, unsigned b0, unsigned b1) {
        multiply(of[q][p], x0, x0 & 0xf0f0f0f0u, x1, x1 & 0xf0f0f0f0u, b0, b1);
    }
};

/// What one warp makes of its chunk.
struct Chunk {
    Room& room;
    Lane my;
    unsigned mask;                         ///< the bytes of the lane's block
    const uint2* x;                        ///< high or low, the lane's column
    const std::byte *b, *c;                ///< the lane's words of the planes' rows
    int count[2];                          ///< inputs that have plane B, and C

    __device__ Chunk(Room& of_warp, const Rows& of_tile)
        : room(of_warp), mask(0xffu << 8 * (my.row / 2)), x(reinterpret_cast<const uint2*>(of_warp.x) + my.row % 2),
          b(of_tile.b + 8 * my.row), c(of_tile.c + 16 * my.row) {
        asm("" : "+r"(mask), "+l"(b), "+l"(c));  // kept, not made again for each row
    }

    /// Which inputs have planes B and C; behind them zeros are listed.
    __device__ void list_planes(const Own& mine) {
        const unsigned earlier = (1u << my.lane) - 1;
        unsigned(&words)[sizeof room.list / 4] = reinterpret_cast<unsigned(&)[sizeof room.list / 4]>(room.list);
        for (int n = my.lane; n < static_cast<int>(sizeof room.list / 4); n += 32) words[n] = chunk * 0x01010101u;
        __syncwarp();
        count[0] = count[1] = 0;
#pragma unroll
        for (int i = 0; i < own; ++i) {
            const unsigned with_b = __ballot_sync(~0u, mine.k[i] > 1), with_c = __ballot_sync(~0u, mine.k[i] > 2);
            const auto put = [&](int list, int place) { room.list[list][place % 4][place / 4] = static_cast<std::uint8_t>(own * my.lane + i); };
            if (mine.k[i] > 1) put(0, count[0] + __popc(with_b & earlier));
            if (mine.k[i] > 2) put(1, count[1] + __popc(with_c & earlier));
            count[0] += __popc(with_b), count[1] += __popc(with_c);
        }
        __syncwarp();
    }

    /// The lane's inputs of four groups, a byte each.
    __device__ uint2 listed(int list, int first) const { return *reinterpret_cast<const uint2*>(&room.list[list][my.four][2 * first]); }

    /// Group s of the four.
    template <int bytes_of_row, class Words>
    __device__ static void ask(const std::byte* plane, const uint2& four, int s, Asked<Words>& asked) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            asked.input[half] = __byte_perm(s < 2 ? four.x : four.y, 0, 0x4440 + (2 * s + half) % 4);
            asked.x[half] = __ldg(reinterpret_cast<const Words*>(plane + asked.input[half] % chunk * bytes_of_row));
        }
    }

    __device__ void add_a(Sums& sums) const {
        const uint2* a = reinterpret_cast<const uint2*>(room.a) + 8 * my.four + (my.row ^ (my.four & 2) * 2);
#pragma unroll 4
        for (int group = 0; group < chunk / 8; ++group) {
            const uint2 w0 = a[64 * group], w1 = a[64 * group + 32];
            const uint2 x0 = x[2 * (8 * group + my.four)], x1 = x[2 * (8 * group + 4 + my.four)];
            sums.add_two_bits(0, w0.x, w1.x, x0.x & mask, x1.x & mask);
            sums.add_two_bits(1, w0.y, w1.y, x0.y & mask, x1.y & mask);
        }
    }
    __device__ void add_b(const Asked<uint2>& w, Sums& sums) const {
        const uint2 x0 = x[2 * w.input[0]], x1 = x[2 * w.input[1]];
        sums.add_two_bits(0, w.x[0].x, w.x[1].x, x0.x & mask, x1.x & mask);
        sums.add_two_bits(1, w.x[0].y, w.x[1].y, x0.y & mask, x1.y & mask);
    }
    __device__ void add_c(const Asked<uint4>& w, Sums& sums) const {
        const uint2 x0 = x[2 * w.input[0]], x1 = x[2 * w.input[1]];
        const unsigned b[4] = {x0.x & mask, x1.x & mask, x0.y & mask, x1.y & mask};
        sums.add_four_bits(0, 0, w.x[0].x, w.x[1].x, b[0], b[1]);
        sums.add_four_bits(1, 0, w.x[0].y, w.x[1].y, b[2], b[3]);
        sums.add_four_bits(0, 1, w.x[0].z, w.x[1].z, b[0], b[1]);
        sums.add_four_bits(1, 1, w.x[0].w, w.x[1].w, b[2], b[3]);
    }

    /// Adds to total[q] the sums of outputs 128 q + 32 four + 4 row and the three behind it. `wait`: for scales and plane A.
    template <class Wait>
    __device__ void multiply_all(const Own& mine, float4 (&total)[2], const Wait& wait) {
        if (my.lane == 0) room.x[chunk] = {0, 0, 0, 0};
        list_planes(mine);
        const int groups_b = (count[0] + 7) / 8, groups_c = (count[1] + 7) / 8;
        Asked<uint2> of_b[4];
        Asked<uint4> of_c[2];
        uint2 next_b = listed(0, 0), next_c = listed(1, 0);
#pragma unroll
        for (int s = 0; s < 4; ++s)
            if (s < groups_b) ask<64>(b, next_b, s, of_b[s]);
#pragma unroll
        for (int s = 0; s < 2; ++s)
            if (s < groups_c) ask<128>(c, next_c, s, of_c[s]);
        wait();
        __syncwarp();
        const Rounded rounded(room, my, mine);
        __syncwarp();
        Sums sums;
        add_a(sums);
#pragma unroll
        for (int n = 0; n < 16; ++n) sums.of[n / 8][n / 4 % 2][n % 4] <<= 2;
#pragma unroll 1
        for (int first = 0; first < groups_b; first += 4) {
            next_b = listed(0, min(first + 4, chunk / 8));
#pragma unroll
            for (int s = 0; s < 4; ++s) {
                if (first + s >= groups_b) break;
                add_b(of_b[s], sums);
                if (first + s + 4 < groups_b) ask<64>(b, next_b, s, of_b[s]);
            }
        }
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            int(&s)[2][4] = sums.of[q];
#pragma unroll
            for (int column = 0; column < 2; ++column) s[0][column] -= s[0][2 + column] + s[1][column] + s[1][2 + column];
#pragma unroll
            for (int r = 0; r < 4; ++r) s[0][r] <<= 4, s[1][r] <<= 2;
#pragma unroll
            for (int column = 0; column < 2; ++column) s[0][column] += s[0][2 + column], s[1][column] += s[1][2 + column];
        }
#pragma unroll 1
        for (int first = 0; first < groups_c; first += 4) {
            const uint2 later_c = listed(1, min(first + 4, chunk / 8));
#pragma unroll
            for (int s = 0; s < 4; ++s) {
                if (first + s >= groups_c) break;
                add_c(of_c[s % 2], sums);
                if (first + s + 2 < groups_c) ask<128>(c, s < 2 ? next_c : later_c, (s + 2) % 4, of_c[s % 2]);
            }
            next_c = later_c;
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
