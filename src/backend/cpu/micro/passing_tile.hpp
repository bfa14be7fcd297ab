// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A tile whose sums stay while panels of B pass by, for an A of few rows; and every such tile that a kernel has.
#pragma once

#include <algorithm>
#include <utility>

#include "backend/cpu/micro/micro_sums.hpp"
#include "backend/cpu/micro/tile_widths.hpp"

namespace tw::cpu {
namespace {

/// The tile that rows of B pass by.
template <class V, int R, int W, bool Ragged>
void passing_tile(const PassingTile<typename V::Element>& passing) {
    using T = typename V::Element;
    const MicroTile<T>& t = passing.tile;
    Sums<V, R, W, Ragged> sums(t.cols);
    if (!passing.begins)
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
            for (int w = 0; w < W; ++w) {
                const T* const at = passing.sums + r * passing.sums_step + w * V::lanes;
                sums.of[r][w] = w + 1 < W ? V::load(at) : sums.last.load_whole(at);
            }
    const T *a = t.a, *b = static_cast<const T*>(passing.b);
    T* kept = passing.kept;
    const std::int64_t b_step = passing.b_step;
    const auto go = [&](std::int64_t steps, bool keeps) __attribute__((always_inline)) {
#pragma GCC unroll 2
        for (; steps > 0; --steps, a += R, b += b_step) {
            if (keeps) {
                for (int w = 0; w + 1 < W; ++w) V::store(kept + w * V::lanes, V::load(b + w * V::lanes));
                sums.last.store_whole(kept + (W - 1) * V::lanes, sums.last.load(b + (W - 1) * V::lanes));
                kept += W * V::lanes;
            }
            sums.template step<V::broadcasts_folded>([&](int r) { return a + r; }, b);
        }
    };
    // Short vectors have little else to do for each row: asking goes on within the steps.
    const auto go_asking = [&](const T* asked) __attribute__((always_inline)) {
        constexpr std::int64_t line = 64 / sizeof(T);
#pragma GCC unroll 4
        for (std::int64_t left = t.k; left > 0; --left, a += R, b += b_step, asked += b_step) {
#pragma GCC unroll 4
            for (std::int64_t l = 0; l < W * V::lanes; l += line) __builtin_prefetch(asked + l);
            sums.template step<V::broadcasts_folded>([&](int r) { return a + r; }, b);
        }
    };
    const auto* narrow = static_cast<const std::uint16_t*>(passing.b);
    const std::int64_t every = passing.asked_every ? passing.asked_every : t.k;
    const std::int64_t size = passing.b_type == type_of<T> ? sizeof(T) : sizeof *narrow;
    const auto* asked = static_cast<const std::byte*>(passing.asked);
    const bool asks_each = sizeof(typename V::Register) < 64 && passing.asked_every == 1 && !kept && size == sizeof(T);
    if (asks_each) go_asking(static_cast<const T*>(passing.asked));
    for (std::int64_t p = 0; p < t.k && !asks_each; p += every) {
        if (passing.asked_every) {
            for (int w = 0; w < W; ++w) __builtin_prefetch(asked + w * V::lanes * size, 0, 2);
            asked += b_step * size;
        }
        std::int64_t steps = std::min(every, t.k - p);
        if constexpr (sizeof(T) == sizeof(float))
            for (const bool is_half = passing.b_type == Type::f16; size != sizeof(T) && steps > 0; --steps) {
                sums.template step_by<V::broadcasts_folded>(
                    [&](int r) { return a + r; },
                    [&](int w) {
                        const auto* const at = narrow + w * V::lanes;
                        const auto row = w + 1 < W ? V::widened(is_half, at) : sums.last.widened(is_half, at);
                        if (kept && w + 1 < W) V::store(kept + w * V::lanes, row);
                        if (kept && w + 1 == W) sums.last.store_whole(kept + w * V::lanes, row);
                        return row;
                    });
                a += R, narrow += b_step, kept += kept ? W * V::lanes : 0;
            }
        kept ? go(steps, true) : go(steps, false);
    }
    if (passing.ends) return sums.finish(t);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
        for (int w = 0; w < W; ++w) {
            T* const at = passing.sums + r * passing.sums_step + w * V::lanes;
            w + 1 < W ? V::store(at, sums.of[r][w]) : sums.last.store_whole(at, sums.of[r][w]);
        }
}

/// How many vectors wide a tile that B passes by is.
constexpr int passed_vectors(int rows, int budget) { return std::min(4, vectors_wide(rows, budget)); }

template <class V, int Low, int Budget>
struct PassingTiles {
    using T = typename V::Element;
    using Function = void (*)(const PassingTile<T>&);
    struct Table {
        Function of[Low][4][2];
    };

    template <int R, int... W>
    static constexpr void fill(Function (&row)[4][2], std::integer_sequence<int, W...>) {
        ((row[W][0] = passing_tile<V, R, W + 1, false>, row[W][1] = passing_tile<V, R, W + 1, true>), ...);
    }
    template <int... R>
    static constexpr Table all(std::integer_sequence<int, R...>) {
        Table table{};
        (fill<R + 1>(table.of[R], std::make_integer_sequence<int, passed_vectors(R + 1, Budget)>{}), ...);
        return table;
    }
    static constexpr Table table = all(std::make_integer_sequence<int, Low>{});

    static void run(const PassingTile<T>& t) {
        const int vectors = (t.tile.cols + V::lanes - 1) / V::lanes;
        const Function run = table.of[t.tile.rows - 1][vectors - 1][t.tile.cols % V::lanes != 0];
        if (t.tiles == 1) return run(t);
        constexpr std::int64_t narrow = sizeof(std::uint16_t);
        const std::int64_t bytes = t.tile.cols * (t.b_type == type_of<T> ? std::int64_t{sizeof(T)} : narrow);
        PassingTile<T> tile = t;
        for (std::int64_t left = t.tiles; left > 0; --left) {
            run(tile);
            tile.b = static_cast<const std::byte*>(tile.b) + bytes;
            tile.sums += t.tile.cols, tile.tile.c += t.tile.cols;
        }
    }
};

}  // namespace
}  // namespace tw::cpu
