// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes with AVX2: the way of effort_planes_vnni_avx512.cpp, with half the vector and a third of its multiply: bytes
// are multiplied and added in pairs to 16 bits (vpmaddubsw), two fours of inputs are added there, then widened to 32
// (vpmaddwd). Two vectors of eight blocks make a tile's sixteen; a pass keeps eight sums, the lower or the upper half
// of the unpacking. The highest code of a byte is shifted down before it is multiplied: 192 x 127 twice would not fit
// into 16 bits.
#include <immintrin.h>

#include <cstring>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu {
namespace {

using planes::chunk;
constexpr int at_once = 8;  // entries

/// The entries of a chunk that have a plane: where they are, and their rounded v d, fours of entries turned so that the
/// four bytes of a block are neighbours. Filled up with zeros to eights.
struct List {
    alignas(32) std::int8_t high[chunk][16], low[chunk][16];
    alignas(32) std::int8_t turned_high[chunk / 4][64], turned_low[chunk / 4][64];
    std::int64_t input[chunk];
    int count;
};

TW_INSIDE __m128i narrowed(__m256i low, __m256i high) {
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
    return _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

TW_INSIDE void turn(const std::int8_t (*from)[16], std::int8_t* to) {
    __m128i row[4];
    for (int r = 0; r < 4; ++r) row[r] = _mm_load_si128(reinterpret_cast<const __m128i*>(from[r]));
    const __m128i t0 = _mm_unpacklo_epi8(row[0], row[1]), t1 = _mm_unpackhi_epi8(row[0], row[1]);
    const __m128i u0 = _mm_unpacklo_epi8(row[2], row[3]), u1 = _mm_unpackhi_epi8(row[2], row[3]);
    const __m128i all[4] = {_mm_unpacklo_epi16(t0, u0), _mm_unpackhi_epi16(t0, u0), _mm_unpacklo_epi16(t1, u1),
                            _mm_unpackhi_epi16(t1, u1)};
    for (int q = 0; q < 4; ++q) _mm_store_si128(reinterpret_cast<__m128i*>(to + 16 * q), all[q]);
}

TW_INSIDE void complete(List& list, bool fine) {
    for (int e = list.count; e % at_once != 0; ++e) {
        std::memset(list.high[e], 0, 16), std::memset(list.low[e], 0, 16);
        list.input[e] = list.input[list.count - 1];
    }
    for (int four = 0; 4 * four < list.count; four += 2)
        for (int f = four; f < four + 2; ++f) {
            turn(list.high + 4 * f, list.turned_high[f]);
            if (fine) turn(list.low + 4 * f, list.turned_low[f]);
        }
}

/// Rounds v d of a chunk.
TW_INSIDE void round_chunk(const PlanesTileRows& tile, const EffortEntry* entries, int count, bool fine, Ahead& ahead,
                           List (&lists)[3], __m256 (&step)[2]) {
    alignas(32) float product[chunk][16];
    const __m256 size = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    __m256 most[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()}, inverse[2];
    for (int e = 0; e < count; ++e) {
        alignas(32) std::uint16_t scales[16] = {};
        std::memcpy(scales, tile.scales.rows + entries[e].input * 8 * tile.width,
                    static_cast<std::size_t>(8 * tile.width));
        for (int s = 0; s < 2; ++s) {
            const __m256 d = _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(scales + 8 * s)));
            const __m256 p = _mm256_mul_ps(_mm256_set1_ps(entries[e].v), d);
            _mm256_store_ps(product[e] + 8 * s, p);
            most[s] = _mm256_max_ps(most[s], _mm256_and_ps(p, size));
        }
    }
    for (int s = 0; s < 2; ++s) {
        const __m256 some = _mm256_cmp_ps(most[s], _mm256_set1_ps(planes::least), _CMP_GE_OQ);
        inverse[s] = _mm256_and_ps(some, _mm256_div_ps(_mm256_set1_ps(127), most[s]));
        step[s] = _mm256_div_ps(most[s], _mm256_set1_ps(127));
    }
    int listed[3] = {};  // not the lists' own: those would be stored and loaded again for every entry
    for (int e = 0; e < count; ++e) {
        __m256 p[2];
        __m256i high[2], low[2];
        for (int s = 0; s < 2; ++s) {
            p[s] = _mm256_mul_ps(_mm256_load_ps(product[e] + 8 * s), inverse[s]);
            high[s] = _mm256_cvtps_epi32(p[s]);
        }
        if (e % entries_a_step == 0) ask_for_one(ahead);
        const __m128i high_bytes = narrowed(high[0], high[1]);
        for (int l = 0; l < 3; ++l) {  // no branch: what a list does not want is written over
            _mm_store_si128(reinterpret_cast<__m128i*>(lists[l].high[listed[l]]), high_bytes);
            lists[l].input[listed[l]] = entries[e].input;
        }
        if (fine) {
            for (int s = 0; s < 2; ++s)
                low[s] = _mm256_cvtps_epi32(
                    _mm256_mul_ps(_mm256_sub_ps(p[s], _mm256_cvtepi32_ps(high[s])), _mm256_set1_ps(128)));
            const __m128i low_bytes = narrowed(low[0], low[1]);
            for (int l = 0; l < 3; ++l) _mm_store_si128(reinterpret_cast<__m128i*>(lists[l].low[listed[l]]), low_bytes);
        }
        for (unsigned plane = 0; plane < 3; ++plane) listed[plane] += entries[e].units > plane;
    }
    for (int l = 0; l < 3; ++l) lists[l].count = listed[l], complete(lists[l], fine);
}

