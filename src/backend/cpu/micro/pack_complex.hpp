// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Packing for complex products. A complex product is a real one of twice the columns and twice the terms, whose left
// operand and whose result are the complex ones as they lie:
//
//      (a + bi) (c + di)          [ a b ] x [ c  d ]  =  [ ac - bd   ad + bc ]
//                                           [-d  c ]
//
// So a panel of A holds the real parts of a step along k and then its imaginary parts, and a panel of B holds each row
// twice: as it is, and i times it. Conjugates are made here, and the real micro-kernels multiply the panels.
#pragma once

#include <complex>
#include <cstring>

#include "backend/cpu/micro/pack.hpp"

namespace tw::cpu {

/// Two f32 pairs or one of f64: re, im, ...
template <class T>
inline Vector<T> swapped(const Vector<T>& v) noexcept {
    if constexpr (sizeof(T) == sizeof(float)) return __builtin_shufflevector(v, v, 1, 0, 3, 2);
    else return __builtin_shufflevector(v, v, 1, 0);
}

/// re, im, ... of the numbers in two vectors: all their real parts, and all their imaginary ones.
inline void part(const Vector<float>& v, const Vector<float>& w, Vector<float>& re, Vector<float>& im) noexcept {
    re = __builtin_shufflevector(v, w, 0, 2, 4, 6), im = __builtin_shufflevector(v, w, 1, 3, 5, 7);
}
inline void part(const Vector<double>& v, const Vector<double>& w, Vector<double>& re, Vector<double>& im) noexcept {
    re = __builtin_shufflevector(v, w, 0, 2), im = __builtin_shufflevector(v, w, 1, 3);
}

/// Where rows are not contiguous along k: step by step.
template <class T>
void pack_parted(const View<const std::complex<T>>& from, int width, T* to) noexcept {
    constexpr std::int64_t some = lanes<T>;
    const T sign = from.is_conj ? T(-1) : T(1);
    const std::int64_t vectors_end = from.row_step == 1 ? from.rows / some * some : 0;
    for (std::int64_t p = 0; p < from.cols; ++p, to += 2 * width) {
        const std::complex<T>* const step = from.data + p * from.col_step;
        for (std::int64_t w = 0; w < vectors_end; w += some) {
            const T* const at = reinterpret_cast<const T*>(step + w);
            Vector<T> re, im;
            part(load(at), load(at + some), re, im);
            store(to + w, re);
            store(to + width + w, im * sign);
        }
        for (std::int64_t w = vectors_end; w < from.rows; ++w) {
            const std::complex<T> x = step[w * from.row_step];
            to[w] = x.real(), to[width + w] = x.imag() * sign;
        }
    }
}

/// At most `width` rows of A; the panel has 2k steps.
template <class T>
void pack_complex_rows(const MicroKernel<T>& kernel, const View<const std::complex<T>>& from, int width,
                       T* to) noexcept {
    if (from.col_step != 1) return pack_parted(from, width, to);
    const View<const T> as_they_lie(reinterpret_cast<const T*>(from.data), from.rows, 2 * from.cols, 2 * from.row_step);
    pack_panels(kernel, as_they_lie, width, to);
    if (!from.is_conj) return;
    for (std::int64_t p = 1; p < 2 * from.cols; p += 2)
        for (std::int64_t w = 0; w < from.rows; ++w) to[p * width + w] = -to[p * width + w];
}

/// What becomes of a vector of B's numbers in the two rows of a panel.
template <class T>
struct Twofold {
    Vector<T> as_is, turned;  // signs of the numbers, and of those times i

