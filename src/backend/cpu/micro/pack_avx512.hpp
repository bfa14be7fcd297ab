// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Packing by AVX-512: what pack.hpp does, with up to a vector's count of rows at once. Where rows are contiguous along
// k, a vector takes 16 bytes of each fourth row (f32, each second of f64), so that every load feeds a lane of its own
// and only words within lanes are left to exchange. For files that are compiled with the AVX-512 flags.
//
//      lane     0        1        2        3
//      v[0]   row 0    row 4    row 8    row 12        four steps along k each; exchanged with v[1], v[2], v[3]
//      v[1]   row 1    row 5    row 9    row 13        they give one step of all 16 rows, four times
#pragma once

#include <immintrin.h>

#include <cstdint>

#if defined(__GNUC__) && !defined(__clang__)
// The undefined lanes that a cast leaves are undefined on purpose; g++ 12 says so wherever it is inlined.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tw::cpu {
namespace {

/// The same 16 bytes of four rows.
inline __m512 load_lanes(const void* row0, const void* row1, const void* row2, const void* row3) {
    const auto load = [](const void* row) { return _mm_loadu_ps(static_cast<const float*>(row)); };
    __m512 v = _mm512_castps128_ps512(load(row0));
    v = _mm512_mask_broadcast_f32x4(v, 0x00f0, load(row1));
    v = _mm512_mask_broadcast_f32x4(v, 0x0f00, load(row2));
    return _mm512_mask_broadcast_f32x4(v, 0xf000, load(row3));
}

/// One step along k of each row, in `v[i]` for the i-th of as many steps as there are elements in 16 bytes.
inline void exchange(__m512 (&v)[4], const float*) {
    const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(v[0], v[1])),
                  b = _mm512_castps_pd(_mm512_unpacklo_ps(v[2], v[3]));
    const __m512d c = _mm512_castps_pd(_mm512_unpackhi_ps(v[0], v[1])),
                  d = _mm512_castps_pd(_mm512_unpackhi_ps(v[2], v[3]));
    v[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
    v[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
    v[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(c, d));
    v[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(c, d));
}
inline void exchange(__m512 (&v)[2], const double*) {
    const __m512d a = _mm512_castps_pd(v[0]), b = _mm512_castps_pd(v[1]);
    v[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
    v[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
}

/// A line of each of as many rows as it has elements: a vector for each step along k. All of a line is read before the
/// next one, as lines that fight for a set of L1 do not stay there.
template <class T>
[[gnu::always_inline]] inline void turned_lines(const T* from, std::int64_t row_step, __m512 (&steps)[64 / sizeof(T)]) {
    constexpr int at_once = 16 / static_cast<int>(sizeof(T));
    const std::int64_t lane = at_once * row_step;
    __m512 v[4][at_once];
#pragma GCC unroll 4
    for (int i = 0; i < at_once; ++i, from += row_step) {
        asm("" : "+r"(from));  // or compilers keep an address for each of 64 loads, in memory
#pragma GCC unroll 4
        for (int q = 0; q < 4; ++q) {
            const T* const row = from + q * at_once;
            v[q][i] = load_lanes(row, row + lane, row + 2 * lane, row + 3 * lane);
        }
    }
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
        exchange(v[q], from);
#pragma GCC unroll 4
        for (int i = 0; i < at_once; ++i) steps[q * at_once + i] = v[q][i];
    }
}

/// As many rows as a vector has elements, or fewer; `to` takes `width` elements a step.
template <class V>
void pack_turned(const typename V::Element* from, std::int64_t row_step, int rows, std::int64_t k,
                 typename V::Element* to, std::int64_t width) {
    using T = typename V::Element;
    constexpr int steps = 16 / static_cast<int>(sizeof(T));
    const typename V::Mask mask = V::mask(rows);
    const T* row[V::lanes];
    for (int r = 0; r < V::lanes; ++r) row[r] = from + (r < rows ? r : 0) * row_step;
    std::int64_t p = 0;
    for (; p + steps <= k; p += steps) {
        __m512 v[steps];
        for (int i = 0; i < steps; ++i)
            v[i] = load_lanes(row[i] + p, row[i + steps] + p, row[i + 2 * steps] + p, row[i + 3 * steps] + p);
        exchange(v, to);
        for (int i = 0; i < steps; ++i, to += width) V::store(to, V::of_lanes(v[i]), mask);
    }
    for (; p < k; ++p, to += width)
        for (int r = 0; r < rows; ++r) to[r] = row[r][p];
}

/// Rows that lie side by side: each step along k is a copy. Each may lie on a page of its own, which no hardware
/// prefetches; and stores leave in order, so that lines which are not in L1 are asked for ahead of them.
/// More than `width` of them fill panels that lie one behind the other: a page, and a line that two panels share, are
/// met once.
template <class V>
void pack_copied(const typename V::Element* from, std::int64_t step, int rows, std::int64_t k, typename V::Element* to,
                 std::int64_t width) {
    using T = typename V::Element;
    constexpr std::int64_t steps_ahead = 4, stores_ahead = 8;
    constexpr int line = 64 / static_cast<int>(sizeof(T));
    const auto copy = [width](const T* row, int count, T* at) __attribute__((always_inline)) {
        const int last = (count - 1) / V::lanes * V::lanes;
        const typename V::Mask mask = V::mask(count - last);
        for (int w = 0; w < last; w += V::lanes) {
            __builtin_prefetch(at + stores_ahead * width + w);
            V::store(at + w, V::load(row + w));
        }
        __builtin_prefetch(at + stores_ahead * width + last);
        V::store(at + last, V::load(row + last, mask), mask);
    };
    const int high = static_cast<int>(width), whole = rows / high * high;
    for (std::int64_t p = 0; p < k; ++p, from += step, to += width) {
        for (int w = 0; w < rows; w += line) __builtin_prefetch(from + steps_ahead * step + w);
        T* at = to;
        for (int w = 0; w < whole; w += high, at += width * k) copy(from + w, high, at);
        if (whole < rows) copy(from + whole, rows - whole, at);
    }
}

/// `row_step` or `step` along k is 1.
template <class V>
void pack(const typename V::Element* from, std::int64_t row_step, std::int64_t step, int rows, std::int64_t k,
          typename V::Element* to, std::int64_t width) {
    if (step != 1) return pack_copied<V>(from, step, rows, k, to, width);
    for (int left = rows; left > 0; left -= static_cast<int>(width), from += width * row_step, to += width * k) {
        const int count = left < width ? left : static_cast<int>(width);
        for (int w = 0; w < count; w += V::lanes)
            pack_turned<V>(from + w * row_step, row_step, count - w < V::lanes ? count - w : V::lanes, k, to + w,
                           width);
    }
}

}  // namespace
}  // namespace tw::cpu
