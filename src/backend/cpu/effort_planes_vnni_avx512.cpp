// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes with AVX-512: bytes are multiplied as they lie. Four inputs' rows are interleaved so that a 32-bit lane holds four inputs
// of one output, the code wanted is masked where it stands (its place is a power of 4 that a shift takes out at the end), and
// vpdpbusd adds four products at once:
//      rows of 4 inputs   --unpack-->   4 vectors, lane = block   --and 3, 12, 48, 192-->   16 sums of 16 blocks, half a tile
// One pass a plane, the most significant first: the sums are shifted up between the passes.
#include <immintrin.h>

#include "backend/cpu/effort_planes_tile.hpp"

namespace tw::cpu {
namespace {

using planes::chunk;

/// The entries of a chunk that have a plane, and their rounded v d: 16 bytes an entry, filled up with zeros to fours.
struct List {
    alignas(64) std::int8_t high[chunk][16], low[chunk][16];
    std::int64_t input[chunk];
    int count;
};

TW_INSIDE void append(List& list, const EffortEntry& entry, __m128i high, __m128i low) {
    _mm_store_si128(reinterpret_cast<__m128i*>(list.high[list.count]), high);
    _mm_store_si128(reinterpret_cast<__m128i*>(list.low[list.count]), low);
    list.input[list.count++] = entry.input;
}

TW_INSIDE void fill_up(List& list) {
    for (int e = list.count; e % 4 != 0; ++e) {
        _mm_store_si128(reinterpret_cast<__m128i*>(list.high[e]), _mm_setzero_si128());
        _mm_store_si128(reinterpret_cast<__m128i*>(list.low[e]), _mm_setzero_si128());
        list.input[e] = list.input[list.count - 1];
    }
}

/// Rounds v d of a chunk; `ahead` entries follow in the next one. Returns the blocks' steps.
TW_INSIDE __m512 round_chunk(const PlanesTileRows& tile, const EffortEntry* entries, int count, int ahead, List (&lists)[3]) {
    const auto blocks = static_cast<__mmask16>((1u << (4 * tile.width)) - 1);
    alignas(64) float product[chunk][16];
    __m512 most = _mm512_setzero_ps();
    for (int e = 0; e < count; ++e) {
        if (e < ahead) prefetch_entry(tile, entries[chunk + e]);
        const std::byte* scales = tile.scales.rows + entries[e].input * tile.scales.step;
        const __m512 d = _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(blocks, scales));
        const __m512 p = _mm512_mul_ps(_mm512_set1_ps(entries[e].v), d);
        _mm512_store_ps(product[e], p);
        most = _mm512_max_ps(most, _mm512_abs_ps(p));
    }
    const __mmask16 some = _mm512_cmp_ps_mask(most, _mm512_set1_ps(planes::least), _CMP_GE_OQ);
    const __m512 inverse = _mm512_maskz_div_ps(some, _mm512_set1_ps(127), most);
    for (List& list : lists) list.count = 0;
    for (int e = 0; e < count; ++e) {
        const __m512 p = _mm512_mul_ps(_mm512_load_ps(product[e]), inverse);
        const __m512i high = _mm512_cvtps_epi32(p);
        const __m512i low = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_sub_ps(p, _mm512_cvtepi32_ps(high)), _mm512_set1_ps(128)));
        const __m128i high_bytes = _mm512_cvtepi32_epi8(high), low_bytes = _mm512_cvtepi32_epi8(low);
        for (unsigned plane = 0; plane < entries[e].units; ++plane) append(lists[plane], entries[e], high_bytes, low_bytes);
    }
    for (List& list : lists) fill_up(list);
    return _mm512_div_ps(most, _mm512_set1_ps(127));
}

