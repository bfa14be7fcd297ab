// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes with AVX2, of which some rows are read. A and B are put together where both are read; rows of two entries are
// laid beside each other; their codes, a byte each, are multiplied and added in pairs to 16 bits, and summed there.
//
//   A, B  --shift, choose bits-->  nibbles 4 a + b, as C's are  --unpack-->  a 16-bit lane has 2 entries of one output
//     --shift, and-->  codes of column 4 t + k  --vpmaddubsw with v d, vpaddw-->  sums of 32 entries, of A alone of 128
//     --vpmaddwd with the plane's weight, even and odd lanes-->  sums
//
// Sums begin at - 8 times v d, of A alone at - 2 times it: so they fit into 16 bits at their end, and may wrap before.
// A side is eight blocks, a half the 16 outputs of each block that a row's half holds: their codes of one k are two
// vectors, of t = 0, 1 and of t = 2, 3.
#include "backend/cpu/effort/planes_round_avx2.hpp"
#include "backend/cpu/effort/planes_sums_avx2.hpp"

namespace tw::cpu {
namespace {

using namespace mixed;

/// Of a half and a side: sum [k][t / 2][block % 2]; 32-bit lane 2 (t % 2) + block / 2 % 2 of a quarter.
using Sums = __m256i[4][2][2];
using Words = __m256i[4][2];

template <bool is_half>
TW_INSIDE __m256i load(const std::byte* bytes) {
    return is_half ? _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)))
                   : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
}

/// 16-bit lanes times a weight, those of even or of odd blocks.
TW_INSIDE __m256i widened(__m256i words, int weight, int odd) {
    return _mm256_madd_epi16(words, _mm256_set1_epi32(weight << (16 * odd)));
}

TW_INSIDE void add_widened(const Words& words, int weight, Sums& sum) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
#pragma GCC unroll 2
        for (int part = 0; part < 2; ++part)
#pragma GCC unroll 2
            for (int odd = 0; odd < 2; ++odd)
                sum[k][part][odd] = _mm256_add_epi32(sum[k][part][odd], widened(words[k][part], weight, odd));
}

TW_INSIDE __m256i of_side(__m256i words, int side) {
    return side == 0 ? _mm256_unpacklo_epi64(words, words) : _mm256_unpackhi_epi64(words, words);
}

/// - 2^shift v d.
TW_INSIDE void begin(__m256i sum_of_v, int shift, int side, Words& words) {
    const __m256i some = _mm256_sub_epi16(_mm256_setzero_si256(), _mm256_slli_epi16(of_side(sum_of_v, side), shift));
#pragma GCC unroll 4
    for (auto& of_k : words) of_k[0] = of_k[1] = some;
}

TW_INSIDE void add_product(__m256i& sum, __m256i codes, __m256i value) {
    sums::add_words(sum, _mm256_maddubs_epi16(codes, value));
}

/// What comes next is asked for evenly.
struct Pace {
    Asking asking;
    int asks, pairs, owed;  ///< so many in so many pairs
};

TW_INSIDE __m256i sum_of(const List& list) {
    __m256i sum = _mm256_setzero_si256();
    for (int group = 0; group * pairs_of_four_bits < list.pairs; ++group) sum = _mm256_add_epi16(sum, list.sum[group]);
    return sum;
}

/// Twice the weights of codes, as sums are of 2 F - O.
constexpr int weight_of[3] = {128, 32, 2};

/// A alone. Not inlined, so that the sums stay in registers.
template <int width, bool is_half>
[[gnu::noinline]] void add_two_bits(const std::byte* a, const List& list, int side, Pace& pace, Sums& sum) {
    const __m256i mask = _mm256_set1_epi8(3);
    Words words;
    begin(sum_of(list), 1, side, words);
    int owed = pace.owed;
    const int asks = pace.asks, pairs = pace.pairs;
    for (int p = 0; p < list.pairs; ++p) {
        owed += asks;
        if (owed >= pairs) owed -= pairs, pace.asking.ask<width>();
        const __m256i value = list.values[side][p];
        const __m256i row0 = load<is_half>(a + std::int64_t{list.rows[2 * p].input} * (32 * width)),
                      row1 = load<is_half>(a + std::int64_t{list.rows[2 * p + 1].input} * (32 * width));
        const __m256i x[2] = {_mm256_unpacklo_epi8(row0, row1), _mm256_unpackhi_epi8(row0, row1)};
#pragma GCC unroll 2
        for (int part = 0; part < 2; ++part)
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k)
                add_product(words[k][part],
                            _mm256_and_si256(k == 0 ? x[part] : _mm256_srli_epi16(x[part], 2 * k), mask), value);
    }
    add_widened(words, weight_of[of_a], sum);
    pace.owed = owed;
}

