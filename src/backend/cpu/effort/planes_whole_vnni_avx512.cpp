// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes as whole codes, with AVX-512: a chunk's codes are put together once, for all vectors, by two ternary-logic
// instructions each, and multiplied as bytes: q = 128 high + low, one vpdpbusd for each.
//
//   rows of 4 inputs  --a, b, c merged-->  4 rows of codes  --unpack-->  a 32-bit lane has 4 inputs of one output, lane
//   = block
//
// The half of each block's outputs that a row's half holds are 16 columns: column 4 k + t. Their codes of a chunk are
// 16 KB, in L1 while two vectors at a time are multiplied with them.
#include <immintrin.h>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu {
namespace {

using planes::whole_chunk;
constexpr int groups = whole_chunk / 4, columns = 16;

/// What a tile's chunk is made into.
struct Desk {
    __m512i codes[groups][columns];
    __m512i v[most_whole_vectors][groups][2];  ///< bytes of four inputs: high, and low
    __m512i offset[most_whole_vectors];        ///< the sum of q times what twice its code is less: 255 or 256
    __m512 scale[most_whole_vectors];
    EntryRows rows[2][whole_chunk];  ///< of this chunk and of the next one, in turns
    alignas(64) float product[whole_chunk][16], y[most_whole_vectors][32][16];
};

/// Rounds v d of a vector's chunk.
template <bool has_gaps>
TW_INSIDE void round_chunk(const EntryRows* rows, __mmask16 blocks, const EffortEntry* entries, int count, int r,
                           int planes, Desk& desk) {
    const __m512 all = _mm512_set1_ps(static_cast<float>(planes == 2 ? planes::whole_most_of_two : planes::whole_most));
    __m512 most = _mm512_setzero_ps();
    for (int e = 0; e < whole_chunk; ++e) {
        __m512 p = _mm512_setzero_ps();
        if (e < count) {
            const std::byte* scales = rows[e].scales;
            p = _mm512_mul_ps(_mm512_set1_ps(entries[e].v), _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(blocks, scales)));
        }
        _mm512_store_ps(desk.product[e], p);
        most = _mm512_max_ps(most, _mm512_abs_ps(p));
    }
    const __mmask16 some = _mm512_cmp_ps_mask(most, _mm512_set1_ps(planes::least), _CMP_GE_OQ);
    const __m512 inverse = _mm512_maskz_div_ps(some, all, most);
    __m512i sum = _mm512_setzero_si512(), shorter = sum;
    for (int g = 0; g < groups; ++g) {
        __m512i high = _mm512_setzero_si512(), low = _mm512_setzero_si512();
#pragma GCC unroll 4
        for (int e = 0; e < 4; ++e) {
            const __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_load_ps(desk.product[4 * g + e]), inverse));
            sum = _mm512_add_epi32(sum, q);
            const bool is_short = has_gaps && 4 * g + e < count && entries[4 * g + e].units < 3;
            if (has_gaps) shorter = _mm512_mask_add_epi32(shorter, is_short ? 0xffff : 0, shorter, q);
            const __m512i upper = _mm512_srai_epi32(_mm512_add_epi32(q, _mm512_set1_epi32(64)), 7);
            const __m512i rest = _mm512_sub_epi32(q, _mm512_slli_epi32(upper, 7));
            const auto byte = static_cast<__mmask64>(0x1111111111111111u) << e;
            high = _mm512_mask_mov_epi8(high, byte, _mm512_slli_epi32(upper, static_cast<unsigned>(8 * e)));
            low = _mm512_mask_mov_epi8(low, byte, _mm512_slli_epi32(rest, static_cast<unsigned>(8 * e)));
        }
        desk.v[r][g][0] = high, desk.v[r][g][1] = low;
    }
    desk.offset[r] = _mm512_mullo_epi32(sum, _mm512_set1_epi32(planes == 2 ? 256 : 255));
    if (has_gaps) desk.offset[r] = _mm512_add_epi32(desk.offset[r], shorter);
    desk.scale[r] = _mm512_mul_ps(_mm512_div_ps(most, all), _mm512_set1_ps(1.f / 32));
}

