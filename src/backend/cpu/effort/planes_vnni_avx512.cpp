// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes with AVX-512: bytes are multiplied as they lie. Four inputs' rows are interleaved so that a 32-bit lane holds
// four inputs of one output, and vpdpbusd adds four products at once: of the whole byte, and of the byte less its upper
// codes. What one code brings is the difference of two such sums (its place is a power of 4 that a shift takes out at
// the end):
//      rows of 4 inputs   --unpack-->   4 vectors, lane = block   --and 255, 63, 15, 3-->   16 sums of 16 blocks, half
//      a tile
// One pass a plane, the most significant first: the sums are shifted up between the passes.
#include <immintrin.h>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu {
namespace {

using planes::chunk;

/// The entries of a chunk that have a plane, and their rounded v d: 16 bytes an entry, filled up with zeros to fours.
/// Then four entries' bytes are turned as the rows are, and `sum` is, of each block, what the values add up to. A row
/// is found by its first byte's place in A or B, twice as far in C.
struct List {
    alignas(64) std::int8_t values[chunk][16];
    __m512i sum;
    std::int64_t row[chunk];
    int count;
};

TW_INSIDE __m128i* place(std::int8_t* sixteen) { return reinterpret_cast<__m128i*>(sixteen); }

/// Byte 4 l + e of a four is then what byte 16 e + l was. Returns the sums.
TW_INSIDE __m512i turn(std::int8_t (*values)[16], int count) {
    const __m512i order =
        _mm512_set_epi8(63, 47, 31, 15, 62, 46, 30, 14, 61, 45, 29, 13, 60, 44, 28, 12, 59, 43, 27, 11, 58, 42, 26, 10,
                        57, 41, 25, 9, 56, 40, 24, 8, 55, 39, 23, 7, 54, 38, 22, 6, 53, 37, 21, 5, 52, 36, 20, 4, 51,
                        35, 19, 3, 50, 34, 18, 2, 49, 33, 17, 1, 48, 32, 16, 0);
    __m512i sum = _mm512_setzero_si512();
    for (int e = 0; e < count; e += 4) {
        const __m512i four = _mm512_permutexvar_epi8(order, _mm512_load_si512(values + e));
        _mm512_store_si512(values + e, four);
        sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), four);
    }
    return sum;
}

TW_INSIDE void complete(List& list) {
    for (int e = list.count; e % 4 != 0; ++e) {
        _mm_store_si128(place(list.values[e]), _mm_setzero_si128());
        list.row[e] = list.row[list.count - 1];
    }
    list.sum = turn(list.values, list.count);
}

/// Entries of the next chunk, of which everything that will be read is asked for while this chunk is rounded and
/// multiplied, as evenly as can be, into L2: so the memory is never idle. Measured: one entry at each step, which is
/// done before the chunk is, takes up to 1.07 of the time; asked for all together a quarter more.
struct Ahead {
    const AskedTile* tile;
    const EffortEntry *next, *end;
    int asks = 0, steps = 1, owed = 0;  ///< of the products: so many in so many
};

TW_INSIDE void ask_for_one(Ahead& ahead, std::int64_t width) {
    if (ahead.next == ahead.end) return;
    ahead.tile->ask_for_first(*ahead.next, width);
    ahead.tile->ask_for_others(*ahead.next++);
}

TW_INSIDE void ask_evenly(Ahead& ahead, std::int64_t width) {
    ahead.owed += ahead.asks;
    if (ahead.owed >= ahead.steps) ahead.owed -= ahead.steps, ask_for_one(ahead, width);
}