/// An entry's nibbles of even and of odd k, in C, or of A and B put together: their bits are swapped.
template <int width, bool is_half, Kind kind>
TW_INSIDE void nibbles(const std::byte* first, const std::byte* b, std::int64_t input, __m256i (&x)[2]) {
    if constexpr (kind == of_c) {
        x[0] = load<is_half>(first + input * (64 * width)),
        x[1] = load<is_half>(first + 16 * width + input * (64 * width));
        return;
    }
    const __m256i row_a = load<is_half>(first + input * (32 * width)), row_b = load<is_half>(b + input * (32 * width));
    const __m256i upper_two = _mm256_set1_epi8(static_cast<char>(0xcc));
    const __m256i swapped = _mm256_and_si256(upper_two, _mm256_xor_si256(_mm256_slli_epi16(row_a, 2), row_b));
    x[0] = _mm256_xor_si256(row_b, swapped), x[1] = _mm256_xor_si256(row_a, _mm256_srli_epi16(swapped, 2));
}

template <int width, bool is_half, Kind kind>
[[gnu::noinline]] void add_four_bits(const std::byte* first_plane, const std::byte* b, const List& list, int side,
                                     Pace& pace, Sums& sum) {
    const __m256i mask = _mm256_set1_epi8(15);
    int owed = pace.owed;
    const int asks = pace.asks, pairs = pace.pairs;
    for (int first = 0; first < list.pairs; first += pairs_of_four_bits) {
        const int end = list.pairs - first < pairs_of_four_bits ? list.pairs : first + pairs_of_four_bits;
        Words words;
        begin(list.sum[first / pairs_of_four_bits], 3, side, words);
        for (int p = first; p < end; ++p) {
            owed += asks;
            if (owed >= pairs) owed -= pairs, pace.asking.ask<width>();
            const __m256i value = list.values[side][p];
            __m256i row0[2], row1[2];
            nibbles<width, is_half, kind>(first_plane, b, list.rows[2 * p].input, row0);
            nibbles<width, is_half, kind>(first_plane, b, list.rows[2 * p + 1].input, row1);
#pragma GCC unroll 2
            for (int odd = 0; odd < 2; ++odd) {
                const __m256i x[2] = {_mm256_unpacklo_epi8(row0[odd], row1[odd]),
                                      _mm256_unpackhi_epi8(row0[odd], row1[odd])};
#pragma GCC unroll 2
                for (int part = 0; part < 2; ++part) {
                    add_product(words[odd][part], _mm256_and_si256(x[part], mask), value);
                    add_product(words[odd + 2][part], _mm256_and_si256(_mm256_srli_epi16(x[part], 4), mask), value);
                }
            }
        }
        add_widened(words, weight_of[kind], sum);
    }
    pace.owed = owed;
}