/// Eight inputs' bytes: two fours, interleaved, the lower or the upper eight bytes of each 16.
template <bool upper>
TW_INSIDE void interleave(const PlaneRows& plane, const std::int64_t* inputs, std::int64_t from, bool is_half,
                          __m256i (&x)[2][2]) {
    for (int four = 0; four < 2; ++four) {
        __m256i row[4];
        for (int r = 0; r < 4; ++r) {
            const std::byte* bytes = plane.rows + inputs[4 * four + r] * plane.step + from;
            row[r] = is_half ? _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)))
                             : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
        }
        const __m256i t = upper ? _mm256_unpackhi_epi8(row[0], row[1]) : _mm256_unpacklo_epi8(row[0], row[1]);
        const __m256i u = upper ? _mm256_unpackhi_epi8(row[2], row[3]) : _mm256_unpacklo_epi8(row[2], row[3]);
        x[four][0] = _mm256_unpacklo_epi16(t, u), x[four][1] = _mm256_unpackhi_epi16(t, u);
    }
}

/// sum += the codes of both fours times their values.
TW_INSIDE __m256i add_products(__m256i sum, __m256i codes0, __m256i value0, __m256i codes1, __m256i value1) {
    const __m256i words = _mm256_add_epi16(_mm256_maddubs_epi16(codes0, value0), _mm256_maddubs_epi16(codes1, value1));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(words, _mm256_set1_epi16(1)));
}

TW_INSIDE __m256i value_of(const std::int8_t* turned) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(turned));
}

/// Sum 4 t + k counts the codes 4^min(k, 2) fold.
template <bool upper>
TW_INSIDE void add_two_bits(const PlaneRows& plane, std::int64_t from, bool is_half, int side, const List& list,
                            const std::int8_t (*turned)[64], Ahead& ahead, __m256i (&sum)[8]) {
    const __m256i mask[4] = {_mm256_set1_epi8(0x03), _mm256_set1_epi8(0x0c), _mm256_set1_epi8(0x30),
                             _mm256_set1_epi8(0x30)};
    for (int e = 0; e < list.count; e += at_once) {
        ask_for_one(ahead);
        const __m256i value0 = value_of(turned[e / 4] + 32 * side), value1 = value_of(turned[e / 4 + 1] + 32 * side);
        __m256i x[2][2];
        interleave<upper>(plane, list.input + e, from, is_half, x);
#pragma GCC unroll 2
        for (int t = 0; t < 2; ++t)
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) {
                const __m256i codes0 = k == 3 ? _mm256_srli_epi16(x[0][t], 2) : x[0][t];
                const __m256i codes1 = k == 3 ? _mm256_srli_epi16(x[1][t], 2) : x[1][t];
                sum[4 * t + k] = add_products(sum[4 * t + k], _mm256_and_si256(codes0, mask[k]), value0,
                                              _mm256_and_si256(codes1, mask[k]), value1);
            }
    }
}

