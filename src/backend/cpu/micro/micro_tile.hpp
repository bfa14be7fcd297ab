// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The loops along k of a micro-kernel, one for each way that A and B lie.
#pragma once

#include <cstdint>

#include "backend/cpu/micro/asked.hpp"
#include "backend/cpu/micro/micro_sums.hpp"

namespace tw::cpu {
namespace {

/// An address that moves on, and is known to the compiler as no more than that: it must not become a sum of two
/// registers.
template <class T>
[[gnu::always_inline]] inline void advance(const T*& address, std::int64_t elements) {
    address += elements;
    asm("" : "+r"(address));
}

/// A tile on operands as they lie. Each row of B may lie on a page of its own, which no hardware prefetches; a wide
/// tile has too little else to do for a request of its own to help.
template <class V, int R, int W, bool Ragged>
void tile(const MicroTile<typename V::Element>& t) {
    using T = typename V::Element;
    constexpr bool prefetches = W <= 3;
    constexpr std::int64_t rows_ahead = 16;
    Sums<V, R, W, Ragged> sums(t.cols);
    const T *a = t.a, *b = t.b;
    const std::int64_t a_row_step = t.a_row_step, a_step = t.a_step, b_step = t.b_step;
    const auto go = [&](std::int64_t steps, const auto& ask) __attribute__((always_inline)) {
        for (; steps > 0; --steps, a += a_step, b += b_step) {
            ask();
            if (prefetches)
                for (int w = 0; w < W; ++w) __builtin_prefetch(b + rows_ahead * b_step + w * V::lanes);
            sums.template step<0>([&](int r) { return a + r * a_row_step; }, b);
        }
    };
    std::int64_t left = t.k;
    if (t.ahead_rows > 0) {
        Asked<V> asked(t);
        left -= asked.steps;
        go(asked.steps, [&] { asked.ask(); });
    }
    go(left, [] {});
    sums.finish(t);
}

/// Rows that are contiguous: an address for each of them stays in a register, because an element at a constant distance
/// from one register is read and broadcast within the multiply-add, where two registers would make it two operations.
template <class V, int R, int W, bool Ragged>
void row_tile(const MicroTile<typename V::Element>& t) {
    using T = typename V::Element;
    constexpr int folded = V::broadcasts_folded > 0 ? 1 : 0;
    Sums<V, R, W, Ragged> sums(t.cols);
    const T *a[R], *b = t.b;
    const std::int64_t b_step = t.b_step;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) a[r] = t.a + r * t.a_row_step;
    std::int64_t left = t.k;
    if (t.ahead_rows > 0) {
        Asked<V> asked(t);
        for (std::int64_t u = 0; u < asked.steps; ++u, b += b_step) {
            asked.ask();
            sums.template step<0>([&](int r) { return a[r] + u; }, b);
        }
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) a[r] += asked.steps;
        left -= asked.steps;
    }
    for (; left >= 4; left -= 4) {
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u, advance(b, b_step)) sums.template step<folded>([&](int r) { return a[r] + u; }, b);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) advance(a[r], 4);
    }
    for (int u = 0; u < left; ++u, b += b_step) sums.template step<0>([&](int r) { return a[r] + u; }, b);
    sums.finish(t);
}

/// More rows than there are registers for addresses, and one vector: some rows of B wait in registers while the
/// addresses go from the upper rows of A to the lower ones and back.
template <class V, int R, bool Ragged>
void tall_tile(const MicroTile<typename V::Element>& t) {
    using T = typename V::Element;
    constexpr int upper = (R + 1) / 2, steps = 8;
    Sums<V, R, 1, Ragged> sums(t.cols);
    const T *a[upper], *b = t.b;
    const std::int64_t b_step = t.b_step, down = upper * t.a_row_step;
#pragma GCC unroll 16
    for (int r = 0; r < upper; ++r) a[r] = t.a + r * t.a_row_step;
    std::int64_t left = t.k;
    for (; left >= steps; left -= steps) {
        typename V::Register rows[steps];
#pragma GCC unroll 8
        for (int u = 0; u < steps; ++u, advance(b, b_step)) rows[u] = sums.last.load(b);
        const auto go = [&](int first, int rows_left) __attribute__((always_inline)) {
#pragma GCC unroll 8
            for (int u = 0; u < steps; ++u)
#pragma GCC unroll 16
                for (int r = 0; r < rows_left; ++r)
                    sums.of[first + r][0] = V::multiply_add(a[r] + u, rows[u], sums.of[first + r][0]);
        };
        go(0, upper);
#pragma GCC unroll 16
        for (int r = 0; r < upper; ++r) advance(a[r], down);
        go(upper, R - upper);
#pragma GCC unroll 16
        for (int r = 0; r < upper; ++r) advance(a[r], steps - down);
    }
    for (int u = 0; u < left; ++u, b += b_step)
        sums.template step<0>([&](int r) { return a[r % upper] + (r < upper ? 0 : down) + u; }, b);
    sums.finish(t);
}