/// What the sums of a chunk have more than 2 F - O: half a code's weight times v d.
TW_INSIDE void begin_sums(const Desk& desk, int side, Sums& sum) {
    __m256i rest[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    for (int l = 0; l < 3; ++l) {
        const __m256i words = of_side(sum_of(desk.lists[l]), side);
        for (int odd = 0; odd < 2; ++odd)
            rest[odd] = _mm256_add_epi32(rest[odd], widened(words, weight_of[l] / 2, odd));
    }
    for (auto& of_k : sum)
        for (auto& of_part : of_k) of_part[0] = rest[0], of_part[1] = rest[1];
}

/// One chunk onto 16 outputs (a half) of eight blocks (a side).
template <int width, int side>
TW_INSIDE void add_chunk(const PlanesTileRows& tile, int h, const Desk& desk, Pace& pace, __m256 (&y)[4][2][2]) {
    constexpr bool is_half = 2 * (side + 1) > width;
    const std::int64_t from = h * 16 * width + 32 * side;
    const std::byte *a = tile.a.rows + from, *b = tile.b.rows + from, *c = tile.c.rows + from + h * 16 * width;
    Sums sum;
    begin_sums(desk, side, sum);
    add_two_bits<width, is_half>(a, desk.lists[of_a], side, pace, sum);
    add_four_bits<width, is_half, of_a_and_b>(a, b, desk.lists[of_a_and_b], side, pace, sum);
    add_four_bits<width, is_half, of_c>(c, nullptr, desk.lists[of_c], side, pace, sum);
    const __m256 step = _mm256_mul_ps(desk.step[side], _mm256_set1_ps(1.f / 32));
    const __m256 scale[2] = {_mm256_permute_ps(step, 0x88), _mm256_permute_ps(step, 0xdd)};
    for (int k = 0; k < 4; ++k)
        for (int part = 0; part < 2; ++part)
            for (int odd = 0; odd < 2; ++odd) {
                __m256& to = y[k][part][odd];
                to = _mm256_add_ps(to, _mm256_mul_ps(_mm256_cvtepi32_ps(sum[k][part][odd]), scale[odd]));
            }
}

template <int width>
void write(const __m256 (&y)[2][2][4][2][2], float* to) {
    for (int side = 0; 2 * side < width; ++side)
        for (int h = 0; h < 2; ++h)
            for (int k = 0; k < 4; ++k)
                for (int part = 0; part < 2; ++part)
                    for (int odd = 0; odd < 2; ++odd) {
                        alignas(32) float lanes[8];
                        _mm256_store_ps(lanes, y[side][h][k][part][odd]);
                        for (int lane = 0; lane < 8 && 2 * side + lane / 4 < width; ++lane) {
                            const int block = 8 * side + lane / 4 * 4 + lane % 2 * 2 + odd, t = 2 * part + lane / 2 % 2;
                            to[32 * block + 16 * h + 4 * t + k] = lanes[lane];
                        }
                    }
}

TW_INSIDE Pace pace_of(const Asking& asking, const Desk& desk, int width) {
    int pairs = 0;
    for (const List& list : desk.lists) pairs += list.pairs;
    const int steps = (width > 2 ? 4 : 2) * pairs;
    return {asking, static_cast<int>(asking.left()), steps, 0};
}

/// The width is a constant for the sake of addresses, and of copies of 8 bytes times it: as calls of memcpy they took
/// an eighth of a product's time.
template <int width>
void multiply_tile(const EffortTile& call) {
    const PlanesTileRows tile = rows_of(call.rows, call.inputs, width);
    const AskedTile own{tile}, next_tile{rows_of(call.next_rows ? call.next_rows : call.rows, call.inputs, width)};
    __m256 y[2][2][4][2][2] = {};
    Desk desk;
    for (std::int64_t from = 0; from < call.count; from += chunk) {
        const std::int64_t rest = call.count - from;
        const int count = static_cast<int>(rest < chunk ? rest : chunk);
        const EffortEntry* next = call.entries + from + count;
        Asking asking{&own, next, next + (rest - count < chunk ? rest - count : chunk)};
        if (rest == count && call.next_rows)
            asking = {&next_tile, call.entries, call.entries + (call.count < chunk ? call.count : chunk)};
        round_chunk<width>(tile, call.entries + from, count, asking, desk);
        Pace pace = pace_of(asking, desk, width);
        for (int h = 0; h < 2; ++h) {
            add_chunk<width, 0>(tile, h, desk, pace, y[0][h]);
            if constexpr (width > 2) add_chunk<width, 1>(tile, h, desk, pace, y[1][h]);
        }
        while (pace.asking.left() > 0) pace.asking.ask<width>();
    }
    write<width>(y, call.y);
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