/// Byte 4 l + e of the result is byte 16 e + l: four entries' v d, turned as the rows are.
TW_INSIDE __m512i turned(const std::int8_t (*four)[16]) {
    const __m512i order = _mm512_set_epi8(
        63, 47, 31, 15, 62, 46, 30, 14, 61, 45, 29, 13, 60, 44, 28, 12, 59, 43, 27, 11, 58, 42, 26, 10, 57, 41, 25, 9, 56, 40, 24, 8,
        55, 39, 23, 7, 54, 38, 22, 6, 53, 37, 21, 5, 52, 36, 20, 4, 51, 35, 19, 3, 50, 34, 18, 2, 49, 33, 17, 1, 48, 32, 16, 0);
    return _mm512_permutexvar_epi8(order, _mm512_load_si512(four));
}

/// Four inputs' rows of 64 bytes, byte by byte beside each other: vector t has bytes 4 t .. 4 t + 3 of each 16.
TW_INSIDE void interleave(const PlaneRows& plane, const std::int64_t* inputs, std::int64_t from, __mmask64 bytes, __m512i (&x)[4]) {
    __m512i row[4];
    for (int r = 0; r < 4; ++r) row[r] = _mm512_maskz_loadu_epi8(bytes, plane.rows + inputs[r] * plane.step + from);
    const __m512i t0 = _mm512_unpacklo_epi8(row[0], row[1]), t1 = _mm512_unpackhi_epi8(row[0], row[1]);
    const __m512i u0 = _mm512_unpacklo_epi8(row[2], row[3]), u1 = _mm512_unpackhi_epi8(row[2], row[3]);
    x[0] = _mm512_unpacklo_epi16(t0, u0), x[1] = _mm512_unpackhi_epi16(t0, u0);
    x[2] = _mm512_unpacklo_epi16(t1, u1), x[3] = _mm512_unpackhi_epi16(t1, u1);
}

/// Adds half a row of A or B: sum 4 t + k counts its codes 4^k fold.
TW_INSIDE void add_two_bits(const PlaneRows& plane, std::int64_t from, __mmask64 bytes, const List& list,
                            const std::int8_t (*values)[16], __m512i (&sum)[16]) {
    const __m512i mask[4] = {_mm512_set1_epi8(0x03), _mm512_set1_epi8(0x0c), _mm512_set1_epi8(0x30), _mm512_set1_epi8(static_cast<char>(0xc0))};
    for (int e = 0; e < list.count; e += 4) {
        const __m512i value = turned(values + e);
        __m512i x[4];
        interleave(plane, list.input + e, from, bytes, x);
#pragma GCC unroll 4
        for (int t = 0; t < 4; ++t)
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) sum[4 * t + k] = _mm512_dpbusd_epi32(sum[4 * t + k], _mm512_and_si512(x[t], mask[k]), value);
    }
}

/// Adds half a row of C: sum 4 t + k counts its codes once for k < 2, else 16 fold.
TW_INSIDE void add_four_bits(const PlaneRows& plane, std::int64_t from, __mmask64 bytes, std::int64_t half, const List& list,
                             __m512i (&sum)[16]) {
    const __m512i low = _mm512_set1_epi8(0x0f), high = _mm512_set1_epi8(static_cast<char>(0xf0));
    for (int e = 0; e < list.count; e += 4) {
        const __m512i value = turned(list.high + e);
#pragma GCC unroll 2
        for (int odd = 0; odd < 2; ++odd) {
                __m512i x[4];
            interleave(plane, list.input + e, from + odd * half, bytes, x);
#pragma GCC unroll 4
            for (int t = 0; t < 4; ++t) {
                sum[4 * t + odd] = _mm512_dpbusd_epi32(sum[4 * t + odd], _mm512_and_si512(x[t], low), value);
                sum[4 * t + odd + 2] = _mm512_dpbusd_epi32(sum[4 * t + odd + 2], _mm512_and_si512(x[t], high), value);
            }
        }
    }
}

/// Of each block, the sum of an entry's rounded values over a list.
TW_INSIDE __m512i sum_of(const List& list, const std::int8_t (*values)[16]) {
    __m512i sum = _mm512_setzero_si512();
    for (int e = 0; e < list.count; e += 4) sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), turned(values + e));
    return sum;
}

TW_INSIDE __m512i times(__m512i x, int factor) { return _mm512_mullo_epi32(x, _mm512_set1_epi32(factor)); }