/// The whole tile on packed panels, where most of a large product's time goes: all steps are constants. C is prefetched
/// shortly before it is read: prefetched at the beginning, it would have left L1 again by then. Never all of it at
/// once: the loads of the panels would queue behind it. What is asked for has loops of its own, so that eight steps
/// meet no branch but their own end.
template <class V, int R, int W, int Folded>
void packed_tile_in_eights(const MicroTile<typename V::Element>& t) {
    using T = typename V::Element;
    constexpr int steps = 8;
    constexpr std::int64_t after_c = 4, line = 64 / sizeof(T), a_ahead = 16 * R;
    Sums<V, R, W, false> sums(W * V::lanes);
    const T *a = t.a, *b = t.b, *ahead = t.ahead, *c = t.c;
    const auto take = [&](int count) __attribute__((always_inline)) {
#pragma GCC unroll 8
        for (int u = 0; u < count; ++u, a += R, b += W * V::lanes)
            sums.template step<Folded>([&](int r) { return a + r; }, b);
    };
    const auto go = [&]() __attribute__((always_inline)) {
#pragma GCC unroll 16
        for (std::int64_t l = 0; l < steps * R; l += line) __builtin_prefetch(a + a_ahead + l);
        take(steps);
    };
    const auto ask_for_c = [&] {
        __builtin_prefetch(c, 1);
        __builtin_prefetch(c + W * V::lanes - 1, 1);
        c += t.c_step;
    };
    const auto ask_ahead = [&] {
        for (std::int64_t l = 0; l < t.ahead_lines; ++l) __builtin_prefetch(ahead + l * line, 0, 2);
        ahead += t.ahead_step;
    };
    std::int64_t left = t.k / steps, rows_ahead = t.ahead_rows;
    const bool is_long = left >= R + after_c;
    const std::int64_t free = is_long ? left - R - after_c : left;
    for (; rows_ahead > free; --rows_ahead) ask_ahead();
    if (!is_long) {
        c += W * V::lanes;  // the next tile's: this one is through before its own would come
        for (int r = 0; r < R; ++r) ask_for_c();
    }
    for (; rows_ahead > 0; --rows_ahead, --left) go(), ask_ahead();
    if (is_long) {
        for (; left > R + after_c; --left) go();
        for (; left > after_c; --left) go(), ask_for_c();
    }
    for (; left > 0; --left) go();
    if (t.k & 4) take(4);
    if (t.k & 2) take(2);
    if (t.k & 1) take(1);
    sums.finish(t);
}