    explicit Twofold(bool is_conj) noexcept {
        const T sign = is_conj ? T(-1) : T(1);
        for (int l = 0; l < lanes<T>; l += 2) as_is[l] = 1, as_is[l + 1] = sign, turned[l] = -sign, turned[l + 1] = 1;
    }
    void put(const Vector<T>& v, T* to, int width) const noexcept {
        store(to, v * as_is);
        store(to + width, swapped<T>(v) * turned);
    }
    void put(std::complex<T> x, T* to, int width) const noexcept {
        to[0] = x.real(), to[1] = x.imag() * as_is[1];
        to[width] = x.imag() * turned[0], to[width + 1] = x.real();
    }
};

/// Some steps along k of as many columns, each of which fills a vector: some vectors across.
inline void put_square(const Twofold<float>& twofold, const std::complex<float>* from, std::int64_t step, float* to,
                       int width) noexcept {
    const auto v = load(reinterpret_cast<const float*>(from)), w = load(reinterpret_cast<const float*>(from + step));
    twofold.put(__builtin_shufflevector(v, w, 0, 1, 4, 5), to, width);
    twofold.put(__builtin_shufflevector(v, w, 2, 3, 6, 7), to + 2 * width, width);
}
inline void put_square(const Twofold<double>& twofold, const std::complex<double>* from, std::int64_t, double* to,
                       int width) noexcept {
    twofold.put(load(reinterpret_cast<const double*>(from)), to, width);
}

/// Columns of B for one panel, some steps of all of them at a time; by squares where they are contiguous along k.
template <class T>
void pack_twofold_columns(const View<const std::complex<T>>& from, int width, T* to) noexcept {
    constexpr std::int64_t run = 32, some = lanes<T> / 2;
    const Twofold<T> twofold(from.is_conj);
    const std::int64_t squares = from.col_step == 1 ? from.rows / some * some : 0;
    for (std::int64_t begin = 0; begin < from.cols; begin += run) {
        const std::int64_t end = std::min(begin + run, from.cols), even = begin + (end - begin) / some * some;
        for (std::int64_t w = 0; w < squares; w += some)
            for (std::int64_t p = begin; p < even; p += some)
                put_square(twofold, from.data + w * from.row_step + p, from.row_step, to + 2 * (p * width + w), width);
        for (std::int64_t w = 0; w < from.rows; ++w)
            for (std::int64_t p = w < squares ? even : begin; p < end; ++p)
                twofold.put(from(w, p), to + 2 * (p * width + w), width);
    }
}

/// Rows of B that are contiguous, for all panels at once: each may lie on a page of its own, which no hardware
/// prefetches.
template <class T>
void pack_twofold_rows(const View<const std::complex<T>>& from, int width, T* to) noexcept {
    constexpr std::int64_t some = lanes<T> / 2, line = 64 / (2 * std::int64_t{sizeof(T)}), steps_ahead = 8;
    const Twofold<T> twofold(from.is_conj);
    for (std::int64_t p = 0; p < from.cols; ++p) {
        const std::complex<T>* const step = from.data + p * from.col_step;
        for (std::int64_t w = 0; w < from.rows; w += line) __builtin_prefetch(step + steps_ahead * from.col_step + w);
        T* row = to + 2 * p * width;
        for (std::int64_t first = 0; first < from.rows; first += width / 2, row += 2 * width * from.cols) {
            const std::int64_t count = std::min<std::int64_t>(width / 2, from.rows - first), end = count / some * some;
            const std::complex<T>* const numbers = step + first;
            for (std::int64_t w = 0; w < end; w += some)
                twofold.put(load(reinterpret_cast<const T*>(numbers + w)), row + 2 * w, width);
            for (std::int64_t w = end; w < count; ++w) twofold.put(numbers[w], row + 2 * w, width);
        }
    }
}

/// Columns of B (`from` is their transpose), width / 2 for each panel, which has 2k steps of `width` numbers. More of
/// them fill panels that lie one behind the other.
template <class T>
void pack_complex_columns(const View<const std::complex<T>>& from, int width, T* to) noexcept {
    if (from.row_step == 1) return pack_twofold_rows(from, width, to);
    for (std::int64_t w = 0; w < from.rows; w += width / 2, to += 2 * width * from.cols)
        pack_twofold_columns(from.block(w, 0, std::min<std::int64_t>(width / 2, from.rows - w), from.cols), width, to);
}

}  // namespace tw::cpu
