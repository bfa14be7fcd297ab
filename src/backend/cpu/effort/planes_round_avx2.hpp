// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a chunk's entries are made into before a mix of planes is multiplied, with AVX2: listed by what is read of
// them, v d rounded, and two entries' bytes laid beside each other. Everything here has internal linkage.
#pragma once

#include <immintrin.h>

#include <cstring>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu::mixed {

using planes::chunk;
inline constexpr int most_pairs = chunk / 2;

/// Pairs whose codes, a half of the largest of them less, add up in 16 bits.
inline constexpr int pairs_of_two_bits = 64, pairs_of_four_bits = 16;
static_assert(pairs_of_two_bits * 2 * 127 * 2 <= INT16_MAX && pairs_of_four_bits * 2 * 127 * 8 <= INT16_MAX);

struct Row {
    std::uint32_t input, place;  ///< in the chunk
};

/// Entries of a chunk, and their rounded v d for each side of eight blocks: 16-bit lane 4 x + b of a quarter's 128 bits
/// has the bytes of a pair for the quarter's block b, the same for x = 0 and 1. An odd entry's partner is 0 times its
/// own rows.
struct List {
    Row rows[chunk + 1];
    int pairs;
    __m256i values[2][most_pairs];
    __m256i sum[most_pairs / pairs_of_four_bits];  ///< of so many pairs; words: blocks 0-3, 8-11, 4-7, 12-15
};

enum Kind { of_a, of_a_and_b, of_c };  // the lists: of whose entries only A is read, A and B, and C too

struct Desk {
    List lists[3];
    alignas(32) float product[chunk][16];
    __m256i words[chunk + 1];  ///< as above; after the last entry 0
    __m256 step[2];
};

/// Entries of the next chunk, of which everything that will be read is asked for while this chunk is rounded and
/// multiplied, into L2, as evenly as can be, half an entry at a time: Zen 3 drops what is asked for while some 20 lines
/// are on their way.
struct Asking {
    const AskedTile* tile;
    const EffortEntry *next, *end;
    bool is_half_done = false;

    template <int width>
    [[gnu::always_inline]] void ask() {
        if (next == end) return;
        if (is_half_done) tile->ask_for_others(*next++);
        else tile->ask_for_first(*next, width);
        is_half_done = !is_half_done;
    }
    std::int64_t left() const { return 2 * (end - next) - is_half_done; }
};

/// Without a branch: what a list does not want is written over.
template <int width>
TW_INSIDE void list_entries(const EffortEntry* entries, int count, Asking& asking, Desk& desk) {
    Row* end[3] = {desk.lists[of_a].rows, desk.lists[of_a_and_b].rows, desk.lists[of_c].rows};
    for (int e = 0; e < count; ++e) {
        if (e % 8 == 0) asking.ask<width>();
        const std::uint32_t units = entries[e].units;
        const Row row{entries[e].input, static_cast<std::uint32_t>(e)};
        *end[0] = *end[1] = *end[2] = row;
        end[0] += units == 1, end[1] += units > 1, end[2] += units > 2;
    }
    for (int l = 0; l < 3; ++l) {
        List& list = desk.lists[l];
        const auto listed = end[l] - list.rows;
        list.pairs = static_cast<int>(listed + 1) / 2;
        if (listed % 2 != 0) *end[l] = {end[l][-1].input, static_cast<std::uint32_t>(count)};
    }
}

template <int width>
TW_INSIDE void widen_scales(const std::byte* row, __m256 (&d)[2]) {
    if constexpr (width == 4) {
        const auto* half = reinterpret_cast<const __m128i*>(row);
        for (int s = 0; s < 2; ++s) d[s] = _mm256_cvtph_ps(_mm_loadu_si128(half + s));
    } else {
        alignas(32) std::uint16_t scales[16] = {};
        std::memcpy(scales, row, std::size_t{8 * width});
        for (int s = 0; s < 2; ++s)
            d[s] = _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(scales + 8 * s)));
    }
}

/// v d, and the largest of each block.
template <int width>
TW_INSIDE void multiply_scales(const PlanesTileRows& tile, const EffortEntry* entries, int count, Asking& asking,
                               Desk& desk, __m256& most0, __m256& most1) {
    const __m256 size = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    most0 = most1 = _mm256_setzero_ps();
    for (int e = 0; e < count; ++e) {
        if (e % 8 == 0) asking.ask<width>();
        __m256 d[2];
        widen_scales<width>(tile.scales.rows + entries[e].input * std::int64_t{8 * width}, d);
        const __m256 v = _mm256_set1_ps(entries[e].v), p0 = _mm256_mul_ps(v, d[0]), p1 = _mm256_mul_ps(v, d[1]);
        _mm256_store_ps(desk.product[e], p0), _mm256_store_ps(desk.product[e] + 8, p1);
        most0 = _mm256_max_ps(most0, _mm256_and_ps(p0, size)), most1 = _mm256_max_ps(most1, _mm256_and_ps(p1, size));
    }
}

TW_INSIDE __m256 step_of(__m256 most) { return _mm256_div_ps(most, _mm256_set1_ps(127)); }

TW_INSIDE __m256 inverse_of(__m256 most) {
    const __m256 some = _mm256_cmp_ps(most, _mm256_set1_ps(planes::least), _CMP_GE_OQ);
    return _mm256_and_ps(some, _mm256_div_ps(_mm256_set1_ps(127), most));
}

template <int width>
TW_INSIDE void lay(const __m256i* words, Asking& asking, List& list) {
    const __m256i beside =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    for (int first = 0; first < list.pairs; first += pairs_of_four_bits) {
        const int end = list.pairs - first < pairs_of_four_bits ? list.pairs : first + pairs_of_four_bits;
        __m256i sum = _mm256_setzero_si256();
        for (int p = first; p < end; ++p) {
            if (p % 4 == 0) asking.ask<width>();
            const __m256i two = _mm256_packs_epi16(words[list.rows[2 * p].place], words[list.rows[2 * p + 1].place]);
            const __m256i bytes = _mm256_shuffle_epi8(two, beside);
            sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes));
            list.values[0][p] = _mm256_unpacklo_epi64(bytes, bytes);
            list.values[1][p] = _mm256_unpackhi_epi64(bytes, bytes);
        }
        list.sum[first / pairs_of_four_bits] = sum;
    }
}

/// Rounds v d of a chunk.
template <int width>
TW_INSIDE void round_chunk(const PlanesTileRows& tile, const EffortEntry* entries, int count, Asking& asking,
                           Desk& desk) {
    __m256 most0, most1;
    list_entries<width>(entries, count, asking, desk);
    multiply_scales<width>(tile, entries, count, asking, desk, most0, most1);
    desk.step[0] = step_of(most0), desk.step[1] = step_of(most1);
    const __m256 inverse0 = inverse_of(most0), inverse1 = inverse_of(most1);
    for (int e = 0; e < count; ++e) {
        const __m256 p0 = _mm256_mul_ps(_mm256_load_ps(desk.product[e]), inverse0),
                     p1 = _mm256_mul_ps(_mm256_load_ps(desk.product[e] + 8), inverse1);
        desk.words[e] = _mm256_packs_epi32(_mm256_cvtps_epi32(p0), _mm256_cvtps_epi32(p1));
        if (e % 8 == 0) asking.ask<width>();
    }
    desk.words[count] = _mm256_setzero_si256();
    for (List& list : desk.lists) lay<width>(desk.words, asking, list);
}

}  // namespace tw::cpu::mixed