/// Rounds v d of a chunk. Returns the blocks' steps.
TW_INSIDE __m512 round_chunk(const PlanesTileRows& tile, const EffortEntry* entries, int count, Ahead& ahead,
                             List (&lists)[3]) {
    const auto blocks = static_cast<__mmask16>((1u << (4 * tile.width)) - 1);
    alignas(64) float product[chunk][16];
    __m512 most = _mm512_setzero_ps();
    for (int e = 0; e < count; ++e) {
        if (e % 8 == 0) ask_for_one(ahead, tile.width);
        const std::byte* scales = tile.scales.rows + entries[e].input * tile.scales.step;
        const __m512 d = _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(blocks, scales));
        const __m512 p = _mm512_mul_ps(_mm512_set1_ps(entries[e].v), d);
        _mm512_store_ps(product[e], p);
        most = _mm512_max_ps(most, _mm512_abs_ps(p));
    }
    const __mmask16 some = _mm512_cmp_ps_mask(most, _mm512_set1_ps(planes::least), _CMP_GE_OQ);
    const __m512 inverse = _mm512_maskz_div_ps(some, _mm512_set1_ps(127), most);
    int of_b = 0, of_c = 0;  // in registers: as a list's own count each is stored and loaded at every entry
    for (int e = 0; e < count; ++e) {
        const __m512 p = _mm512_mul_ps(_mm512_load_ps(product[e]), inverse);
        const __m128i bytes = _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(p));
        const std::int64_t row = entries[e].input * tile.a.step;
        const std::uint32_t units = entries[e].units;
        if (e % 8 == 0) ask_for_one(ahead, tile.width);
        const auto put = [&](List& list, int at) {
            _mm_store_si128(place(list.values[at]), bytes);
            list.row[at] = row;
        };
        put(lists[0], e), put(lists[1], of_b), put(lists[2], of_c);  // what a list does not want is written over
        of_b += units > 1, of_c += units > 2;
    }
    lists[0].count = count, lists[1].count = of_b, lists[2].count = of_c;
    ahead.asks = static_cast<int>(ahead.end - ahead.next), ahead.steps = 0;
    for (List& list : lists) {
        complete(list);
        ahead.steps += 2 * ((list.count + 3) / 4);  // a half each
    }
    return _mm512_div_ps(most, _mm512_set1_ps(127));
}

/// Four inputs' rows of 64 bytes, byte by byte beside each other: vector t has bytes 4 t .. 4 t + 3 of each 16.
template <int times>
TW_INSIDE void interleave(const std::byte* plane, const std::int64_t* rows, __mmask64 bytes, __m512i (&x)[4]) {
    __m512i row[4];
    for (int r = 0; r < 4; ++r) row[r] = _mm512_maskz_loadu_epi8(bytes, plane + times * rows[r]);
    const __m512i t0 = _mm512_unpacklo_epi8(row[0], row[1]), t1 = _mm512_unpackhi_epi8(row[0], row[1]);
    const __m512i u0 = _mm512_unpacklo_epi8(row[2], row[3]), u1 = _mm512_unpackhi_epi8(row[2], row[3]);
    x[0] = _mm512_unpacklo_epi16(t0, u0), x[1] = _mm512_unpackhi_epi16(t0, u0);
    x[2] = _mm512_unpacklo_epi16(t1, u1), x[3] = _mm512_unpackhi_epi16(t1, u1);
}

/// In place: g++ 12 writes a sum to another register, copies it back and stores some of them at each step.
TW_INSIDE void add_products(__m512i& sum, __m512i codes, __m512i value) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(codes), "v"(value));
}

/// What is multiplied in one pass: half a row of a plane, of the entries of a list.
struct Pass {
    const std::byte* plane;
    std::int64_t width;
    __mmask64 bytes;
    const List& list;
};

/// Adds half a row of A or B: sum 4 t + k has the codes up to number k, number j of them 4^j fold.
TW_INSIDE void add_two_bits(const Pass& pass, Ahead& ahead, __m512i (&sum)[16]) {
    const __m512i mask[3] = {_mm512_set1_epi8(0x03), _mm512_set1_epi8(0x0f), _mm512_set1_epi8(0x3f)};
    for (int e = 0; e < pass.list.count; e += 4) {
        ask_evenly(ahead, pass.width);
        const __m512i value = _mm512_load_si512(pass.list.values + e);
        __m512i x[4];
        interleave<1>(pass.plane, pass.list.row + e, pass.bytes, x);
#pragma GCC unroll 4
        for (int t = 0; t < 4; ++t) {
#pragma GCC unroll 3
            for (int k = 0; k < 3; ++k) add_products(sum[4 * t + k], _mm512_and_si512(x[t], mask[k]), value);
            add_products(sum[4 * t + 3], x[t], value);
        }
    }
}

/// Of A and B, shifted to be over C: sum 4 t + k has code k once for k < 2, else 16 fold.
TW_INSIDE void add_first_planes(const PlanesTileRows& tile, int h, __mmask64 bytes, const List (&lists)[3],
                                Ahead& ahead, __m512i (&sum)[16]) {
    const std::int64_t from = h * 16 * tile.width;
    for (__m512i& s : sum) s = _mm512_setzero_si512();
    add_two_bits({tile.a.rows + from, tile.width, bytes, lists[0]}, ahead, sum);
    for (__m512i& s : sum) s = _mm512_slli_epi32(s, 2);
    add_two_bits({tile.b.rows + from, tile.width, bytes, lists[1]}, ahead, sum);
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t)
#pragma GCC unroll 4
        for (int k = 3; k >= 0; --k) {
            __m512i& s = sum[4 * t + k];
            if (k > 0) s = _mm512_sub_epi32(s, sum[4 * t + k - 1]);
            s = k % 2 == 0 ? _mm512_slli_epi32(s, 4) : _mm512_slli_epi32(s, 2);
        }
}

