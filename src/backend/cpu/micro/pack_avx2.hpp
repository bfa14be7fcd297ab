// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Packing by AVX2: what pack.hpp does, with squares of a vector's count of rows. Where rows are contiguous along k, a
// vector takes 16 bytes of two rows that are half a square apart, so that only words within lanes are left to exchange.
// For files that are compiled with the AVX2 flags.
//
//      lane     0        1
//      v[0]   row 0    row 4        four steps along k each; exchanged with v[1], v[2], v[3]
//      v[1]   row 1    row 5        they give one step of all 8 rows, four times
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace tw::cpu {
namespace {

inline __m256 load_lanes(const float* low, const float* high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}
inline __m256d load_lanes(const double* low, const double* high) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

/// 16 bytes along k of a square's rows: a vector for each step.
[[gnu::always_inline]] inline void turned_square(const float* from, std::int64_t row_step, __m256 (&square)[4]) {
    __m256 v[4];
    for (int i = 0; i < 4; ++i) v[i] = load_lanes(from + i * row_step, from + (i + 4) * row_step);
    const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(v[0], v[1])),
                  b = _mm256_castps_pd(_mm256_unpacklo_ps(v[2], v[3])),
                  c = _mm256_castps_pd(_mm256_unpackhi_ps(v[0], v[1])),
                  d = _mm256_castps_pd(_mm256_unpackhi_ps(v[2], v[3]));
    square[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b)), square[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
    square[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(c, d)), square[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(c, d));
}
[[gnu::always_inline]] inline void turned_square(const double* from, std::int64_t row_step, __m256d (&square)[2]) {
    const __m256d a = load_lanes(from, from + 2 * row_step), b = load_lanes(from + row_step, from + 3 * row_step);
    square[0] = _mm256_unpacklo_pd(a, b), square[1] = _mm256_unpackhi_pd(a, b);
}
inline void turn_square(const float* from, std::int64_t row_step, float* to, std::int64_t width) {
    __m256 square[4];
    turned_square(from, row_step, square);
    for (int i = 0; i < 4; ++i) _mm256_storeu_ps(to + i * width, square[i]);
}
inline void turn_square(const double* from, std::int64_t row_step, double* to, std::int64_t width) {
    __m256d square[2];
    turned_square(from, row_step, square);
    for (int i = 0; i < 2; ++i) _mm256_storeu_pd(to + i * width, square[i]);
}

/// The same of half as many rows, for panels of A.
inline void turn_half_square(const float* from, std::int64_t row_step, float* to, std::int64_t width) {
    __m128 v[4];
    for (int i = 0; i < 4; ++i) v[i] = _mm_loadu_ps(from + i * row_step);
    _MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
    for (int i = 0; i < 4; ++i) _mm_storeu_ps(to + i * width, v[i]);
}
inline void turn_half_square(const double* from, std::int64_t row_step, double* to, std::int64_t width) {
    const __m128d a = _mm_loadu_pd(from), b = _mm_loadu_pd(from + row_step);
    _mm_storeu_pd(to, _mm_unpacklo_pd(a, b));
    _mm_storeu_pd(to + width, _mm_unpackhi_pd(a, b));
}

/// The six rows of a panel of A, 16 bytes along k at a time. A vector of f32 reaches two elements into the next step's
/// place, which is written after it; the last one is cut.
inline void pack_sixes(const float* from, std::int64_t row_step, std::int64_t k, float* to) {
    const float* const last = from + k - 4;
    for (; from <= last; from += 4, to += 24) {
        const __m256 u = load_lanes(from, from + 4 * row_step), v = load_lanes(from + row_step, from + 5 * row_step);
        const __m256 w = _mm256_castps128_ps256(_mm_loadu_ps(from + 2 * row_step)),
                     x = _mm256_castps128_ps256(_mm_loadu_ps(from + 3 * row_step));
        const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(u, v)), b = _mm256_castps_pd(_mm256_unpacklo_ps(w, x)),
                      c = _mm256_castps_pd(_mm256_unpackhi_ps(u, v)), d = _mm256_castps_pd(_mm256_unpackhi_ps(w, x));
        _mm256_storeu_ps(to, _mm256_castpd_ps(_mm256_unpacklo_pd(a, b)));
        _mm256_storeu_ps(to + 6, _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)));
        _mm256_storeu_ps(to + 12, _mm256_castpd_ps(_mm256_unpacklo_pd(c, d)));
        const __m256 end = _mm256_castpd_ps(_mm256_unpackhi_pd(c, d));
        _mm_storeu_ps(to + 18, _mm256_castps256_ps128(end));
        _mm_storel_pi(reinterpret_cast<__m64*>(to + 22), _mm256_extractf128_ps(end, 1));
    }
}
inline void pack_sixes(const double* from, std::int64_t row_step, std::int64_t k, double* to) {
    for (std::int64_t p = 0; p < k; p += 2) {
        turn_square(from + p, row_step, to + p * 6, 6);
        turn_half_square(from + 4 * row_step + p, row_step, to + p * 6 + 4, 6);
    }
}

