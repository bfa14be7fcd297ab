// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One warp multiplies a chunk of 128 inputs by a tile of 256 outputs, in integers on the tensor core.
//
//   a row's word g as 16 x 4 codes:  row g: the codes of a byte,  row g + 8: without the low ones;   column: high or
//   low of v d of one block
//
// A word has bytes of four blocks, and v d of a block is non-zero only in that block's byte, so unpacking takes only a
// mask. A word's first code is not even masked: what the other codes add to it is subtracted at the end. Where most
// inputs are read, planes A and B are multiplied together as codes of four bits; an input without plane B has zeros
// there, and the offset of its codes takes that into account. Where few are read, the inputs with plane A are
// multiplied, and then those with plane B, by lists.
#pragma once

#include "backend/cuda/effort/planes/lists.cuh"
#include "backend/cuda/effort/planes/round.cuh"
#include "backend/cuda/ptx/integer.cuh"
#include "backend/cuda/ptx/mma.cuh"
#include "backend/cuda/ptx/shared_load.cuh"

namespace tw::cuda::effort::plane_kernels {

/// Of each four bits, the upper two come from `high` and the lower two from `low`.
__device__ inline unsigned pairs_of(unsigned high, unsigned low) { return ptx::select_bits<0xccccccccu>(high, low); }

/// The sums of one warp, for each quarter. With four bits: outputs k = p and p + 2 in registers 0 and 1, k = p + 2 in 2
/// and 3.
struct Sums {
    int of[2][2][4] = {};

    __device__ void add_four_bits(int q, int p, unsigned w0, unsigned w1, unsigned x0, unsigned x1) {
        ptx::multiply(of[q][p], w0, w0 & 0xf0f0f0f0u, w1, w1 & 0xf0f0f0f0u, x0, x1);
    }
    /// With two bits: all four codes of a byte and its upper two; then its upper three and the last.
    __device__ void add_two_bits(int q, unsigned w0, unsigned w1, unsigned x0, unsigned x1) {
        ptx::multiply(of[q][0], w0, w0 & 0xf0f0f0f0u, w1, w1 & 0xf0f0f0f0u, x0, x1);
        ptx::multiply(of[q][1], w0 & 0xfcfcfcfcu, w0 & 0xc0c0c0c0u, w1 & 0xfcfcfcfcu, w1 & 0xc0c0c0c0u, x0, x1);
    }
    __device__ void multiply_by(int factor) {
#pragma unroll
        for (int n = 0; n < 16; ++n) of[n / 8][n / 4 % 2][n % 4] *= factor;
    }
    /// Turns sums of two-bit codes into sums of four-bit codes.
    __device__ void become_four_bits() {
#pragma unroll
        for (int q = 0; q < 2; ++q)
#pragma unroll
            for (int n = 0; n < 2; ++n) {
                const int all = of[q][0][n], two = of[q][0][2 + n], three = of[q][1][n], last = of[q][1][2 + n];
                of[q][0][2 + n] = two - last, of[q][0][n] = all - three + two - last;
                of[q][1][2 + n] = last / 4, of[q][1][n] = (three - two + last) / 4;
            }
    }
};

/// One warp's chunk. A group is eight inputs; a lane has words of two of them.
struct Chunk {
    static constexpr int groups = chunk / 8;

    WarpMemory& memory;
    Lane my;
    std::uint32_t x, list;   ///< addresses: of v d, high or low by the lane's column; of the lane's input in a list
    const std::byte *b, *c;  ///< the lane's words of the planes' rows

    __device__ Chunk(WarpMemory& of_warp, const Rows& of_tile)
        : memory(of_warp),
          x(ptx::shared_address(memory.x) + 8 * (my.row % 2)),
          list(ptx::shared_address(memory.list) + 2 * my.four),
          b(of_tile.b + 8 * my.row),
          c(of_tile.c + 16 * my.row) {
        asm("" : "+l"(b), "+l"(c), "+r"(x), "+r"(list));  // kept in registers, not computed again for each row
    }

    /// An input of a list's group, times 16.
    __device__ unsigned listed(int plane, int group, int half) const {
        return ptx::load_unchanged_half(
            list + static_cast<std::uint32_t>(sizeof memory.list[0] * plane + 16 * group + 8 * half));
    }