/// Adds half a row of C: sum 4 t + k counts its codes once for k < 2, else 16 fold.
TW_INSIDE void add_four_bits(const Pass& pass, Ahead& ahead, __m512i (&sum)[16]) {
    const __m512i low = _mm512_set1_epi8(0x0f), high = _mm512_set1_epi8(static_cast<char>(0xf0));
    for (int e = 0; e < pass.list.count; e += 4) {
        ask_evenly(ahead, pass.width);
        const __m512i value = _mm512_load_si512(pass.list.values + e);
#pragma GCC unroll 2
        for (int odd = 0; odd < 2; ++odd) {
            __m512i x[4];
            interleave<2>(pass.plane + odd * 16 * pass.width, pass.list.row + e, pass.bytes, x);
#pragma GCC unroll 4
            for (int t = 0; t < 4; ++t) {
                add_products(sum[4 * t + odd], _mm512_and_si512(x[t], low), value);
                add_products(sum[4 * t + odd + 2], _mm512_and_si512(x[t], high), value);
            }
        }
    }
}

TW_INSIDE __m512i times(__m512i x, int factor) { return _mm512_mullo_epi32(x, _mm512_set1_epi32(factor)); }

/// The codes of output n of each block, twice, less O.
TW_INSIDE __m512 value_of(__m512i sum, int n, __m512i offset) {
    const __m512i codes = n % 4 < 2 ? _mm512_slli_epi32(sum, 1) : _mm512_srai_epi32(sum, 3);
    return _mm512_cvtepi32_ps(_mm512_sub_epi32(codes, offset));
}

/// One chunk onto half a tile: y[n] holds output n of each block.
TW_INSIDE void add_chunk(const PlanesTileRows& tile, int h, __mmask64 bytes, const List (&lists)[3], __m512 step,
                         Ahead& ahead, float (*y)[16]) {
    const __m512 scale = _mm512_mul_ps(step, _mm512_set1_ps(1.f / 32));
    const __m512i upper = _mm512_add_epi32(times(lists[0].sum, 192), times(lists[1].sum, 48));
    const __m512i offset = _mm512_add_epi32(upper, times(lists[2].sum, 15));
    __m512i sum[16];
    add_first_planes(tile, h, bytes, lists, ahead, sum);
    add_four_bits({tile.c.rows + 2 * h * 16 * tile.width, tile.width, bytes, lists[2]}, ahead, sum);
#pragma GCC unroll 16
    for (int n = 0; n < 16; ++n)
        _mm512_store_ps(y[n], _mm512_add_ps(_mm512_load_ps(y[n]), _mm512_mul_ps(value_of(sum[n], n, offset), scale)));
}

}  // namespace

void effort_planes_avx512(const EffortTile& call) {
    const PlanesTileRows tile = rows_of(call);
    const AskedTile own{tile}, next_tile{rows_of(call.next_rows ? call.next_rows : call.rows, call.inputs, call.width)};
    const __mmask64 bytes = tile.width == 4 ? ~__mmask64{0} : (__mmask64{1} << 16 * tile.width) - 1;
    alignas(64) float y[32][16] = {};
    List lists[3];
    for (std::int64_t from = 0; from < call.count; from += chunk) {
        const std::int64_t rest = call.count - from;
        const int count = static_cast<int>(rest < chunk ? rest : chunk);
        const EffortEntry* next = call.entries + from + count;
        Ahead ahead{&own, next, next + (rest - count < chunk ? rest - count : chunk)};
        if (rest == count && call.next_rows)
            ahead = {&next_tile, call.entries, call.entries + (call.count < chunk ? call.count : chunk)};
        const __m512 step = round_chunk(tile, call.entries + from, count, ahead, lists);
        for (int h = 0; h < 2; ++h) add_chunk(tile, h, bytes, lists, step, ahead, y + 16 * h);
        while (ahead.next != ahead.end) ask_for_one(ahead, tile.width);
    }
    for (int block = 0; block < 4 * call.width; ++block)
        for (int n = 0; n < 32; ++n) call.y[32 * block + n] = y[n][block];
}

}  // namespace tw::cpu