template <bool upper>
TW_INSIDE void add_four_bits(const PlanesTileRows& tile, int h, bool is_half, int side, const List& list, Ahead& ahead,
                             __m256i (&sum)[8]) {
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    for (int e = 0; e < list.count; e += at_once) {
        ask_for_one(ahead);
        const __m256i value0 = value_of(list.turned_high[e / 4] + 32 * side),
                      value1 = value_of(list.turned_high[e / 4 + 1] + 32 * side);
#pragma GCC unroll 2
        for (int odd = 0; odd < 2; ++odd) {
            __m256i x[2][2];
            interleave<upper>(tile.c, list.input + e, (2 * h + odd) * 16 * tile.width + 32 * side, is_half, x);
#pragma GCC unroll 2
            for (int t = 0; t < 2; ++t) {
                const __m256i high0 = _mm256_srli_epi16(x[0][t], 4), high1 = _mm256_srli_epi16(x[1][t], 4);
                sum[4 * t + odd] = add_products(sum[4 * t + odd], _mm256_and_si256(x[0][t], nibble), value0,
                                                _mm256_and_si256(x[1][t], nibble), value1);
                sum[4 * t + odd + 2] = add_products(sum[4 * t + odd + 2], _mm256_and_si256(high0, nibble), value0,
                                                    _mm256_and_si256(high1, nibble), value1);
            }
        }
    }
}

/// O of each block of one side: so many halves an entry and plane.
TW_INSIDE __m256i offset_of(const List& list, const std::int8_t (*turned)[64], int side, int halves) {
    __m256i sum = _mm256_setzero_si256();
    const __m256i ones = _mm256_set1_epi8(1);
    for (int e = 0; e < list.count; e += at_once)
        sum =
            add_products(sum, ones, value_of(turned[e / 4] + 32 * side), ones, value_of(turned[e / 4 + 1] + 32 * side));
    return _mm256_mullo_epi32(sum, _mm256_set1_epi32(halves));
}

/// The sums of A and B, as 4^min(k, 2) (4 a + b); brought to 16 (4 a + b).
template <bool upper>
TW_INSIDE void add_first_planes(const PlanesTileRows& tile, int h, bool is_half, int side, const List (&lists)[3],
                                bool low, Ahead& ahead, __m256i (&sum)[8]) {
    const std::int64_t from = h * 16 * tile.width + 32 * side;
    for (__m256i& s : sum) s = _mm256_setzero_si256();
    add_two_bits<upper>(tile.a, from, is_half, side, lists[0], low ? lists[0].turned_low : lists[0].turned_high, ahead,
                        sum);
    for (__m256i& s : sum) s = _mm256_slli_epi32(s, 2);
    add_two_bits<upper>(tile.b, from, is_half, side, lists[1], low ? lists[1].turned_low : lists[1].turned_high, ahead,
                        sum);
    for (int n = 0; n < 8; n += 4) sum[n] = _mm256_slli_epi32(sum[n], 4), sum[n + 1] = _mm256_slli_epi32(sum[n + 1], 2);
}

