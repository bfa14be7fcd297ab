// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes read to the end, with AVX2: a chunk's codes are put together once, for all vectors.
//
//   rows of 4 inputs  --unpack-->  a 32-bit lane has 4 inputs of one output, lane = block
//     three planes    --and 0xff, shift-->  words of inputs 0, 2 and of inputs 1, 3  --vpmaddwd with v d-->  sums
//     two planes      --vpmaddubsw with v d-->  words, added over eight groups  --vpmaddwd with 1-->  sums
//
// Eight blocks (a side) and the half of each block's outputs that a row's half holds are 16 columns: column 4 k + t.
// Their codes of a chunk are 8 KB, in L1 while four vectors at a time are multiplied with them. Without C a code is 4
// bits, u, and F = 16 u + 8: 2 F - 256 = 32 u - 240.
//
// Functions that keep sums in registers are not inlined: within one large function g++ 12 keeps them in memory.
#include <immintrin.h>

#include <cstring>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu {
namespace {

using planes::whole_chunk;
constexpr int groups = whole_chunk / 4, columns = 16;
constexpr int ahead = 32;  ///< inputs: less than a chunk, so that two chunks' rows fit beside each other

/// What a tile's chunk is made into, and the sums of the tile.
struct Desk {
    alignas(32) __m256i codes[groups][columns];
    alignas(32) __m256i v[most_whole_vectors][2][groups][2];  ///< of each side: words of inputs 0, 2 and of 1, 3; or
                                                              ///< the first alone, bytes of four inputs
    __m256i offset[most_whole_vectors][2];                    ///< 255 or 240 times the sum of q
    __m256 scale[most_whole_vectors][2];
    alignas(32) float scales[whole_chunk][16], product[whole_chunk][16];
    __m256 y[2][2][most_whole_vectors][columns];  ///< of each half and side
};

/// Widens a chunk's scales; past the last input and the last block they are 0.
template <int width>
TW_INSIDE void widen_scales(const PlanesTileRows& tile, std::int64_t from, int count, Desk& desk) {
    for (int e = 0; e < whole_chunk; ++e) {
        alignas(32) std::uint16_t scales[16] = {};
        if (e < count) std::memcpy(scales, tile.scales.rows + (from + e) * 8 * width, std::size_t{8 * width});
        for (int s = 0; s < 2; ++s)
            _mm256_store_ps(desk.scales[e] + 8 * s,
                            _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(scales + 8 * s))));
    }
}

/// Four inputs' whole numbers as the kernels read them.
template <int planes>
TW_INSIDE void lay(const __m256i (&q)[4], __m256i (&v)[2]) {
    if constexpr (planes == 3) {
        for (int odd = 0; odd < 2; ++odd) v[odd] = _mm256_blend_epi16(q[odd], _mm256_slli_epi32(q[odd + 2], 16), 0xaa);
    } else {
        const __m256i byte = _mm256_set1_epi32(0xff);
        const __m256i low = _mm256_or_si256(_mm256_and_si256(q[0], byte),
                                            _mm256_slli_epi32(_mm256_and_si256(q[1], byte), 8));
        const __m256i high = _mm256_or_si256(_mm256_and_si256(q[2], byte), _mm256_slli_epi32(q[3], 8));
        v[0] = _mm256_blend_epi16(low, _mm256_slli_epi32(high, 16), 0xaa);
    }
}

/// Rounds v d of a vector's chunk.
template <int planes>
[[gnu::noinline]] void round_chunk(const EffortEntry* entries, int count, int r, Desk& desk) {
    constexpr float all = planes::whole_most_of(planes);
    const __m256 size = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    __m256 most[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (int e = 0; e < whole_chunk; ++e) {
        const __m256 v = _mm256_set1_ps(e < count ? entries[e].v : 0.f);
        for (int s = 0; s < 2; ++s) {
            const __m256 p = _mm256_mul_ps(v, _mm256_load_ps(desk.scales[e] + 8 * s));
            _mm256_store_ps(desk.product[e] + 8 * s, p);
            most[s] = _mm256_max_ps(most[s], _mm256_and_ps(p, size));
        }
    }
    for (int s = 0; s < 2; ++s) {
        const __m256 some = _mm256_cmp_ps(most[s], _mm256_set1_ps(planes::least), _CMP_GE_OQ);
        const __m256 inverse = _mm256_and_ps(some, _mm256_div_ps(_mm256_set1_ps(all), most[s]));
        __m256i sum = _mm256_setzero_si256();
        for (int g = 0; g < groups; ++g) {
            __m256i q[4];
            for (int e = 0; e < 4; ++e) {
                q[e] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_load_ps(desk.product[4 * g + e] + 8 * s), inverse));
                sum = _mm256_add_epi32(sum, q[e]);
            }
            lay<planes>(q, desk.v[r][s][g]);
        }
        desk.offset[r][s] = _mm256_mullo_epi32(sum, _mm256_set1_epi32(planes == 3 ? 255 : 240));
        desk.scale[r][s] = _mm256_mul_ps(_mm256_div_ps(most[s], _mm256_set1_ps(all)), _mm256_set1_ps(1.f / 32));
    }
}

