// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Elements of 16 bits that AVX2 widens where they are used: a square of them is turned as they are, half as many words
// to exchange as of f32, and each step of it widened to a vector.
// For files that are compiled with the AVX2 flags.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "tilewright/types.hpp"

namespace tw::cpu {
namespace {

inline __m256 widened(float16, __m128i bits) { return _mm256_cvtph_ps(bits); }
inline __m256 widened(bfloat16, __m128i bits) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
template <class Narrow>
float widened_one(Narrow x) {
    return _mm256_cvtss_f32(widened(x, _mm_cvtsi32_si128(x.bits)));
}
inline __m256 widened_words(bool are_halves, __m128i bits) {
    return are_halves ? widened(float16{}, bits) : widened(bfloat16{}, bits);
}

/// The first `count` of eight, and zeros.
[[gnu::always_inline]] inline __m128i leading_words(const std::uint16_t* from, int count) {
    alignas(16) std::uint16_t words[8] = {};
    for (int i = 0; i < count; ++i) words[i] = from[i];
    return _mm_load_si128(reinterpret_cast<const __m128i*>(words));
}

/// Eight steps along k of eight columns, `step` elements apart, or of the first of them: a vector for each step.
template <class Narrow>
[[gnu::always_inline]] inline void turned_square(const Narrow* from, std::int64_t step, __m256 (&square)[8],
                                                 int columns = 8) {
    __m128i x[8], pairs[8], fours[8];
    for (int i = 0; i < 8; ++i)
        x[i] = i < columns ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * step)) : _mm_setzero_si128();
    for (int i = 0; i < 4; ++i) {
        pairs[i] = _mm_unpacklo_epi16(x[2 * i], x[2 * i + 1]);
        pairs[i + 4] = _mm_unpackhi_epi16(x[2 * i], x[2 * i + 1]);
    }
    for (int i = 0; i < 4; ++i) {
        fours[2 * i] = _mm_unpacklo_epi32(pairs[2 * i], pairs[2 * i + 1]);
        fours[2 * i + 1] = _mm_unpackhi_epi32(pairs[2 * i], pairs[2 * i + 1]);
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const __m128i left = fours[4 * i + j], right = fours[4 * i + j + 2];
            square[4 * i + 2 * j] = widened(Narrow{}, _mm_unpacklo_epi64(left, right));
            square[4 * i + 2 * j + 1] = widened(Narrow{}, _mm_unpackhi_epi64(left, right));
        }
}

/// A panel of rows that are contiguous along k, eight rows at a time. The last steps are laid out with zeros behind.
template <class Narrow>
void pack_squares(const Narrow* from, std::int64_t row_step, int rows, std::int64_t k, float* to, std::int64_t width) {
    for (int w = 0; w < rows; w += 8) {
        const int high = rows - w < 8 ? rows - w : 8;
        const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(high), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        for (std::int64_t p = 0; p < k; p += 8) {
            const int steps = k - p < 8 ? static_cast<int>(k - p) : 8;
            const Narrow* square_of = from + w * row_step + p;
            std::int64_t step = row_step;
            Narrow laid[8][8];
            if (steps < 8) {
                for (int i = 0; i < high; ++i)
                    for (int q = 0; q < 8; ++q) laid[i][q] = q < steps ? square_of[i * row_step + q] : Narrow{};
                square_of = &laid[0][0], step = 8;
            }
            __m256 square[8];
            float* const at = to + p * width + w;
            if (high == 8) {
                turned_square(square_of, step, square);
                for (int q = 0; q < steps; ++q) _mm256_storeu_ps(at + q * width, square[q]);
            } else {
                turned_square(square_of, step, square, high);
                for (int q = 0; q < steps; ++q) _mm256_maskstore_ps(at + q * width, mask, square[q]);
            }
        }
    }
}

}  // namespace
}  // namespace tw::cpu
