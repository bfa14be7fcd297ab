// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Packing for complex products: a step along k of a panel holds the real parts of all its rows (columns, for B: hand in
// its transpose), and then their imaginary parts. Conjugates are made here.
//
//        k                                    width
//      a0 b0  c0 d0  ...                    +-------+-------+-------+-------+
//      a1 b1  c1 d1  ...             ->     | a0 a1 | b0 b1 | c0 c1 | d0 d1 | ...
//                                           +-------+-------+-------+-------+
//
// Rows that are contiguous along k are real ones of twice the length as they lie: those are packed by real packers.
#pragma once

#include <complex>
#include <cstring>

#include "backend/cpu/micro/complex_kernel.hpp"
#include "backend/cpu/micro/pack.hpp"

namespace tw::cpu {

/// re, im, ... of the numbers in two vectors: all their real parts, and all their imaginary ones.
inline void part(const Vector<float>& v, const Vector<float>& w, Vector<float>& re, Vector<float>& im) noexcept {
    re = __builtin_shufflevector(v, w, 0, 2, 4, 6), im = __builtin_shufflevector(v, w, 1, 3, 5, 7);
}
inline void part(const Vector<double>& v, const Vector<double>& w, Vector<double>& re, Vector<double>& im) noexcept {
    re = __builtin_shufflevector(v, w, 0, 2), im = __builtin_shufflevector(v, w, 1, 3);
}

/// Rows side by side, for all their panels at once: each step may lie on a page of its own, which no hardware
/// prefetches.
template <class T>
void pack_parted(const View<const std::complex<T>>& from, int width, T* to) noexcept {
    constexpr std::int64_t some = lanes<T>, line = 64 / (2 * std::int64_t{sizeof(T)}), steps_ahead = 8;
    const T sign = from.is_conj ? T(-1) : T(1);
    for (std::int64_t p = 0; p < from.cols; ++p, to += 2 * width) {
        const std::complex<T>* const step = from.data + p * from.col_step;
        for (std::int64_t w = 0; w < from.rows; w += line) __builtin_prefetch(step + steps_ahead * from.col_step + w);
        T* panel = to;
        for (std::int64_t first = 0; first < from.rows; first += width, panel += 2 * width * from.cols) {
            const std::int64_t count = std::min<std::int64_t>(width, from.rows - first), end = count / some * some;
            for (std::int64_t w = 0; w < end; w += some) {
                const T* const at = reinterpret_cast<const T*>(step + first + w);
                Vector<T> re, im;
                part(load(at), load(at + some), re, im);
                store(panel + w, re);
                store(panel + width + w, im * sign);
            }
            for (std::int64_t w = end; w < count; ++w) {
                const std::complex<T> x = step[first + w];
                panel[w] = x.real(), panel[width + w] = x.imag() * sign;
            }
        }
    }
}

template <class T>
void pack_one_by_one(const View<const std::complex<T>>& from, int width, T* to) noexcept {
    const T sign = from.is_conj ? T(-1) : T(1);
    for (std::int64_t p = 0; p < from.cols; ++p, to += 2 * width)
        for (std::int64_t w = 0; w < from.rows; ++w) {
            const std::complex<T> x = from.data[w * from.row_step + p * from.col_step];
            to[w] = x.real(), to[width + w] = x.imag() * sign;
        }
}

/// Places from `first` on, which have no row.
template <class T>
void clear_places(std::int64_t first, std::int64_t steps, int width, T* to) noexcept {
    for (std::int64_t p = 0; p < steps; ++p, to += width) std::fill(to + first, to + width, T(0));
}

/// One panel of rows that are contiguous along k.
template <class T>
void pack_as_they_lie(const ComplexKernel<T>& kernel, const View<const std::complex<T>>& from, int width,
                      T* to) noexcept {
    const View<const T> real(reinterpret_cast<const T*>(from.data), from.rows, 2 * from.cols, 2 * from.row_step);
    pack_panels(kernel, real, width, to);
    if (!from.is_conj) return;
    for (std::int64_t p = 1; p < 2 * from.cols; p += 2)
        for (std::int64_t w = 0; w < from.rows; ++w) to[p * width + w] = -to[p * width + w];
}

/// More rows than `width` fill panels that lie one behind the other; places of rows that are missing hold 0.
template <class T>
void pack_complex(const ComplexKernel<T>& kernel, const View<const std::complex<T>>& from, int width, T* to) noexcept {
    if (from.row_step == 1) pack_parted(from, width, to);
    for (std::int64_t w = 0; w < from.rows; w += width, to += 2 * width * from.cols) {
        const std::int64_t count = std::min<std::int64_t>(width, from.rows - w);
        const View<const std::complex<T>> rows = from.block(w, 0, count, from.cols);
        if (from.row_step != 1)
            from.col_step == 1 ? pack_as_they_lie(kernel, rows, width, to) : pack_one_by_one(rows, width, to);
        if (count < width) clear_places(count, 2 * from.cols, width, to);
    }
}

}  // namespace tw::cpu