/// The codes number k of a row's bytes.
template <int k>
TW_INSIDE __m512i code_of(__m512i a, __m512i b, __m512i c) {
    const __m512i x = k == 3 ? a : _mm512_slli_epi16(a, 6 - 2 * k);
    const __m512i y = k == 3 ? _mm512_srli_epi16(b, 2) : _mm512_slli_epi16(b, k == 3 ? 0u : 4u - 2u * k);
    const __m512i z = k < 2 ? c : _mm512_srli_epi16(c, 4);
    const __m512i upper = _mm512_ternarylogic_epi32(_mm512_set1_epi8(static_cast<char>(0xc0)), x, y, 0xca);
    return _mm512_ternarylogic_epi32(_mm512_set1_epi8(static_cast<char>(0xf0)), upper, z, 0xca);
}

/// Puts the codes number k of four inputs together, and lays them byte by byte beside each other: vector t has bytes 4
/// t .. 4 t + 3 of each 16.
template <int k>
TW_INSIDE void put_together(const __m512i (&a)[4], const __m512i (&b)[4], const __m512i (&c)[2][4], __m512i* codes) {
    __m512i row[4];
#pragma GCC unroll 4
    for (int e = 0; e < 4; ++e) row[e] = code_of<k>(a[e], b[e], c[k % 2][e]);
    const __m512i t0 = _mm512_unpacklo_epi8(row[0], row[1]), t1 = _mm512_unpackhi_epi8(row[0], row[1]);
    const __m512i u0 = _mm512_unpacklo_epi8(row[2], row[3]), u1 = _mm512_unpackhi_epi8(row[2], row[3]);
    codes[4 * k] = _mm512_unpacklo_epi16(t0, u0), codes[4 * k + 1] = _mm512_unpackhi_epi16(t0, u0);
    codes[4 * k + 2] = _mm512_unpacklo_epi16(t1, u1), codes[4 * k + 3] = _mm512_unpackhi_epi16(t1, u1);
}

TW_INSIDE void put_group(const EntryRows* rows, std::int64_t half, int h, __mmask64 bytes, __m512i* codes) {
    __m512i a[4], b[4], c[2][4];
#pragma GCC unroll 4
    for (int e = 0; e < 4; ++e) {
        a[e] = _mm512_maskz_loadu_epi8(bytes, rows[e].a + h * half);
        b[e] = _mm512_maskz_loadu_epi8(bytes, rows[e].b + h * half);
        const std::byte* row = rows[e].c + 2 * h * half;
        c[0][e] = _mm512_maskz_loadu_epi8(bytes, row), c[1][e] = _mm512_maskz_loadu_epi8(bytes, row + half);
    }
    put_together<0>(a, b, c, codes), put_together<1>(a, b, c, codes);
    put_together<2>(a, b, c, codes), put_together<3>(a, b, c, codes);
}