/// A plane's rows of four inputs.
struct Rows {
    const std::byte* of[4];
};

/// Byte by byte beside each other: vector t has bytes 4 t .. 4 t + 3 of each 16.
template <bool is_half>
TW_INSIDE void interleave(const Rows& rows, __m256i (&x)[4]) {
    __m256i row[4];
    for (int r = 0; r < 4; ++r)
        row[r] = is_half ? _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rows.of[r])))
                         : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows.of[r]));
    const __m256i t0 = _mm256_unpacklo_epi8(row[0], row[1]), t1 = _mm256_unpackhi_epi8(row[0], row[1]);
    const __m256i u0 = _mm256_unpacklo_epi8(row[2], row[3]), u1 = _mm256_unpackhi_epi8(row[2], row[3]);
    x[0] = _mm256_unpacklo_epi16(t0, u0), x[1] = _mm256_unpackhi_epi16(t0, u0);
    x[2] = _mm256_unpacklo_epi16(t1, u1), x[3] = _mm256_unpackhi_epi16(t1, u1);
}

/// x where the mask has a bit, else y.
TW_INSIDE __m256i chosen(__m256i mask, __m256i x, __m256i y) {
    return _mm256_xor_si256(y, _mm256_and_si256(mask, _mm256_xor_si256(x, y)));
}

/// Puts the codes of four inputs together: of A and B first nibbles, those of k = 0 and 2 in one vector and those of k
/// = 1 and 3 in the other, as C (of even k, and of odd) has its own.
template <int planes, bool is_half>
TW_INSIDE void put_together(const Rows& a, const Rows& b, const Rows (&c)[2], __m256i (&codes)[columns]) {
    const __m256i upper_two = _mm256_set1_epi8(static_cast<char>(0xcc)), low = _mm256_set1_epi8(0x0f);
    __m256i x[4], y[4], upper[2][4];
    interleave<is_half>(a, x), interleave<is_half>(b, y);
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t) {
        upper[0][t] = chosen(upper_two, _mm256_slli_epi16(x[t], 2), y[t]);
        upper[1][t] = chosen(upper_two, x[t], _mm256_srli_epi16(y[t], 2));
    }
#pragma GCC unroll 2
    for (int o = 0; o < 2; ++o) {
        if constexpr (planes == 3) interleave<is_half>(c[o], x);
#pragma GCC unroll 4
        for (int t = 0; t < 4; ++t)
            if constexpr (planes == 3) {
                codes[4 * o + t] = chosen(low, x[t], _mm256_slli_epi16(upper[o][t], 4));
                codes[8 + 4 * o + t] = chosen(low, _mm256_srli_epi16(x[t], 4), upper[o][t]);
            } else {
                codes[4 * o + t] = _mm256_and_si256(upper[o][t], low);
                codes[8 + 4 * o + t] = _mm256_and_si256(_mm256_srli_epi16(upper[o][t], 4), low);
            }
    }
}

/// Inputs whose rows are asked for while those before them are multiplied, one at a time.
struct Following {
    const PlanesTileRows& tile;
    std::int64_t next, end;
    bool has_c;

    [[gnu::always_inline]] void ask_for_one() {
        if (next < end) ask_for_row(tile, next++, has_c);
    }
};

/// A chunk's codes, of one half and side. Inputs past the last one are the last one again.
template <int planes, int width>
[[gnu::noinline]] void put_chunk_together(std::int64_t from, int count, int h, int side, Following& following,
                                          Desk& desk) {
    constexpr std::int64_t half = 16 * width;
    const PlanesTileRows& tile = following.tile;
    const std::int64_t at = h * half + 32 * side;
    const std::byte *a = tile.a.rows + from * 2 * half + at, *b = tile.b.rows + from * 2 * half + at;
    const std::byte* c = planes == 3 ? tile.c.rows + from * 4 * half + at + h * half : a;
    const auto rows = [&](const std::byte* plane, std::int64_t step, int g) {
        if (4 * g + 4 <= count) {
            plane += 4 * g * step;
            return Rows{{plane, plane + step, plane + 2 * step, plane + 3 * step}};
        }
        const auto row = [&](int e) { return plane + (4 * g + e < count ? 4 * g + e : count - 1) * step; };
        return Rows{{row(0), row(1), row(2), row(3)}};
    };
    for (int g = 0; g < groups; ++g) {
        const Rows of_a = rows(a, 2 * half, g), of_b = rows(b, 2 * half, g);
        const Rows of_c[2] = {rows(c, 4 * half, g), rows(c + half, 4 * half, g)};
        if (32 * (side + 1) > half) put_together<planes, true>(of_a, of_b, of_c, desk.codes[g]);
        else put_together<planes, false>(of_a, of_b, of_c, desk.codes[g]);
        following.ask_for_one();
    }
}