/// One chunk onto half a tile: y[n] holds output n of each block.
TW_INSIDE void add_chunk(const PlanesTileRows& tile, int h, const List (&lists)[3], bool fine, __m512i offset,
                         __m512i low_offset, __m512 scale, float (*y)[16]) {
    const std::int64_t half = 16 * tile.width;
    const __mmask64 bytes = tile.width == 4 ? ~__mmask64{0} : (__mmask64{1} << half) - 1;
    __m512i sum[16];
    for (__m512i& s : sum) s = _mm512_setzero_si512();
    add_two_bits(tile.a, h * half, bytes, lists[0], lists[0].high, sum);
    for (__m512i& s : sum) s = _mm512_slli_epi32(s, 2);
    add_two_bits(tile.b, h * half, bytes, lists[1], lists[1].high, sum);
#pragma GCC unroll 16
    for (int n = 0; n < 16; ++n) sum[n] = n % 2 == 0 ? _mm512_slli_epi32(sum[n], 4) : _mm512_slli_epi32(sum[n], 2);
    add_four_bits(tile.c, 2 * h * half, bytes, half, lists[2], sum);
    alignas(64) float kept[16][16];
#pragma GCC unroll 16
    for (int n = 0; n < 16; ++n) {
        const __m512i codes = n % 4 < 2 ? _mm512_slli_epi32(sum[n], 1) : _mm512_srai_epi32(sum[n], 3);
        const __m512 value = _mm512_cvtepi32_ps(_mm512_sub_epi32(codes, offset));
        if (fine) _mm512_store_ps(kept[n], value);
        else _mm512_store_ps(y[n], _mm512_add_ps(_mm512_load_ps(y[n]), _mm512_mul_ps(value, scale)));
    }
    if (!fine) return;
    for (__m512i& s : sum) s = _mm512_setzero_si512();
    add_two_bits(tile.a, h * half, bytes, lists[0], lists[0].low, sum);
    for (__m512i& s : sum) s = _mm512_slli_epi32(s, 2);
    add_two_bits(tile.b, h * half, bytes, lists[1], lists[1].low, sum);
#pragma GCC unroll 16
    for (int n = 0; n < 16; ++n) {
        const __m512i codes = _mm512_srai_epi32(_mm512_slli_epi32(sum[n], 5), static_cast<unsigned>(2 * (n % 4)));
        const __m512 low = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(codes, low_offset)), _mm512_set1_ps(1.f / 128));
        const __m512 value = _mm512_add_ps(_mm512_load_ps(kept[n]), low);
        _mm512_store_ps(y[n], _mm512_add_ps(_mm512_load_ps(y[n]), _mm512_mul_ps(value, scale)));
    }
}

}  // namespace

void effort_planes_avx512(const EffortTile& call) {
    const PlanesTileRows tile = rows_of(call);
    alignas(64) float y[32][16] = {};
    List lists[3];
    for (std::int64_t from = 0; from < call.count; from += chunk) {
        const std::int64_t rest = call.count - from;
        const int count = static_cast<int>(rest < chunk ? rest : chunk);
        const int ahead = static_cast<int>(rest - count < chunk ? rest - count : chunk);
        const __m512 step = round_chunk(tile, call.entries + from, count, ahead, lists);
        const __m512 scale = _mm512_mul_ps(step, _mm512_set1_ps(1.f / 32));
        const __m512i upper = _mm512_add_epi32(times(sum_of(lists[0], lists[0].high), 192), times(sum_of(lists[1], lists[1].high), 48));
        const __m512i offset = _mm512_add_epi32(upper, times(sum_of(lists[2], lists[2].high), 15));
        const __m512i low_offset = _mm512_add_epi32(times(sum_of(lists[0], lists[0].low), 192), times(sum_of(lists[1], lists[1].low), 48));
        for (int h = 0; h < 2; ++h) add_chunk(tile, h, lists, call.fine, offset, low_offset, scale, y + 16 * h);
    }
    for (int block = 0; block < 4 * call.width; ++block)
        for (int n = 0; n < 32; ++n) call.y[32 * block + n] = y[n][block];
}

}  // namespace tw::cpu
