// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One vector's v d of a chunk of planes, rounded as whole codes are multiplied with it where they are put together,
// with AVX2. Everything here has internal linkage.
#pragma once

#include <cstring>

#include "backend/cpu/effort/planes_codes_avx2.hpp"
#include "backend/cpu/effort/planes_found_avx2.hpp"

namespace tw::cpu::alone {

using found::find_rows, found::Following, planes::whole_chunk;
inline constexpr int pairs = whole_chunk / 2, columns = 8;

/// Pairs whose codes, a half of the largest of them less, add up in 16 bits.
inline constexpr int pairs_in_words = 16;
static_assert(pairs_in_words * 2 * 127 * 8 <= INT16_MAX);

/// v d of a side, of a chunk: q, and what of its sums the kernels take.
struct Rounded {
    alignas(32) __m256i values[pairs];      ///< words of two inputs for each block; of two planes bytes, in the words
                                            ///< of a quarter's four blocks, twice
    __m256i begin[pairs / pairs_in_words];  ///< two planes: words begin at this
    __m256i offset, rest;                   ///< S = (sum - offset) / 8 + rest; of two planes 32 times the sum + rest
    __m256 scale;                           ///< step / 32
};

struct Desk {
    Rounded v[2];
    alignas(32) float product[whole_chunk][16];
    EntryRows rows[2][whole_chunk];  ///< of this chunk and of the next one, in turns
    __m256 y[2][2][2][columns];      ///< of each half, side and part
};

/// v d, and the largest of each block. Past the last entry and the last block it is 0.
template <int width>
TW_INSIDE void multiply_scales(const EntryRows* rows, const EffortEntry* entries, int count, Desk& desk,
                               __m256 (&most)[2]) {
    const __m256 size = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    most[0] = most[1] = _mm256_setzero_ps();
    for (int e = 0; e < count; ++e) {
        const __m256 v = _mm256_set1_ps(entries[e].v);
        alignas(32) std::uint16_t padded[16] = {};
        const auto* scales = reinterpret_cast<const __m128i*>(width == 4 ? rows[e].scales : nullptr);
        if constexpr (width < 4) {
            std::memcpy(padded, rows[e].scales, std::size_t{8 * width});
            scales = reinterpret_cast<const __m128i*>(padded);
        }
        for (int s = 0; s < 2; ++s) {
            const __m256 p = _mm256_mul_ps(v, _mm256_cvtph_ps(_mm_loadu_si128(scales + s)));
            _mm256_store_ps(desk.product[e] + 8 * s, p);
            most[s] = _mm256_max_ps(most[s], _mm256_and_ps(p, size));
        }
    }
    std::memset(desk.product[count], 0, static_cast<std::size_t>(whole_chunk - count) * sizeof desk.product[0]);
}

/// Two inputs' whole numbers as the kernels read them: words, or bytes.
template <int planes>
TW_INSIDE __m256i laid(__m256i q0, __m256i q1) {
    if constexpr (planes == 3) return _mm256_blend_epi16(q0, _mm256_slli_epi32(q1, 16), 0xaa);
    const __m256i byte = _mm256_set1_epi32(0xff), high = _mm256_slli_epi32(_mm256_and_si256(q1, byte), 8);
    const __m256i both = _mm256_or_si256(_mm256_and_si256(q0, byte), high);  // below 2^16, in lanes of 32 bits
    return _mm256_packus_epi32(both, both);
}

/// Masks of q by whether an entry is read to its end.
alignas(32) static constexpr std::int32_t if_whole[2][8] = {{}, {-1, -1, -1, -1, -1, -1, -1, -1}};

/// Rounds v d of a chunk. S is the sum of q (2 F - 255), of q (2 F - 256) where an entry is not read to its end; of two
/// planes the sum of q (32 u - 240), u being 4 a + b.
template <int planes, int width>
[[gnu::noinline]] static void round_chunk(const EntryRows* rows, const EffortEntry* entries, int count, Desk& desk) {
    constexpr float all = planes == 2 ? planes::whole_most_of_two : planes::whole_most;
    __m256 most[2];
    multiply_scales<width>(rows, entries, count, desk, most);
    for (int s = 0; s < (width > 2 ? 2 : 1); ++s) {
        Rounded& v = desk.v[s];
        const __m256 some = _mm256_cmp_ps(most[s], _mm256_set1_ps(planes::least), _CMP_GE_OQ);
        const __m256 inverse = _mm256_and_ps(some, _mm256_div_ps(_mm256_set1_ps(all), most[s]));
        __m256i sum = _mm256_setzero_si256(), rest = sum, of_words = sum;
        for (int e = 0; e < whole_chunk; e += 2) {
            __m256i q[2];
            for (int n = 0; n < 2; ++n) {
                q[n] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_load_ps(desk.product[e + n] + 8 * s), inverse));
                sum = _mm256_add_epi32(sum, q[n]);
                if (planes == 2 || e + n >= count) continue;
                const auto* mask = reinterpret_cast<const __m256i*>(if_whole[entries[e + n].units > 2]);
                rest = _mm256_add_epi32(rest, _mm256_and_si256(q[n], _mm256_load_si256(mask)));
            }
            v.values[e / 2] = laid<planes>(q[0], q[1]);
            if constexpr (planes == 2) {
                of_words = _mm256_add_epi16(of_words, _mm256_maddubs_epi16(_mm256_set1_epi8(1), v.values[e / 2]));
                if ((e / 2 + 1) % pairs_in_words != 0) continue;
                v.begin[e / 2 / pairs_in_words] =
                    _mm256_sub_epi16(_mm256_setzero_si256(), _mm256_slli_epi16(of_words, 3));
                of_words = _mm256_setzero_si256();
            }
        }
        v.offset = planes == 3 ? _mm256_slli_epi32(sum, 11) : _mm256_setzero_si256();
        v.rest = planes == 3 ? rest : _mm256_slli_epi32(sum, 4);
        v.scale = _mm256_mul_ps(_mm256_div_ps(most[s], _mm256_set1_ps(all)), _mm256_set1_ps(1.f / 32));
    }
}

}  // namespace tw::cpu::alone
