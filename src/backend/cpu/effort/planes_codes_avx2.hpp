// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Codes of planes in AVX2's registers. Rows of four inputs are unpacked until a 32-bit lane has four inputs of one
// output, lane = block: eight blocks, a side of a tile. The 16 outputs of a block that a row's half holds are columns,
// column 4 k + t. Everything here is inlined.
#pragma once

#include <immintrin.h>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu::codes {

inline constexpr int columns = 16;

/// Rows of four inputs.
struct Rows {
    const std::byte* of[4];
};

/// 32 bytes of a row, or the first 16 of them.
template <bool is_half>
TW_INSIDE __m256i load(const std::byte* bytes) {
    return is_half ? _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)))
                   : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
}

/// Byte by byte beside each other: vector t has bytes 4 t .. 4 t + 3 of each 16.
template <bool is_half>
TW_INSIDE void interleave(const Rows& rows, __m256i (&x)[4]) {
    __m256i row[4];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) row[r] = load<is_half>(rows.of[r]);
    const __m256i t0 = _mm256_unpacklo_epi8(row[0], row[1]), t1 = _mm256_unpackhi_epi8(row[0], row[1]);
    const __m256i u0 = _mm256_unpacklo_epi8(row[2], row[3]), u1 = _mm256_unpackhi_epi8(row[2], row[3]);
    x[0] = _mm256_unpacklo_epi16(t0, u0), x[1] = _mm256_unpackhi_epi16(t0, u0);
    x[2] = _mm256_unpacklo_epi16(t1, u1), x[3] = _mm256_unpackhi_epi16(t1, u1);
}

/// Swaps x's fields of so many bits that lie above those of the mask with y's fields in the mask.
template <int bits>
TW_INSIDE void swap_fields(char mask, __m256i& x, __m256i& y) {
    const __m256i other = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi16(x, bits), y), _mm256_set1_epi8(mask));
    x = _mm256_xor_si256(x, _mm256_slli_epi16(other, bits));
    y = _mm256_xor_si256(y, other);
}

/// 4 a + b as nibbles, in the place of b those of k = 0 and 2, in the place of a those of k = 1 and 3, as C's rows do.
TW_INSIDE void put_together(__m256i& b, __m256i& a) { swap_fields<2>(0x33, b, a); }

/// Nibbles of C, and of 4 a + b, to whole codes: of k = 0 or 1, and of k = 2 or 3.
TW_INSIDE void put_under(__m256i& c, __m256i& upper) { swap_fields<4>(0x0f, c, upper); }

/// A byte for each nibble, for the columns of k = o and o + 2.
TW_INSIDE void split(const __m256i (&nibbles)[4], int o, __m256i (&codes)[columns]) {
    const __m256i low = _mm256_set1_epi8(0x0f);
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t) {
        codes[4 * o + t] = _mm256_and_si256(nibbles[t], low);
        codes[8 + 4 * o + t] = _mm256_and_si256(_mm256_srli_epi16(nibbles[t], 4), low);
    }
}

}  // namespace tw::cpu::codes