/// Adds a chunk's sums to y: S (step / 32).
template <int planes, int vectors, int width>
TW_INSIDE void add_to_y(const __m256i (&sum)[vectors][width], int r, int side, int h, int column, Desk& desk) {
#pragma GCC unroll 4
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

/// Multiplies `vectors` vectors from r on with `width` columns of a chunk, of three planes.
template <int vectors, int width>
[[gnu::noinline]] void multiply_words(int r, int side, int h, int column, Following& following, Desk& desk) {
    const __m256i low = _mm256_set1_epi16(0xff);
    __m256i sum[vectors][width];
    clear(sum);
    for (int g = 0; g < groups; ++g) {
        if (vectors == 1 && g % 4 == 0) following.ask_for_one();
#pragma GCC unroll 8
        for (int c = 0; c < width; ++c) {
            const __m256i code = desk.codes[g][column + c];
            const __m256i even = _mm256_and_si256(code, low), odd = _mm256_srli_epi16(code, 8);
#pragma GCC unroll 4
            for (int n = 0; n < vectors; ++n) {
                sum[n][c] = _mm256_add_epi32(sum[n][c], _mm256_madd_epi16(even, desk.v[r + n][side][g][0]));
                sum[n][c] = _mm256_add_epi32(sum[n][c], _mm256_madd_epi16(odd, desk.v[r + n][side][g][1]));
                // Else g++ 12 copies every sum twice a group, and with many vectors holds what it could read again.
                if constexpr (vectors > 2) asm("" : "+x"(sum[n][c]) : : "memory");
                else asm("" : "+x"(sum[n][c]));
            }
        }
    }
    add_to_y<3>(sum, r, side, h, column, desk);
}

/// The same, of two planes: 16 bits hold the products of eight groups, at most 8 x 2 x 15 x 127.
template <int vectors, int width>
[[gnu::noinline]] void multiply_bytes(int r, int side, int h, int column, Following& following, Desk& desk) {
    constexpr int at_once = 8;
    static_assert(at_once * 2 * 15 * 127 <= INT16_MAX);
    __m256i sum[vectors][width], words[vectors][width];
    clear(sum);
    for (int first = 0; first < groups; first += at_once) {
        clear(words);
        for (int g = first; g < first + at_once; ++g) {
            if (vectors == 1 && g % 4 == 0) following.ask_for_one();
#pragma GCC unroll 8
            for (int c = 0; c < width; ++c)
#pragma GCC unroll 4
                for (int n = 0; n < vectors; ++n) {
                    const __m256i product = _mm256_maddubs_epi16(desk.codes[g][column + c], desk.v[r + n][side][g][0]);
                    words[n][c] = _mm256_add_epi16(words[n][c], product);
                    asm("" : "+x"(words[n][c]));
                }
        }
#pragma GCC unroll 4
        for (int n = 0; n < vectors; ++n)
#pragma GCC unroll 8
            for (int c = 0; c < width; ++c)
                sum[n][c] = _mm256_add_epi32(sum[n][c], _mm256_madd_epi16(words[n][c], _mm256_set1_epi16(1)));
    }
    add_to_y<2>(sum, r, side, h, column, desk);
}

template <int planes, int vectors, int width>
TW_INSIDE void multiply(int r, int side, int h, Following& following, Desk& desk) {
    for (int c = 0; c < columns; c += width)
        if constexpr (planes == 3) multiply_words<vectors, width>(r, side, h, c, following, desk);
        else multiply_bytes<vectors, width>(r, side, h, c, following, desk);
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
                    for (int block = 0; block < 8 && 8 * side + block < 4 * width; ++block) to[32 * block] = lanes[block];
                }
}

template <int planes, int width>
void multiply_tile(const EffortWholeTile& call) {
    const PlanesTileRows tile = rows_of(call.rows, call.inputs, width);
    constexpr int sides = width > 2 ? 2 : 1;
    Desk desk;
    for (auto& half : desk.y)
        for (auto& side : half) std::memset(side, 0, static_cast<std::size_t>(call.vectors) * sizeof side[0]);
    for (std::int64_t from = 0; from < call.inputs; from += whole_chunk) {
        const std::int64_t rest = call.inputs - from;
        const int count = static_cast<int>(rest < whole_chunk ? rest : whole_chunk);
        widen_scales<width>(tile, from, count, desk);
        for (int r = 0; r < call.vectors; ++r)
            round_chunk<planes>(call.entries + r * call.inputs + from, count, r, desk);
        Following following{tile, from + ahead, call.inputs, planes == 3};
        for (int h = 0; h < 2; ++h)
            for (int side = 0; side < sides; ++side) {
                put_chunk_together<planes, width>(from, count, h, side, following, desk);
                int r = 0;
                for (; r + 4 <= call.vectors; r += 4) multiply<planes, 4, 2>(r, side, h, following, desk);
                for (; r + 2 <= call.vectors; r += 2) multiply<planes, 2, 4>(r, side, h, following, desk);
                for (; r < call.vectors; ++r) multiply<planes, 1, 8>(r, side, h, following, desk);
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
    switch (call.width) {
        case 1: return multiply_tile_of<1>(call);
        case 2: return multiply_tile_of<2>(call);
        case 3: return multiply_tile_of<3>(call);
        default: return multiply_tile_of<4>(call);
    }
}

}  // namespace tw::cpu
