// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Packing: a panel is `width` rows of an operand (columns, for B: hand in its transpose) laid out in the order in which
// a micro-kernel reads them, all of them at each step along k.
//
//        k                          to[p * width + w] = from(w, p)
//      0 1 2 3 ...
//    w 4 5 6 7 ...       ->     0 4 8 | 1 5 9 | 2 6 10 | ...
//      8 9 10 ...
//
// Where the panel has fewer rows than its width, the places of the missing ones are left as they are: nobody reads
// them.
#pragma once

#include <algorithm>

#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/product/vectors.hpp"
#include "tilewright/view.hpp"

namespace tw::cpu {

/// Four vectors of four f32, or two of two f64, with rows and columns exchanged.
inline void transpose(Vector<float> (&v)[4]) noexcept {
    const Vector<float> a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const Vector<float> b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const Vector<float> c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const Vector<float> d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}
inline void transpose(Vector<double> (&v)[2]) noexcept {
    const Vector<double> a = __builtin_shufflevector(v[0], v[1], 0, 2), b = __builtin_shufflevector(v[0], v[1], 1, 3);
    v[0] = a;
    v[1] = b;
}

template <class T>
void pack_element_by_element(const View<const T>& from, int width, T* to) noexcept {
    for (std::int64_t p = 0; p < from.cols; ++p, to += width)
        for (std::int64_t w = 0; w < from.rows; ++w) to[w] = from(w, p);
}

/// Rows that are contiguous along k: squares of `lanes` x `lanes` are transposed in registers. The last square of a
/// column overlaps the one before it where the panel is no multiple of `lanes` wide.
template <class T>
void pack_transposed(const View<const T>& from, int width, T* to) noexcept {
    constexpr int L = lanes<T>;
    constexpr std::int64_t run = 256 / static_cast<std::int64_t>(sizeof(T));  // whole cache lines of a row at a time
    const std::int64_t squares_end = from.cols / L * L;
    for (std::int64_t begin = 0; begin < squares_end; begin += run) {
        const std::int64_t end = begin + run < squares_end ? begin + run : squares_end;
        for (std::int64_t w = 0; w < from.rows; w += L) {
            const std::int64_t first = w + L <= from.rows ? w : from.rows - L;
            for (std::int64_t p = begin; p < end; p += L) {
                Vector<T> square[L];
                for (int i = 0; i < L; ++i) square[i] = load(from.data + (first + i) * from.row_step + p);
                transpose(square);
                for (int i = 0; i < L; ++i) store(to + (p + i) * width + first, square[i]);
            }
        }
    }
    pack_element_by_element(from.block(0, squares_end, from.rows, from.cols - squares_end), width,
                            to + squares_end * width);
}

/// Rows that lie side by side: each step along k is a copy.
template <class T>
void pack_copied(const View<const T>& from, int width, T* to) noexcept {
    constexpr std::int64_t rows_ahead = 16;  // each may lie on a page of its own, which no hardware prefetches
    const T* row = from.data;
    if (from.rows == width && width % lanes<T> == 0) {
        for (std::int64_t p = 0; p < from.cols; ++p, row += from.col_step, to += width) {
            for (int w = 0; w < width; w += 64 / static_cast<int>(sizeof(T)))
                __builtin_prefetch(row + rows_ahead * from.col_step + w);
            for (int w = 0; w < width; w += lanes<T>) store(to + w, load(row + w));
        }
        return;
    }
    for (std::int64_t p = 0; p < from.cols; ++p, row += from.col_step, to += width)
        for (std::int64_t w = 0; w < from.rows; ++w) to[w] = row[w];
}

template <class T>
void pack_panel(const View<const T>& from, int width, T* to) noexcept {
    if (from.row_step == 1) pack_copied(from, width, to);
    else if (from.col_step == 1 && from.rows >= lanes<T>) pack_transposed(from, width, to);
    else pack_element_by_element(from, width, to);
}

/// By the kernel's own instructions where it has some for it. More rows than `width` fill panels that lie one behind
/// the other.
template <class T>
void pack_panels(const auto& kernel, const View<const T>& from, int width, T* to) noexcept {
    if (kernel.pack && (from.row_step == 1 || from.col_step == 1))
        return kernel.pack(from.data, from.row_step, from.col_step, static_cast<int>(from.rows), from.cols, to, width);
    for (std::int64_t w = 0; w < from.rows; w += width, to += width * from.cols)
        pack_panel(from.block(w, 0, std::min<std::int64_t>(width, from.rows - w), from.cols), width, to);
}

}  // namespace tw::cpu