/// At most `width` rows, in squares of so many of them. The last square overlaps the one before it.
template <class T>
void pack_squares(const T* from, std::int64_t row_step, std::int64_t rows, std::int64_t k, T* to, std::int64_t width,
                  std::int64_t square, const auto& turn) {
    constexpr std::int64_t size = sizeof(T), steps = 16 / size;
    constexpr std::int64_t run = 256 / size;  // whole cache lines of a row at a time
    for (std::int64_t begin = 0; begin < k; begin += run) {
        const std::int64_t end = begin + run < k ? begin + run : k;
        for (std::int64_t w = 0; w < rows; w += square) {
            const std::int64_t first = w + square <= rows ? w : rows - square;
            for (std::int64_t p = begin; p < end; p += steps)
                turn(from + first * row_step + p, row_step, to + p * width + first, width);
        }
    }
}

/// Rows that are contiguous along k; fewer of them than half a square has go one by one.
template <class T>
void pack_turned(const T* from, std::int64_t row_step, std::int64_t rows, std::int64_t k, T* to, std::int64_t width) {
    constexpr std::int64_t size = sizeof(T), square = 32 / size, half = square / 2, steps = 16 / size;
    const std::int64_t whole = rows < half ? 0 : k / steps * steps;
    const auto turn_all = [](auto... tile) { turn_square(tile...); };
    const auto turn_half = [](auto... tile) { turn_half_square(tile...); };
    if (rows == 6 && width == 6) pack_sixes(from, row_step, whole, to);
    else if (rows >= square) pack_squares(from, row_step, rows, whole, to, width, square, turn_all);
    else pack_squares(from, row_step, rows, whole, to, width, half, turn_half);
    for (std::int64_t p = whole; p < k; ++p)
        for (std::int64_t w = 0; w < rows; ++w) to[p * width + w] = from[w * row_step + p];
}

inline void copy_vector(const float* from, float* to) { _mm256_storeu_ps(to, _mm256_loadu_ps(from)); }
inline void copy_vector(const double* from, double* to) { _mm256_storeu_pd(to, _mm256_loadu_pd(from)); }
inline void copy_half(const float* from, float* to) { _mm_storeu_ps(to, _mm_loadu_ps(from)); }
inline void copy_half(const double* from, double* to) { _mm_storeu_pd(to, _mm_loadu_pd(from)); }

/// At most `width` elements side by side, to one step of a panel.
template <class T>
[[gnu::always_inline]] inline void copy_step(const T* from, std::int64_t count, T* to) {
    constexpr std::int64_t lanes = 32 / static_cast<std::int64_t>(sizeof(T));
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) copy_vector(from + i, to + i);
    for (; i + lanes / 2 <= count; i += lanes / 2) copy_half(from + i, to + i);
    for (; i < count; ++i) to[i] = from[i];
}