/// Multiplies `vectors` vectors from r on with `width` columns of a chunk.
template <int vectors, int width>
TW_INSIDE void multiply(Desk& desk, int r, int h, int column) {
    __m512i high[vectors][width], low[vectors][width];
    for (int n = 0; n < vectors; ++n)
        for (int c = 0; c < width; ++c) high[n][c] = low[n][c] = _mm512_setzero_si512();
    for (int g = 0; g < groups; ++g)
#pragma GCC unroll 2
        for (int n = 0; n < vectors; ++n) {
            const __m512i v_high = desk.v[r + n][g][0], v_low = desk.v[r + n][g][1];
#pragma GCC unroll 8
            for (int c = 0; c < width; ++c) {
                high[n][c] = _mm512_dpbusd_epi32(high[n][c], desk.codes[g][column + c], v_high);
                low[n][c] = _mm512_dpbusd_epi32(low[n][c], desk.codes[g][column + c], v_low);
                asm("" : "+v"(high[n][c]), "+v"(low[n][c]));  // else g++ 12 copies every sum twice a group
            }
        }
#pragma GCC unroll 2
    for (int n = 0; n < vectors; ++n)
#pragma GCC unroll 8
        for (int c = 0; c < width; ++c) {
            const int k = (column + c) / 4, t = (column + c) % 4;
            float* to = desk.y[r + n][16 * h + 4 * t + k];
            const __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(high[n][c], 8), _mm512_slli_epi32(low[n][c], 1));
            const __m512 whole = _mm512_cvtepi32_ps(_mm512_sub_epi32(sum, desk.offset[r + n]));
            _mm512_store_ps(to, _mm512_add_ps(_mm512_load_ps(to), _mm512_mul_ps(whole, desk.scale[r + n])));
        }
}

TW_INSIDE void multiply_all(Desk& desk, int vectors, int h) {
    int r = 0;
    for (; r + 2 <= vectors; r += 2)
        for (int c = 0; c < columns; c += 4) multiply<2, 4>(desk, r, h, c);
    if (r < vectors)
        for (int c = 0; c < columns; c += 8) multiply<1, 8>(desk, r, h, c);
}

TW_INSIDE void ask_for_rows(const EntryRows& rows, std::int64_t half) {
    ask_for(rows.scales);
    for (int h = 0; h < 2; ++h) ask_for(rows.a + h * half), ask_for(rows.b + h * half);
    for (int q = 0; q < 4; ++q) ask_for(rows.c + q * half);
}

}  // namespace

void effort_planes_whole_avx512(const EffortWholeTile& call) {
    const WholeTileRows tile(call);
    const std::int64_t half = 16 * call.width;
    const auto blocks = static_cast<__mmask16>((1u << (4 * call.width)) - 1);
    const __mmask64 bytes = call.width == 4 ? ~__mmask64{0} : (__mmask64{1} << 16 * call.width) - 1;
    Desk desk;
    for (int r = 0; r < call.vectors; ++r)
        for (auto& sums : desk.y[r]) _mm512_store_ps(sums, _mm512_setzero_ps());
    const auto count_from = [&](std::int64_t from) {
        return static_cast<int>(call.count - from < whole_chunk ? call.count - from : whole_chunk);
    };
    int count = count_from(0), following;
    tile.find(call.entries, count, call.has_gaps, desk.rows[0]);
    for (std::int64_t from = 0; from < call.count; from += count, count = following) {
        EntryRows *const rows = desk.rows[from / whole_chunk % 2], *const next = desk.rows[from / whole_chunk % 2 ^ 1];
        fill_up(rows, count);
        const EffortEntry* const entries = call.entries + from;
        if (call.has_gaps) round_chunk<true>(rows, blocks, entries, count, 0, call.planes, desk);
        else
            for (int r = 0; r < call.vectors; ++r)
                round_chunk<false>(rows, blocks, entries + r * call.inputs, count, r, call.planes, desk);
        following = count_from(from + count);
        tile.find(entries + count, following, call.has_gaps, next);
        int asked = 0;
        for (int h = 0; h < 2; ++h) {
            for (int g = 0; g < groups; ++g) {
                put_group(rows + 4 * g, half, h, bytes, desk.codes[g]);
                for (int e = 0; e < 2 && asked < following; ++e) ask_for_rows(next[asked++], half);
            }
            multiply_all(desk, call.vectors, h);
        }
    }
    for (int r = 0; r < call.vectors; ++r)
        for (int block = 0; block < 4 * call.width; ++block)
            for (int n = 0; n < 32; ++n) call.y[512 * r + 32 * block + n] = desk.y[r][n][block];
}

}  // namespace tw::cpu