/// The same where 64-byte vectors give each step twice as much to do: one copy of the loop, which looks what to ask for
/// after each group of steps.
template <class V, int R, int W, int Folded>
void packed_tile_in_groups(const MicroTile<typename V::Element>& t) {
    using T = typename V::Element;
    constexpr std::int64_t group = 16, groups_before = 2, groups_of_c = (R + 1) / 2, line = 64 / sizeof(T);
    Sums<V, R, W, false> sums(W * V::lanes);
    const T *a = t.a, *b = t.b, *ahead = t.ahead, *c = t.c;
    const auto go = [&](std::int64_t steps) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (; steps > 0; --steps, a += R, b += W * V::lanes) {
            __builtin_prefetch(a + group * R);
            sums.template step<Folded>([&](int r) { return a + r; }, b);
        }
    };
    const auto go_group = [&]() __attribute__((always_inline)) {
        const T* const end = a + group * R;
        while (a != end) go(4);
    };
    const auto ask_for_c = [&] {
        // The line of each vector's end: where rows begin within a line, the tile on the left has brought the first
        // one.
        for (int w = 1; w <= W; ++w) __builtin_prefetch(c + w * V::lanes - 1, 1);
        c += t.c_step;
    };
    const std::int64_t groups = t.k / group, rows_at_once = t.ahead_rows / (groups + 1) + 1;
    std::int64_t rows_ahead = t.ahead_rows;
    for (int r = 0; r < R && groups < groups_before + groups_of_c; ++r) ask_for_c();
    for (std::int64_t left = groups - groups_before; left > -groups_before; --left) {
        go_group();
        for (std::int64_t row = 0; row < rows_at_once && rows_ahead > 0; ++row, --rows_ahead, ahead += t.ahead_step)
            for (std::int64_t l = 0; l < t.ahead_lines; ++l) __builtin_prefetch(ahead + l * line, 0, 2);
        if (left > 0 && left <= groups_of_c && groups >= groups_before + groups_of_c) {
            ask_for_c();
            if (R % 2 == 0 || left > 1) ask_for_c();
        }
    }
    go(t.k % group);
    sums.finish(t);
}

/// The whole tile on packed panels whose k is in slabs: all their sums stay in L1.
template <class V, int R, int W, int Folded>
void packed_tile_in_slabs(const MicroTile<typename V::Element>& t, const SlabSteps& slabs,
                          typename V::Element* buffers) {
    using T = typename V::Element;
    constexpr int at_once = 8;
    constexpr std::int64_t line = 64 / sizeof(T), a_ahead = 16 * R, buffer = R * W * V::lanes;
    const T *a = t.a, *b = t.b, *ahead = t.ahead, *c = t.c;
    std::int64_t rows_ahead = t.ahead_rows, rows_of_c = R, before_c = t.k / at_once - (R + 4);
    const std::int64_t rows_at_once = rows_ahead * at_once / t.k + 1;
    const auto ask = [&] {
        for (std::int64_t row = 0; row < rows_at_once && rows_ahead > 0; ++row, --rows_ahead, ahead += t.ahead_step)
            for (std::int64_t l = 0; l < t.ahead_lines; ++l) __builtin_prefetch(ahead + l * line, 0, 2);
        if (--before_c >= 0 || rows_of_c == 0) return;
        __builtin_prefetch(c, 1);
        __builtin_prefetch(c + W * V::lanes - 1, 1);
        c += t.c_step, --rows_of_c;
    };
    for (const SlabSteps::Step *step = slabs.steps, *end = step + slabs.count; step < end; ++step) {
        Sums<V, R, W, false> sums(W * V::lanes);
        const auto take = [&](int count) __attribute__((always_inline)) {
#pragma GCC unroll 8
            for (int u = 0; u < count; ++u, a += R, b += W * V::lanes)
                sums.template step<Folded>([&](int r) { return a + r; }, b);
        };
        for (int left = step->length / at_once; left > 0; --left) {
#pragma GCC unroll 16
            for (std::int64_t l = 0; l < at_once * R; l += line) __builtin_prefetch(a + a_ahead + l);
            take(at_once);
            ask();
        }
        if (step->length & 4) take(4);
        if (step->length & 2) take(2);
        if (step->length & 1) take(1);
        for (unsigned left = step->plus; left; left &= left - 1) sums.add(buffers + __builtin_ctz(left) * buffer);
        step->into == SlabSteps::into_c ? sums.finish(t) : sums.leave(buffers + step->into * buffer);
    }
}

template <class V, int R, int W, int Folded>
void packed_tile(const MicroTile<typename V::Element>& t) {
    if constexpr (sizeof(typename V::Register) < 64) packed_tile_in_eights<V, R, W, Folded>(t);
    else packed_tile_in_groups<V, R, W, Folded>(t);
}

}  // namespace
}  // namespace tw::cpu