/// Rows that lie side by side: each step along k is a copy. Each may lie on a page of its own, which no hardware
/// prefetches. More than `width` of them fill panels that lie so far apart.
template <class T>
void pack_copied(const T* from, std::int64_t step, std::int64_t rows, std::int64_t k, T* to, std::int64_t width,
                 std::int64_t apart) {
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T)), steps_ahead = 8;
    for (std::int64_t p = 0; p < k; ++p, from += step, to += width) {
        for (std::int64_t w = 0; w < rows; w += line) __builtin_prefetch(from + steps_ahead * step + w);
        T* panel = to;
        for (std::int64_t w = 0; w < rows; w += width, panel += apart)
            copy_step(from + w, rows - w < width ? rows - w : width, panel);
    }
}

/// The same where panels are a line wide: four steps at a time are read from end to end, so that the processor sees
/// four runs of lines, and the next four are asked for.
template <class T>
void pack_lines(const T* from, std::int64_t step, std::int64_t rows, std::int64_t k, T* to) {
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T)), at_once = 4;
    const std::int64_t whole = k / at_once * at_once, lines = rows / line * line;
    const T* four = from;
    for (std::int64_t p = 0; p < whole; p += at_once, four += at_once * step) {
        T* panel = to + p * line;
        for (std::int64_t w = 0; w < lines; w += line, panel += line * k)
#pragma GCC unroll 4
            for (std::int64_t u = 0; u < at_once; ++u) {
                __builtin_prefetch(four + (at_once + u) * step + w);
                copy_step(four + u * step + w, line, panel + u * line);
            }
        for (std::int64_t u = 0; u < at_once; ++u) copy_step(four + u * step + lines, rows - lines, panel + u * line);
    }
    pack_copied(four, step, rows, k - whole, to + whole * line, line, line * k);
}

/// The same for panels of six rows, some steps of one panel after the other: panels may lie so far apart that one step
/// of all of them would fight for one cache set. A vector of f32 reaches into the next step's place, which is written
/// after it; the last step has none.
template <class T>
void pack_sixes_copied(const T* from, std::int64_t step, std::int64_t rows, std::int64_t k, T* to) {
    constexpr std::int64_t at_once = 8, width = 6, reach = sizeof(T) == sizeof(float) ? 8 : width;
    const std::int64_t whole = (k - 1) / at_once * at_once;
    const T* eight = from;
    for (std::int64_t p = 0; p < whole; p += at_once, eight += at_once * step) {
        T* panel = to + p * width;
        std::int64_t w = 0;
        for (; w + reach <= rows; w += width, panel += width * k)
#pragma GCC unroll 8
            for (std::int64_t u = 0; u < at_once; ++u) {
                __builtin_prefetch(eight + (at_once + u) * step + w);
                copy_step(eight + u * step + w, reach, panel + u * width);
            }
        for (; w < rows; w += width, panel += width * k)
            for (std::int64_t u = 0; u < at_once; ++u)
                copy_step(eight + u * step + w, rows - w < width ? rows - w : width, panel + u * width);
    }
    pack_copied(eight, step, rows, k - whole, to + whole * width, width, width * k);
}

/// `row_step` or `step` along k is 1.
template <class T>
void pack(const T* from, std::int64_t row_step, std::int64_t step, int rows, std::int64_t k, T* to,
          std::int64_t width) {
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    if (step != 1 && width == line && rows >= line) return pack_lines(from, step, rows, k, to);
    if (step != 1 && width == 6) return pack_sixes_copied(from, step, rows, k, to);
    if (step != 1) return pack_copied(from, step, rows, k, to, width, width * k);
    for (std::int64_t w = 0; w < rows; w += width)
        pack_turned(from + w * row_step, row_step, rows - w < width ? rows - w : width, k, to + w * k, width);
}

}  // namespace
}  // namespace tw::cpu
