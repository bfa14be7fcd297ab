// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes read to the end, with AVX2: a chunk's codes are put together once, for all vectors, and multiplied as words.
//
//   rows of 4 inputs  --unpack-->  a 32-bit lane has 4 inputs of one output, lane = block  --and 0xff, shift-->
//   words of inputs 0, 2 and of inputs 1, 3  --vpmaddwd with v d-->  32-bit sums
//
// Eight blocks (a side) and the half of each block's outputs that a row's half holds are 16 columns: column 4 k + t.
// Their codes of a chunk are 8 KB, in L1 while four vectors at a time are multiplied with them.
#include <immintrin.h>

#include <cstring>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu {
namespace {

using planes::whole_chunk, planes::whole_most;
constexpr int groups = whole_chunk / 4, columns = 16;

/// What a tile's chunk is made into.
struct Desk {
    alignas(32) __m256i codes[groups][columns];
    alignas(32) __m256i v[most_whole_vectors][2][groups][2];  ///< of each side: words of inputs 0, 2 and of 1, 3
    __m256i offset[most_whole_vectors][2];                    ///< 255 or 256 times the sum of q
    __m256 scale[most_whole_vectors][2];
    alignas(32) float scales[whole_chunk][16], product[whole_chunk][16], y[most_whole_vectors][32][16];
};

/// Widens a chunk's scales; past the last input and the last block they are 0.
TW_INSIDE void widen_scales(const PlanesTileRows& tile, std::int64_t from, int count, Desk& desk) {
    for (int e = 0; e < whole_chunk; ++e) {
        alignas(32) std::uint16_t scales[16] = {};
        if (e < count)
            std::memcpy(scales, tile.scales.rows + (from + e) * tile.scales.step,
                        static_cast<std::size_t>(tile.scales.step));
        for (int s = 0; s < 2; ++s)
            _mm256_store_ps(desk.scales[e] + 8 * s,
                            _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(scales + 8 * s))));
    }
}

/// Rounds v d of a vector's chunk.
TW_INSIDE void round_chunk(const EffortEntry* entries, int count, int r, int middle_twice, Desk& desk) {
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
        const __m256 inverse = _mm256_and_ps(some, _mm256_div_ps(_mm256_set1_ps(whole_most), most[s]));
        __m256i sum = _mm256_setzero_si256();
        for (int g = 0; g < groups; ++g) {
            __m256i q[4];
            for (int e = 0; e < 4; ++e) {
                q[e] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_load_ps(desk.product[4 * g + e] + 8 * s), inverse));
                sum = _mm256_add_epi32(sum, q[e]);
            }
            for (int odd = 0; odd < 2; ++odd)
                desk.v[r][s][g][odd] = _mm256_blend_epi16(q[odd], _mm256_slli_epi32(q[odd + 2], 16), 0xaa);
        }
        desk.offset[r][s] = _mm256_mullo_epi32(sum, _mm256_set1_epi32(middle_twice));
        desk.scale[r][s] = _mm256_mul_ps(_mm256_div_ps(most[s], _mm256_set1_ps(whole_most)), _mm256_set1_ps(1.f / 32));
    }
}

/// Four inputs' rows, byte by byte beside each other: vector t has bytes 4 t .. 4 t + 3 of each 16. Inputs past the
/// last one are the last one again.
TW_INSIDE void interleave(const std::byte* const (&rows)[4], bool is_half, __m256i (&x)[4]) {
    __m256i row[4];
    for (int r = 0; r < 4; ++r)
        row[r] = is_half ? _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[r])))
                         : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[r]));
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
/// = 1 and 3 in the other, as C has its own.
TW_INSIDE void put_together(const PlanesTileRows& tile, int h, int side, const std::int64_t (&input)[4],
                            __m256i (&codes)[columns]) {
    const std::int64_t half = 16 * tile.width, at = 32 * side;
    const bool is_half = 32 * (side + 1) > half;
    const std::byte *a[4], *b[4], *even[4], *odd[4];
    for (int e = 0; e < 4; ++e) {
        a[e] = tile.a.rows + input[e] * tile.a.step + h * half + at;
        b[e] = tile.b.rows + input[e] * tile.b.step + h * half + at;
        even[e] = tile.c.rows + input[e] * tile.c.step + 2 * h * half + at, odd[e] = even[e] + half;
    }
    const __m256i upper_two = _mm256_set1_epi8(static_cast<char>(0xcc)), low = _mm256_set1_epi8(0x0f);
    __m256i x[4], y[4], upper[2][4];
    interleave(a, is_half, x), interleave(b, is_half, y);
    for (int t = 0; t < 4; ++t) {
        upper[0][t] = chosen(upper_two, _mm256_slli_epi16(x[t], 2), y[t]);
        upper[1][t] = chosen(upper_two, x[t], _mm256_srli_epi16(y[t], 2));
    }
    for (int o = 0; o < 2; ++o) {
        interleave(o == 0 ? even : odd, is_half, x);
        for (int t = 0; t < 4; ++t) {
            codes[4 * o + t] = chosen(low, x[t], _mm256_slli_epi16(upper[o][t], 4));
            codes[8 + 4 * o + t] = chosen(low, _mm256_srli_epi16(x[t], 4), upper[o][t]);
        }
    }
}

