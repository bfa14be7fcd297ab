// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a chunk of planes is made into before it is multiplied as whole codes, with AVX2: v d rounded, and the codes of
// a half and a side, 8 KB, put together once for all vectors. Everything here has internal linkage.
#pragma once

#include <cstring>

#include "backend/cpu/effort/planes_codes_avx2.hpp"
#include "backend/cpu/effort/planes_found_avx2.hpp"

namespace tw::cpu::whole {

using codes::columns, codes::Rows, found::find_rows, found::Following, planes::whole_chunk;
inline constexpr int groups = whole_chunk / 4;

/// What a tile's chunk is made into, and the sums of the tile.
struct Desk {
    alignas(32) __m256i codes[groups][columns];
    /// Of each side, eight vectors beside each other: words of inputs 0, 2 and of 1, 3; or the first alone, bytes of
    /// four inputs.
    alignas(32) __m256i v[2][most_whole_vectors / 8][groups][8][2];
    __m256i offset[most_whole_vectors][2];  ///< the sum of q times what twice its code is less
    __m256i less_v[2][most_whole_vectors];  ///< of three planes the sum of q0 q1 + q2 q3, negative
    __m256i of_codes[columns];              ///< of a half and side the sum of F0 F1 + F2 F3
    __m256 scale[most_whole_vectors][2];
    alignas(32) float scales[whole_chunk][16], product[whole_chunk][16];
    EntryRows rows[2][whole_chunk];               ///< of this chunk and of the next one, in turns
    __m256 y[2][2][most_whole_vectors][columns];  ///< of each half and side
};

/// Widens a chunk's scales; past the last entry and the last block they are 0.
template <int width>
TW_INSIDE void widen_scales(const EntryRows* rows, int count, Desk& desk) {
    for (int e = 0; e < whole_chunk; ++e) {
        alignas(32) std::uint16_t scales[16] = {};
        if (e < count) std::memcpy(scales, rows[e].scales, std::size_t{8 * width});
        for (int s = 0; s < 2; ++s)
            _mm256_store_ps(desk.scales[e] + 8 * s,
                            _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(scales + 8 * s))));
    }
}

/// Four inputs' whole numbers as the kernels read them.
template <int planes>
TW_INSIDE void lay(const __m256i (&q)[4], __m256i (&v)[2]) {
    if constexpr (planes == 3) {
        for (int odd = 0; odd < 2; ++odd) v[odd] = _mm256_blend_epi16(q[odd], _mm256_slli_epi32(q[odd + 2], 16), 0xaa);
    } else {
        const __m256i byte = _mm256_set1_epi32(0xff);
        const __m256i low =
            _mm256_or_si256(_mm256_and_si256(q[0], byte), _mm256_slli_epi32(_mm256_and_si256(q[1], byte), 8));
        const __m256i high = _mm256_or_si256(_mm256_and_si256(q[2], byte), _mm256_slli_epi32(q[3], 8));
        v[0] = _mm256_blend_epi16(low, _mm256_slli_epi32(high, 16), 0xaa);
    }
}

/// Rounds v d of a vector's chunk.
template <int planes>
[[gnu::noinline]] static void round_chunk(const EffortEntry* entries, int count, int r, Desk& desk) {
    constexpr float all = planes == 2 ? planes::whole_most_of_two : planes::whole_most;
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
        const __m256 inverse = _mm256_and_ps(some, _mm256_div_ps(_mm256_set1_ps(all), most[s]));
        __m256i sum = _mm256_setzero_si256(), less = sum;
        for (int g = 0; g < groups; ++g) {
            __m256i q[4];
            for (int e = 0; e < 4; ++e) {
                q[e] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_load_ps(desk.product[4 * g + e] + 8 * s), inverse));
                sum = _mm256_add_epi32(sum, q[e]);
            }
            __m256i(&v)[2] = desk.v[s][r / 8][g][r % 8];
            lay<planes>(q, v);
            if constexpr (planes == 3) less = _mm256_sub_epi32(less, _mm256_madd_epi16(v[0], v[1]));
        }
        desk.offset[r][s] = _mm256_mullo_epi32(sum, _mm256_set1_epi32(planes == 3 ? 255 : 240));
        desk.less_v[s][r] = less;
        desk.scale[r][s] = _mm256_mul_ps(_mm256_div_ps(most[s], _mm256_set1_ps(all)), _mm256_set1_ps(1.f / 32));
    }
}

/// Puts the codes of four inputs together; c: rows of even k, and of odd k.
template <int planes, bool is_half>
TW_INSIDE void put_together(const Rows& a, const Rows& b, const Rows (&c)[2], __m256i (&codes)[columns]) {
    __m256i upper[2][4];
    codes::interleave<is_half>(b, upper[0]), codes::interleave<is_half>(a, upper[1]);
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t) codes::put_together(upper[0][t], upper[1][t]);
#pragma GCC unroll 2
    for (int o = 0; o < 2; ++o) {
        if constexpr (planes == 2) {
            codes::split(upper[o], o, codes);
            continue;
        }
        __m256i x[4];
        codes::interleave<is_half>(c[o], x);
#pragma GCC unroll 4
        for (int t = 0; t < 4; ++t) {
            codes::put_under(x[t], upper[o][t]);
            codes[4 * o + t] = x[t], codes[8 + 4 * o + t] = upper[o][t];
        }
    }
}

/// A chunk's codes, of one half and side.
template <int planes, int width>
[[gnu::noinline]] static void put_chunk_together(const EntryRows* rows, int h, int side, Following& following,
                                                 Desk& desk) {
    constexpr std::int64_t half = 16 * width;
    const std::int64_t at = h * half + 32 * side, at_c = at + h * half;
    for (int g = 0; g < groups; ++g) {
        const EntryRows* e = rows + 4 * g;
        const Rows a{{e[0].a + at, e[1].a + at, e[2].a + at, e[3].a + at}};
        const Rows b{{e[0].b + at, e[1].b + at, e[2].b + at, e[3].b + at}};
        Rows c[2] = {a, a};
        for (int o = 0; o < 2 && planes == 3; ++o)
            for (int n = 0; n < 4; ++n) c[o].of[n] = e[n].c + at_c + o * half;
        if (32 * (side + 1) > half) put_together<planes, true>(a, b, c, desk.codes[g]);
        else put_together<planes, false>(a, b, c, desk.codes[g]);
        following.ask<width>();
    }
}

}  // namespace tw::cpu::whole
