// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A few rows of A against columns of B that are contiguous along k, as in y = A x with A by rows: nothing is copied.
// Squares of B are turned in registers, so that a vector holds one step of k for neighbouring columns, and each result
// is summed term after term like any other.
//
//         B: one column a line                        in registers
//      col 0 | k0 k1 k2 k3 | ...                   k0: | col 0 | col 1 | ... |  x  a[k0]  +=  sums
//      col 1 | k0 k1 k2 k3 | ...        ->         k1: | col 0 | col 1 | ... |  x  a[k1]  +=  sums
//      ...                                         ...
//
// A line of memory is used up before the next column's: lines a power of two apart fight for one set of L1.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cpu/micro/micro_kernel.hpp"

namespace tw::cpu {
namespace {

/// So many vectors of columns at once that their chains of sums keep up with memory, or with L2: a multiply-add waits
/// four cycles for the one before it. With more of them the processor would lose sight of the columns, each of which
/// it is to fetch ahead. 64-byte vectors have as many columns in one, 16-byte ones a quarter.
template <class V>
constexpr int turned_vectors(int rows) {
    constexpr int bytes = sizeof(typename V::Register);
    if (bytes <= 16) return rows <= 2 ? 4 : 2;
    return rows <= 3 && bytes < 64 ? 2 : 1;
}

/// One step of k for columns that do not fill a vector, or where fewer steps are left than a square has.
template <class V, int R, class Of>
[[gnu::always_inline]] inline void turned_step(const TurnedTile<typename V::Element>& t, std::int64_t p,
                                               std::int64_t first, int cols, typename V::Register (&sums)[R]) {
    typename V::Element step[V::lanes] = {};
    for (int j = 0; j < cols; ++j) step[j] = V::element(static_cast<const Of*>(t.b)[(first + j) * t.b_step + p]);
    const typename V::Register x = V::load(step);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) sums[r] = V::multiply_add(V::broadcast(t.a + p * R + r), x, sums[r]);
}

/// `G` whole vectors of columns from `first` on, or, with `cols` fewer than a vector has, what is left of them.
template <class V, int R, int G, class Of>
void turned_columns(const TurnedTile<typename V::Element>& t, std::int64_t first, int cols) {
    using T = typename V::Element;
    using Register = typename V::Register;
    constexpr int steps = V::template steps_turned<Of>, bytes = sizeof(Register);
    constexpr std::int64_t line = 64 / sizeof(Of);
    // The sums of one vector wait for each other: several vectors' take turns. The second of 32 bytes is a line behind,
    // in another set of L1; doubles, half as many a line, lost a tenth by it, and come one after the other.
    constexpr bool is_behind = G > 1 && bytes == 32 && sizeof(T) == sizeof(float), take_turns = bytes < 32 || is_behind;
    static_assert(!is_behind || G == 2);
    Register sums[G][R];
    T* const kept = t.sums + first;
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g)
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) sums[g][r] = V::zero();
    const auto add_square = [&](std::int64_t p, int g) __attribute__((always_inline)) {
        Register square[steps];
        V::turn(static_cast<const Of*>(t.b) + (first + g * V::lanes) * t.b_step + p, t.b_step, square);
#pragma GCC unroll 16
        for (int u = 0; u < steps; ++u)
#pragma GCC unroll 8
            for (int r = 0; r < R; ++r) {
                const T* const x = t.a + (p + u) * R + r;
                if constexpr (V::broadcasts_folded > 0) sums[g][r] = V::multiply_add(x, square[u], sums[g][r]);
                else sums[g][r] = V::multiply_add(V::broadcast(x), square[u], sums[g][r]);
            }
    };
    const auto add_lines = [&](std::int64_t p, int from, int to) __attribute__((always_inline)) {
        if (t.ahead)
            for (std::int64_t j = from * V::lanes; j < to * V::lanes; ++j)
                __builtin_prefetch(static_cast<const Of*>(t.ahead) + (first + j) * t.b_step + p);
#pragma GCC unroll 8
        for (int q = 0; q < line; q += steps)
#pragma GCC unroll 4
            for (int g = from; g < to; ++g) add_square(p + q - (is_behind ? g * line : 0), g);
    };
    std::int64_t p = 0;
    if (cols >= V::lanes && line <= t.k) {
        if (is_behind) add_lines(p, 0, 1), p += line;
        for (; p + line <= t.k; p += line) {
            add_lines(p, 0, take_turns ? G : 1);
            if (G > 1 && !take_turns) add_lines(p, 1, G);
        }
        if (is_behind) add_lines(p, 1, G);
    }
    if (cols >= V::lanes)
        for (; p + steps <= t.k; p += steps)
#pragma GCC unroll 4
            for (int g = 0; g < G; ++g) add_square(p, g);
    for (; p < t.k; ++p)
#pragma GCC unroll 4
        for (int g = 0; g < G; ++g)
            turned_step<V, R, Of>(t, p, first + g * V::lanes, std::min(cols, V::lanes), sums[g]);
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g)
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) V::store(kept + r * t.sums_step + g * V::lanes, sums[g][r]);
}

/// From column j on; where fewer are left than vectors have, by fewer vectors.
template <class V, int R, int G, class Of>
void turned_from(const TurnedTile<typename V::Element>& t, std::int64_t j) {
    constexpr int wide = G * V::lanes;
    for (; j + wide <= t.cols; j += wide) turned_columns<V, R, G, Of>(t, j, wide);
    if constexpr (G > 1) turned_from<V, R, G / 2, Of>(t, j);
    else if (j < t.cols) turned_columns<V, R, 1, Of>(t, j, static_cast<int>(t.cols - j));
}

template <class V, int R, class Of>
void turned_tile(const TurnedTile<typename V::Element>& t) {
    turned_from<V, R, turned_vectors<V>(R), Of>(t, 0);
}

/// By a B of elements `Of`; `Most`: so many rows at most.
template <class V, class Of = typename V::Element, int Most = most_turned>
void turned_tile_of(const TurnedTile<typename V::Element>& t) {
    if constexpr (Most > 1)
        if (t.rows < Most) return turned_tile_of<V, Of, Most - 1>(t);
    turned_tile<V, Most, Of>(t);
}

}  // namespace
}  // namespace tw::cpu
