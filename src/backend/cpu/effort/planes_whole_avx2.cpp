// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes as whole codes, with AVX2: a chunk's codes are put together once, for all vectors. One vector goes another
// way (planes_alone_avx2.cpp).
//
//   rows of 4 inputs  --unpack-->  a 32-bit lane has 4 inputs of one output, lane = block
//     three planes    --and 0xff, shift-->  words of inputs 0, 2 and of inputs 1, 3  --vpmaddwd with v d-->  sums
//       four vectors at a time, or eight  --v d of inputs 1, 3 and 0, 2 added--> x, y  --vpmaddwd of x and y-->  sums
//     two planes      --vpmaddubsw with v d-->  words, added over eight groups  --vpmaddwd with 1-->  sums
//
// Eight blocks (a side) and the half of each block's outputs that a row's half holds are 16 columns: column 4 k + t.
// Their codes of a chunk are 8 KB, in L1 while vectors are multiplied with them, some at a time. Without C a code is 4
// bits, u, and F = 16 u + 8: 2 F - 256 = 32 u - 240.
//
// Functions that keep sums in registers are not inlined: within one large function g++ 12 keeps them in memory.
#include "backend/cpu/effort/planes_whole_avx2.hpp"
#include "backend/cpu/effort/planes_sums_avx2.hpp"