    /// Bit n: input 4 n + four has plane B.
    __device__ unsigned find_b(const LaneInputs& mine) const {
        unsigned has_b = 0;
#pragma unroll
        for (int i = 0; i < own; ++i) {
            const unsigned with_b = __ballot_sync(~0u, mine.k[i] > 1);
            if (my.four == i) has_b = with_b;
        }
        return has_b;
    }
    /// Loads plane B of a group of consecutive inputs; zero for inputs without it.
    __device__ void ask_b(unsigned has_b, int group, uint2 (&words)[2]) const {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            words[half] = {0, 0};
            if (has_b >> (2 * group + half) & 1)
                words[half] = __ldg(reinterpret_cast<const uint2*>(b + 64 * my.four + 512 * group + 256 * half));
        }
    }
    __device__ void ask_listed_b(int group, uint2 (&words)[2]) const {
#pragma unroll
        for (int half = 0; half < 2; ++half)
            words[half] = __ldg(reinterpret_cast<const uint2*>(b + 4 * std::uint64_t{listed(1, group, half)}));
    }
    __device__ void ask_c(int group, uint4 (&words)[2]) const {
#pragma unroll
        for (int half = 0; half < 2; ++half)
            words[half] =
                __ldg(reinterpret_cast<const uint4*>(c + 8 * std::uint64_t{listed(2, group, half) % (16 * chunk)}));
    }

    /// v d of an input (given times 16), for both quarters; only the byte of the lane's block is not zero.
    __device__ uint2 x_of(unsigned input) const {
        const unsigned mask = 0xffu << 8 * (my.row / 2);
        const uint2 all = ptx::load_unchanged_pair(x + input);
        return {all.x & mask, all.y & mask};
    }

    /// Adds four bits of each output: plane A, and B where there is one.
    __device__ void add_ab(int group, const uint2 (&of_b)[2], Sums& sums) const {
        const uint2* a =
            reinterpret_cast<const uint2*>(memory.a) + 8 * my.four + (my.row ^ (my.four & 2) * 2) + 64 * group;
        const uint2 a0 = a[0], a1 = a[32], x0 = x_of(128 * group + 16 * my.four),
                    x1 = x_of(128 * group + 64 + 16 * my.four);
        const auto even = [](unsigned of_a, unsigned of_b) { return pairs_of(of_a << 2, of_b); };
        const auto odd = [](unsigned of_a, unsigned of_b) { return pairs_of(of_a, of_b >> 2); };
        sums.add_four_bits(0, 0, even(a0.x, of_b[0].x), even(a1.x, of_b[1].x), x0.x, x1.x);
        sums.add_four_bits(0, 1, odd(a0.x, of_b[0].x), odd(a1.x, of_b[1].x), x0.x, x1.x);
        sums.add_four_bits(1, 0, even(a0.y, of_b[0].y), even(a1.y, of_b[1].y), x0.y, x1.y);
        sums.add_four_bits(1, 1, odd(a0.y, of_b[0].y), odd(a1.y, of_b[1].y), x0.y, x1.y);
    }
    /// Adds two bits of each output.
    __device__ void add_listed(int plane, int group, const uint2 (&w)[2], Sums& sums) const {
        const uint2 x0 = x_of(listed(plane, group, 0)), x1 = x_of(listed(plane, group, 1));
        sums.add_two_bits(0, w[0].x, w[1].x, x0.x, x1.x);
        sums.add_two_bits(1, w[0].y, w[1].y, x0.y, x1.y);
    }
    __device__ void add_listed_a(int group, Sums& sums) const {
        const std::uint32_t a = ptx::shared_address(memory.a) + 8 * my.row;
        uint2 w[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const unsigned input = listed(0, group, half);
            w[half] = ptx::load_unchanged_pair((a + 4 * input) ^ (input & 32));  // piece_of(), as addresses
        }
        add_listed(0, group, w, sums);
    }
    __device__ void add_c(int group, const uint4 (&w)[2], Sums& sums) const {
        const uint2 x0 = x_of(listed(2, group, 0)), x1 = x_of(listed(2, group, 1));
        sums.add_four_bits(0, 0, w[0].x, w[1].x, x0.x, x1.x);
        sums.add_four_bits(1, 0, w[0].y, w[1].y, x0.y, x1.y);
        sums.add_four_bits(0, 1, w[0].z, w[1].z, x0.x, x1.x);
        sums.add_four_bits(1, 1, w[0].w, w[1].w, x0.y, x1.y);
    }