/// Multiplies `vectors` vectors from r on with `width` columns of a chunk.
template <int vectors, int width>
TW_INSIDE void multiply(Desk& desk, int r, int side, int h, int column) {
    const __m256i low = _mm256_set1_epi16(0xff);
    __m256i sum[vectors][width];
    for (int n = 0; n < vectors; ++n)
        for (int c = 0; c < width; ++c) sum[n][c] = _mm256_setzero_si256();
    for (int g = 0; g < groups; ++g) {
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
#pragma GCC unroll 4
    for (int n = 0; n < vectors; ++n)
#pragma GCC unroll 8
        for (int c = 0; c < width; ++c) {
            const int k = (column + c) / 4, t = (column + c) % 4;
            float* to = desk.y[r + n][16 * h + 4 * t + k] + 8 * side;
            const __m256i whole = _mm256_sub_epi32(_mm256_slli_epi32(sum[n][c], 1), desk.offset[r + n][side]);
            _mm256_store_ps(to, _mm256_add_ps(_mm256_load_ps(to),
                                              _mm256_mul_ps(_mm256_cvtepi32_ps(whole), desk.scale[r + n][side])));
        }
}

TW_INSIDE void multiply_all(Desk& desk, int vectors, int side, int h) {
    int r = 0;
    for (; r + 4 <= vectors; r += 4)
        for (int c = 0; c < columns; c += 2) multiply<4, 2>(desk, r, side, h, c);
    for (; r + 2 <= vectors; r += 2)
        for (int c = 0; c < columns; c += 4) multiply<2, 4>(desk, r, side, h, c);
    for (; r < vectors; ++r)
        for (int c = 0; c < columns; c += 8) multiply<1, 8>(desk, r, side, h, c);
}

}  // namespace

void effort_planes_whole_avx2(const EffortWholeTile& call) {
    const PlanesTileRows tile = rows_of(call);
    Desk desk;
    std::memset(desk.y, 0, static_cast<std::size_t>(call.vectors) * sizeof desk.y[0]);
    const int sides = call.width > 2 ? 2 : 1, middle_twice = call.planes == 2 ? 256 : 255;
    for (std::int64_t from = 0; from < call.inputs; from += whole_chunk) {
        const std::int64_t rest = call.inputs - from, last = call.inputs - 1;
        const int count = static_cast<int>(rest < whole_chunk ? rest : whole_chunk);
        widen_scales(tile, from, count, desk);
        for (int r = 0; r < call.vectors; ++r)
            round_chunk(call.entries + r * call.inputs + from, count, r, middle_twice, desk);
        std::int64_t next = from + count;
        for (int h = 0; h < 2; ++h)
            for (int side = 0; side < sides; ++side) {
                for (int g = 0; g < groups; ++g) {
                    std::int64_t input[4];
                    for (int e = 0; e < 4; ++e) input[e] = from + 4 * g + e < last ? from + 4 * g + e : last;
                    put_together(tile, h, side, input, desk.codes[g]);
                    if (next <= last) ask_for_row(tile, next++);
                }
                multiply_all(desk, call.vectors, side, h);
            }
    }
    for (int r = 0; r < call.vectors; ++r)
        for (int block = 0; block < 4 * call.width; ++block)
            for (int n = 0; n < 32; ++n) call.y[512 * r + 32 * block + n] = desk.y[r][n][block];
}

}  // namespace tw::cpu