namespace tw::cpu {
namespace {

using namespace whole;

/// Adds a chunk's sums to y: S (step / 32).
template <int planes, int vectors, int width>
TW_INSIDE void add_to_y(const __m256i (&sum)[vectors][width], int r, int side, int h, int column, Desk& desk) {
#pragma GCC unroll 8
    for (int n = 0; n < vectors; ++n)
#pragma GCC unroll 8
        for (int c = 0; c < width; ++c) {
            __m256& y = desk.y[h][side][r + n][column + c];
            const __m256i twice = _mm256_slli_epi32(sum[n][c], planes == 3 ? 1 : 5);
            const __m256i whole = _mm256_sub_epi32(twice, desk.offset[r + n][side]);
            y = _mm256_add_ps(y, _mm256_mul_ps(_mm256_cvtepi32_ps(whole), desk.scale[r + n][side]));
        }
}

template <int vectors, int width>
TW_INSIDE void clear(__m256i (&sum)[vectors][width]) {
#pragma GCC unroll 4
    for (int n = 0; n < vectors; ++n)
#pragma GCC unroll 8
        for (int c = 0; c < width; ++c) sum[n][c] = _mm256_setzero_si256();
}

/// Else g++ 12 holds v d of many vectors in registers that it does not have.
TW_INSIDE void read_again() { asm("" : : : "memory"); }

/// Multiplies `vectors` vectors from r on with `at_once` columns of a chunk, of three planes. With a width rows are
/// asked for, too.
template <int vectors, int at_once, int width>
[[gnu::noinline]] void multiply_words(int r, int side, int h, int column, Following& following, Desk& desk) {
    const __m256i low = _mm256_set1_epi16(0xff);
    const auto* const v = &desk.v[side][r / 8][0][r % 8];
    __m256i sum[vectors][at_once];
    clear(sum);
    for (int g = 0; g < groups; ++g) {
        if (width > 0 && g % (2 * vectors) == 0) following.ask<width>();
#pragma GCC unroll 8
        for (int c = 0; c < at_once; ++c) {
            const __m256i code = desk.codes[g][column + c];
            const __m256i even = _mm256_and_si256(code, low), odd = _mm256_srli_epi16(code, 8);
#pragma GCC unroll 4
            for (int n = 0; n < vectors; ++n) {
                sums::add_whole(sum[n][c], _mm256_madd_epi16(even, v[8 * g + n][0]));
                sums::add_whole(sum[n][c], _mm256_madd_epi16(odd, v[8 * g + n][1]));
                if constexpr (vectors > 2) read_again();
            }
        }
    }
    add_to_y<3>(sum, r, side, h, column, desk);
}

/// The same of all columns and with half the multiplications: (F0 + q1) (F1 + q0) has F0 q0 + F1 q1 and two products
/// that are summed once each: q0 q1 for all columns, where v d is rounded, F0 F1 for all vectors, with the first ones.
/// Sums wrap on their way. A Zen 1, of whose units one multiplies and three add, takes 0.9 of the time; an Intel core
/// 1.01 to 1.07.
template <int vectors, int width, bool is_first>
[[gnu::noinline]] void multiply_crosswise(int r, int side, int h, Following& following, Desk& desk) {
    constexpr int at_once = 8 / vectors;
    const __m256i low = _mm256_set1_epi16(0xff);
    const auto* const v = &desk.v[side][r / 8][0][r % 8];
    for (int column = 0; column < columns; column += at_once) {
        __m256i sum[vectors][at_once], of_codes[1][at_once];
        clear(of_codes);
#pragma GCC unroll 8
        for (int n = 0; n < vectors; ++n)
#pragma GCC unroll 2
            for (int c = 0; c < at_once; ++c) sum[n][c] = desk.less_v[side][r + n];
        for (int g = 0; g < groups; ++g) {
            if (width > 0 && g % (2 * vectors) == 0) following.ask<width>();
#pragma GCC unroll 2
            for (int c = 0; c < at_once; ++c) {
                const __m256i code = desk.codes[g][column + c];
                const __m256i even = _mm256_and_si256(code, low), odd = _mm256_srli_epi16(code, 8);
                if constexpr (is_first) sums::add_whole(of_codes[0][c], _mm256_madd_epi16(even, odd));
#pragma GCC unroll 8
                for (int n = 0; n < vectors; ++n) {
                    const __m256i x = _mm256_add_epi16(even, v[8 * g + n][1]),
                                  y = _mm256_add_epi16(odd, v[8 * g + n][0]);
                    sums::add_whole(sum[n][c], _mm256_madd_epi16(x, y));
                    read_again();
                }
            }
        }
#pragma GCC unroll 2
        for (int c = 0; c < at_once; ++c) {
            if constexpr (is_first) desk.of_codes[column + c] = of_codes[0][c];
#pragma GCC unroll 8
            for (int n = 0; n < vectors; ++n) sum[n][c] = _mm256_sub_epi32(sum[n][c], desk.of_codes[column + c]);
        }
        add_to_y<3>(sum, r, side, h, column, desk);
    }
}

/// The same, of two planes: 16 bits hold the products of eight groups, at most 8 x 2 x 15 x 127.
template <int vectors, int at_once, int width>
[[gnu::noinline]] void multiply_bytes(int r, int side, int h, int column, Following& following, Desk& desk) {
    constexpr int added = 8;
    static_assert(added * 2 * 15 * 127 <= INT16_MAX);
    const auto* const v = &desk.v[side][r / 8][0][r % 8];
    __m256i sum[vectors][at_once], words[vectors][at_once];
    clear(sum);
    for (int first = 0; first < groups; first += added) {
        clear(words);
        for (int g = first; g < first + added; ++g) {
            if (width > 0 && g % (2 * vectors) == 0) following.ask<width>();
#pragma GCC unroll 8
            for (int c = 0; c < at_once; ++c) {
                const __m256i code = desk.codes[g][column + c];
#pragma GCC unroll 4
                for (int n = 0; n < vectors; ++n)
                    sums::add_words(words[n][c], _mm256_maddubs_epi16(code, v[8 * g + n][0]));
            }
        }
#pragma GCC unroll 4
        for (int n = 0; n < vectors; ++n)
#pragma GCC unroll 8
            for (int c = 0; c < at_once; ++c)
                sum[n][c] = _mm256_add_epi32(sum[n][c], _mm256_madd_epi16(words[n][c], _mm256_set1_epi16(1)));
    }
    add_to_y<2>(sum, r, side, h, column, desk);
}

/// Vectors of a chunk's half and side.
struct Part {
    int vectors, side, h;
    bool saves_products;
};

template <int planes, int vectors, int at_once, int width>
TW_INSIDE void multiply(int r, const Part& part, Following& following, Desk& desk) {
    for (int c = 0; c < columns; c += at_once)
        if constexpr (planes == 3) multiply_words<vectors, at_once, width>(r, part.side, part.h, c, following, desk);
        else multiply_bytes<vectors, at_once, width>(r, part.side, part.h, c, following, desk);
}

/// Eight vectors at a time, and four; says how many that were.
template <int width>
TW_INSIDE int multiply_most_crosswise(const Part& part, Following& following, Desk& desk) {
    const auto [all, side, h, saves_products] = part;
    int r = all < 8 ? 4 : 8;
    if (r == 4) multiply_crosswise<4, width, true>(0, side, h, following, desk);
    else multiply_crosswise<8, width, true>(0, side, h, following, desk);
    for (; r + 8 <= all; r += 8) multiply_crosswise<8, 0, false>(r, side, h, following, desk);
    for (; r + 4 <= all; r += 4) multiply_crosswise<4, 0, false>(r, side, h, following, desk);
    return r;
}

/// The first vectors' turn has time to ask for rows; in the last tile, which may be narrow, it is not worth its code.
template <int planes, int width_of_tile>
TW_INSIDE void multiply_all(const Part& part, Following& following, Desk& desk) {
    constexpr int width = width_of_tile == 4 ? 4 : 0;
    int r;
    if (part.vectors < 4) multiply<planes, 2, 4, width>(0, part, following, desk), r = 2;
    else if (planes == 3 && part.saves_products) r = multiply_most_crosswise<width>(part, following, desk);
    else multiply<planes, 4, 2, width>(0, part, following, desk), r = 4;
    for (; r + 4 <= part.vectors; r += 4) multiply<planes, 4, 2, 0>(r, part, following, desk);
    for (; r + 2 <= part.vectors; r += 2) multiply<planes, 2, 4, 0>(r, part, following, desk);
    if (r < part.vectors) multiply<planes, 1, 8, 0>(r, part, following, desk);
}

/// Lanes are blocks, 32 outputs apart.
template <int width>
TW_INSIDE void write_y(const Desk& desk, int r, float* y) {
    for (int h = 0; h < 2; ++h)
        for (int side = 0; 2 * side < width; ++side)
            for (int k = 0; k < 4; ++k)
                for (int t = 0; t < 4; ++t) {
                    const auto* lanes = reinterpret_cast<const float*>(&desk.y[h][side][r][4 * k + t]);
                    float* const to = y + 256 * side + 16 * h + 4 * t + k;
                    for (int block = 0; block < 8 && 8 * side + block < 4 * width; ++block)
                        to[32 * block] = lanes[block];
                }
}

template <int planes, int width>
void multiply_tile(const EffortWholeTile& call) {
    const WholeTileRows tile(call);
    constexpr int sides = width > 2 ? 2 : 1;
    Desk desk;
    for (auto& half : desk.y)
        for (auto& side : half) std::memset(side, 0, static_cast<std::size_t>(call.vectors) * sizeof side[0]);
    const auto count_from = [&](std::int64_t from) {
        return static_cast<int>(call.count - from < whole_chunk ? call.count - from : whole_chunk);
    };
    int count = count_from(0), following_count;
    find_rows(tile, call.entries, count, false, desk.rows[0]);
    for (std::int64_t from = 0; from < call.count; from += count, count = following_count) {
        const EntryRows* const rows = desk.rows[from / whole_chunk % 2];
        EntryRows(&next)[whole_chunk] = desk.rows[from / whole_chunk % 2 ^ 1];
        const EffortEntry* const entries = call.entries + from;
        widen_scales<width>(rows, count, desk);
        for (int r = 0; r < call.vectors; ++r) round_chunk<planes>(entries + r * call.inputs, count, r, desk);
        following_count = count_from(from + count);
        find_rows(tile, entries + count, following_count, false, next);
        Following following{next, next + following_count, planes == 3};
        for (int h = 0; h < 2; ++h)
            for (int side = 0; side < sides; ++side) {
                put_chunk_together<planes, width>(rows, h, side, following, desk);
                multiply_all<planes, width>({call.vectors, side, h, call.saves_products}, following, desk);
            }
    }
    for (int r = 0; r < call.vectors; ++r) write_y<width>(desk, r, call.y + 512 * r);
}

template <int width>
void multiply_tile_of(const EffortWholeTile& call) {
    if (call.planes == 2) multiply_tile<2, width>(call);
    else multiply_tile<3, width>(call);
}

}  // namespace

void effort_planes_whole_avx2(const EffortWholeTile& call) {
    if (call.vectors == 1) return effort_planes_alone_avx2(call);
    switch (call.width) {
        case 1: return multiply_tile_of<1>(call);
        case 2: return multiply_tile_of<2>(call);
        case 3: return multiply_tile_of<3>(call);
        default: return multiply_tile_of<4>(call);
    }
}

}  // namespace tw::cpu