    /// Adds to total[q] the sums of the four outputs from 128 q + 32 four + 4 row on. `wait` waits for scales and plane
    /// A. `reads_most`: most inputs of most warps need planes A and B. `b_ahead`, `c_ahead`: groups whose planes B and
    /// C are loaded ahead; not all groups at once, since loads would queue up.
    template <int b_ahead, int c_ahead, class Wait>
    __device__ void multiply_all(const LaneInputs& mine, bool reads_most, float4 (&total)[2], const Wait& wait) {
        constexpr int at_once = b_ahead - 3;
        int groups_a = 0, groups_b = 0, groups_c = 0;
        unsigned has_b = 0;
        uint2 of_b[b_ahead][2];
        bool by_lists = !reads_most;
        if (by_lists) {
            const Lists lists(memory, mine);
            groups_a = lists.groups_of(0), groups_b = lists.groups_of(1), groups_c = lists.groups_of(2);
            by_lists = groups_a + groups_b < groups;
            if (by_lists) {
                lists.put(1, my, mine);
                __syncwarp();
#pragma unroll
                for (int s = 0; s < b_ahead; ++s)
                    if (s < groups_b) ask_listed_b(s, of_b[s]);
                lists.put(0, my, mine);
                if (groups_c > 0) lists.put(2, my, mine);
            }
        }
        if (!by_lists) {
            has_b = find_b(mine);
#pragma unroll
            for (int s = 0; s < at_once; ++s) ask_b(has_b, s, of_b[s]);
            groups_c = (list_plane(memory, 2, my, mine) + 7) / 8;
        }
        if (my.lane == 0) memory.x[chunk] = {0, 0, 0, 0};
        wait();
        __syncwarp();
        const Rounded rounded(memory.x, memory.x, my, mine);
        __syncwarp();
        Sums sums;
        uint4 of_c[c_ahead][2];
        if (by_lists) {
#pragma unroll
            for (int s = 0; s < c_ahead; ++s)
                if (s < groups_c) ask_c(s, of_c[s]);
#pragma unroll 2
            for (int group = 0; group < groups_a; ++group) add_listed_a(group, sums);
            sums.multiply_by(4);
#pragma unroll 1
            for (int first = 0; first < groups_b; first += b_ahead)
#pragma unroll
                for (int s = 0; s < b_ahead; ++s) {
                    if (first + s >= groups_b) break;
                    add_listed(1, first + s, of_b[s], sums);
                    if (first + s + b_ahead < groups_b) ask_listed_b(first + s + b_ahead, of_b[s]);
                }
            sums.become_four_bits();
        } else {
#pragma unroll
            for (int s = at_once; s < b_ahead; ++s) ask_b(has_b, s, of_b[s]);
#pragma unroll
            for (int group = 0; group < groups; ++group) {
                if (group < c_ahead && group < groups_c) ask_c(group, of_c[group]);
                add_ab(group, of_b[group % b_ahead], sums);
                if (group + b_ahead < groups) ask_b(has_b, group + b_ahead, of_b[group % b_ahead]);
            }
        }
        sums.multiply_by(16);
#pragma unroll 1
        for (int first = 0; first < groups_c; first += c_ahead)
#pragma unroll
            for (int s = 0; s < c_ahead; ++s) {
                if (first + s >= groups_c) break;
                add_c(first + s, of_c[s], sums);
                if (first + s + c_ahead < groups_c) ask_c(first + s + c_ahead, of_c[s]);
            }
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            const float of_block = rounded.step * memory.step[4 * q + my.four] * (1.f / (32 * 128));
            const auto value = [&](int p, int r) {
                const int(&s)[4] = sums.of[q][p];
                const int high = r ? s[2] >> 4 : s[0] - s[2], low = r ? s[3] >> 4 : s[1] - s[3];
                return static_cast<float>(256 * high + 2 * low - rounded.offset[q]) * of_block;
            };
            total[q].x += value(0, 0), total[q].y += value(1, 0), total[q].z += value(0, 1), total[q].w += value(1, 1);
        }
    }
};

}  // namespace tw::cuda::effort::plane_kernels