/// One chunk onto eight outputs (half a half) of eight blocks (a side).
template <bool upper>
TW_INSIDE void add_chunk(const PlanesTileRows& tile, int h, int side, const List (&lists)[3], bool fine, __m256i offset,
                         __m256i low_offset, __m256 scale, Ahead& ahead, float (*y)[16]) {
    const bool is_half = 32 * (side + 1) > 16 * tile.width;
    __m256i sum[8];
    __m256 value[8];
    add_first_planes<upper>(tile, h, is_half, side, lists, false, ahead, sum);
    add_four_bits<upper>(tile, h, is_half, side, lists[2], ahead, sum);
    for (int n = 0; n < 8; ++n) value[n] = _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_slli_epi32(sum[n], 1), offset));
    if (fine) {
        add_first_planes<upper>(tile, h, is_half, side, lists, true, ahead, sum);
        for (int n = 0; n < 8; ++n) {
            const __m256 low = _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_slli_epi32(sum[n], 1), low_offset));
            value[n] = _mm256_add_ps(value[n], _mm256_mul_ps(low, _mm256_set1_ps(1.f / 128)));
        }
    }
    for (int n = 0; n < 8; ++n) {
        float* to = y[16 * h + (upper ? 8 : 0) + n] + 8 * side;
        _mm256_store_ps(to, _mm256_add_ps(_mm256_load_ps(to), _mm256_mul_ps(value[n], scale)));
    }
}

/// The width is a constant for the sake of addresses, and of copies of 8 bytes times it: as calls of memcpy they took
/// an eighth of a product's time.
template <int width>
void multiply_tile(const EffortTile& call) {
    const PlanesTileRows tile = rows_of(call.rows, call.inputs, width);
    const PlanesTileRows next_tile = rows_of(call.next_rows ? call.next_rows : call.rows, call.inputs, width);
    alignas(32) float y[32][16] = {};
    List lists[3];
    for (std::int64_t from = 0; from < call.count; from += chunk) {
        const std::int64_t rest = call.count - from;
        const int count = static_cast<int>(rest < chunk ? rest : chunk);
        const EffortEntry* next = call.entries + from + count;
        Ahead ahead{tile, next, next + (rest - count < chunk ? rest - count : chunk)};
        if (rest == count && call.next_rows)
            ahead = {next_tile, call.entries, call.entries + (call.count < chunk ? call.count : chunk)};
        __m256 step[2];
        round_chunk(tile, call.entries + from, count, call.fine, ahead, lists, step);
        for (int side = 0; 2 * side < width; ++side) {
            const __m256 scale = _mm256_mul_ps(step[side], _mm256_set1_ps(1.f / 32));
            const __m256i upper = _mm256_add_epi32(offset_of(lists[0], lists[0].turned_high, side, 192),
                                                   offset_of(lists[1], lists[1].turned_high, side, 48));
            const __m256i offset = _mm256_add_epi32(upper, offset_of(lists[2], lists[2].turned_high, side, 15));
            __m256i low_offset = _mm256_setzero_si256();
            if (call.fine)
                low_offset = _mm256_add_epi32(offset_of(lists[0], lists[0].turned_low, side, 192),
                                              offset_of(lists[1], lists[1].turned_low, side, 48));
            for (int h = 0; h < 2; ++h) {
                add_chunk<false>(tile, h, side, lists, call.fine, offset, low_offset, scale, ahead, y);
                add_chunk<true>(tile, h, side, lists, call.fine, offset, low_offset, scale, ahead, y);
            }
        }
        while (ahead.next != ahead.end) ask_for_one(ahead);
    }
    for (int block = 0; block < 4 * width; ++block)
        for (int n = 0; n < 32; ++n) call.y[32 * block + n] = y[n][block];
}

}  // namespace

void effort_planes_avx2(const EffortTile& call) {
    switch (call.width) {
        case 1: return multiply_tile<1>(call);
        case 2: return multiply_tile<2>(call);
        case 3: return multiply_tile<3>(call);
        default: return multiply_tile<4>(call);
    }
}

}  // namespace tw::cpu
