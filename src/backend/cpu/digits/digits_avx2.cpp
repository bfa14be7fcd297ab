// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of digits with AVX2: bytes widened to 16 bits, whose pairwise products vpmaddwd adds up exactly. (vpmaddubsw
// would saturate.) A register of sums holds two halves of four columns.
#include <immintrin.h>

#include <cstring>

#include "backend/cpu/digits/digit_lanes_portable.hpp"
#include "backend/cpu/digits/digit_panels.hpp"
#include "backend/cpu/digits/pairs.hpp"

namespace tw::cpu {
namespace {

struct Digits : DigitsByWeight<Digits> {
    static void add_up_pairs(const DigitPairs& pairs, const DigitTiles& tiles, std::int32_t* sums) {
        for (int i = 0; i < unit_side; i += 2)
            for (int j = 0; j < unit_side; j += 16) two_rows(pairs, tiles, i, j, sums + i * unit_side + j);
    }

private:
    static __m256i widened(const std::byte* from) {
        return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    static __m256i four_times(const std::byte* from) {
        std::int32_t four;
        std::memcpy(&four, from, sizeof four);
        return _mm256_cvtepi8_epi16(_mm_set1_epi32(four));
    }

    static void two_rows(const DigitPairs& pairs, const DigitTiles& tiles, int i, int j, std::int32_t* sums) {
        __m256i sum[2][4] = {};
        for (int pair = 0; pair < pairs.count; ++pair) {
            const std::byte* rows = tiles.rows(i / 16, pairs.a[pair]) + i % 16 * 64;
            const std::byte* cols = tiles.cols(j / 16, pairs.b[pair]);
            for (std::int64_t s = 0; s < tiles.steps; ++s, rows += digit_step_bytes, cols += digit_step_bytes)
                for (int q = 0; q < 16; ++q) {
                    const __m256i x = four_times(rows + 4 * q), y = four_times(rows + 64 + 4 * q);
                    for (int four = 0; four < 4; ++four) {
                        const __m256i z = widened(cols + 64 * q + 16 * four);
                        sum[0][four] = _mm256_add_epi32(sum[0][four], _mm256_madd_epi16(x, z));
                        sum[1][four] = _mm256_add_epi32(sum[1][four], _mm256_madd_epi16(y, z));
                    }
                }
        }
        for (int row = 0; row < 2; ++row)
            for (int four = 0; four < 4; four += 2) {
                const __m256i added = _mm256_hadd_epi32(sum[row][four], sum[row][four + 1]);
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + row * unit_side + 4 * four),
                                    _mm256_permute4x64_epi64(added, 0xd8));
            }
    }
};

}  // namespace

constinit const DigitUnit digits_avx2 = DigitPanels<Digits, PortableDigitLanes>::digit_unit(nullptr, nullptr);

}  // namespace tw::cpu
