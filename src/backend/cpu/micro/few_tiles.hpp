// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product of few register tiles, on operands as they lie: nothing is packed and nothing is checked twice, since the
// product may take fewer cycles than the checks.
//
//        width    the rest
//       +--------+-----+
//       |        |     |  height      `tall_strips` strips of so many rows
//       +--------+-----+
//       |        |     |  height - 1  and the others of one row less: no tile is a sliver
//       +--------+-----+
#pragma once

#include <climits>

#include "backend/contract.hpp"
#include "backend/cpu/micro/crowded.hpp"
#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/direct.hpp"

namespace tw::cpu {

constexpr std::int64_t few_products = 1 << 18, most_products_of_few_tiles = 1 << 24;
constexpr std::int64_t bytes_of_few_tiles = 1 << 20;  // of all operands: they stay in L2
constexpr std::uint64_t most_step_of_few = Direct::any_step;
constexpr std::uint64_t most_step_of_many =
    2047;  // of more than few products: rows further apart fight for caches' sets
constexpr std::int64_t bytes_of_far_c = 1 << 15;  // all of L1: a smaller C has likely stayed there
constexpr std::int64_t cache_way = 2048;          // half of one of L1's: bytes to the same set

/// One block of k, work for one thread, and operands in the caches.
template <class T>
bool are_few(std::int64_t m, std::int64_t n, std::int64_t k, int threads) noexcept {
    constexpr std::int64_t most = most_products_of_few_tiles;
    constexpr std::int64_t elements = bytes_of_few_tiles / static_cast<std::int64_t>(sizeof(T));
    if (k > KC<T> || m > most || n > most || m * n * k > most || workers_for(m, n, k, threads) > 1) return false;
    return m * n * k <= few_products || m * n + (m + n) * k <= elements;
}

/// Or many rows by a short k and a B that stays near: A and C pass by, each once. As timed on a core that splits
/// vectors.
template <class T>
bool pass_near_b(const MicroKernel<T>& kernel, const Problem& p, int threads) noexcept {
    constexpr std::int64_t most_k = 96, near = 1 << 16, most = 4 * most_products_of_few_tiles;
    const bool turned = p.c == Form::col_major, lie_alike = p.a == p.c && p.b == p.c;
    const std::int64_t rows = turned ? p.n : p.m, cols = turned ? p.m : p.n;
    if (!splits(kernel) || !lie_alike || p.k > most_k || rows < cols || cols <= 2 * kernel.lanes) return false;
    return cols * p.k * std::int64_t{sizeof(T)} <= near && rows <= most / (cols * p.k) &&
           workers_for(p.m, p.n, p.k, threads) == 1;
}

/// Half cycles that a tile takes for a step along k: its loads or its multiply-adds, but no fewer than a sum waits for
/// the next term of its own. A wide piece of B that does not stay in L1 arrives more slowly than it is used.
constexpr int step_cost(int rows, int vectors, bool stays) noexcept {
    constexpr int latency = 8, come_in_time = 4;
    const int late = stays ? 0 : 4 * std::max(0, vectors - come_in_time);
    return std::max({rows * vectors, rows + vectors, latency}) + late;
}

/// Rows of A a power of two apart fight for one set of L1 when they are many: then few are taken at a time.
template <class T>
bool rows_fight(std::int64_t step) noexcept {
    return step * static_cast<std::int64_t>(sizeof(T)) % cache_way == 0;
}

/// The width whose tiles take the fewest cycles. `on_rows`: A's rows are contiguous; `most_rows`: of a tile.
template <class T>
Direct cut_in_tiles(const MicroKernel<T>& kernel, int m, int n, int k, bool on_rows, int most_rows = INT_MAX) noexcept {
    constexpr int first_cache = 1 << 15;
    constexpr int result = 40;  // half cycles from a tile's last term until its sums are in C and the next tile begins
    const int lanes = kernel.lanes, vectors = (n + lanes - 1) / lanes;
    Direct best;
    int least = INT_MAX;
    for (int wide = 1; wide <= kernel.most_vectors && wide <= vectors; ++wide) {
        const int most = std::min({kernel.highest[wide], most_rows, on_rows ? INT_MAX : kernel.mr});
        if (most == 0) break;
        const int strips = (m + most - 1) / most, height = (m + strips - 1) / strips,
                  tall_strips = m - strips * (height - 1);
        const int pieces = (vectors + wide - 1) / wide, rest = vectors - (pieces - 1) * wide;
        const bool stays = k * wide * lanes * static_cast<int>(sizeof(T)) <= first_cache;
        const auto step = [&](int rows) {
            return (pieces - 1) * step_cost(rows, wide, stays) + step_cost(rows, rest, stays);
        };
        const int cost =
            k * (tall_strips * step(height) + (strips - tall_strips) * step(height - 1)) + strips * pieces * result;
        if (cost > least) continue;  // the wider of equals broadcasts less
        least = cost;
        best.height = height, best.tall_strips = tall_strips, best.width = wide * lanes;
    }
    using Any = void (*)();
    const int rest = n - (vectors * lanes - 1) / best.width * best.width;
    for (int lower = 0; lower < 2 && lower < best.height; ++lower) {
        best.tiles[lower][0] = reinterpret_cast<Any>(kernel.find(best.height - lower, best.width, on_rows));
        best.tiles[lower][1] = reinterpret_cast<Any>(kernel.find(best.height - lower, rest, on_rows));
    }
    return best;
}

/// The corner of the product, or of the same read the other way: C^T = B^T A^T. B's rows and C's are contiguous then.
template <class T, bool turned>
MicroTile<T> corner_tile(const Matrix& a, const Matrix& b, const Matrix& c, double alpha, double beta) noexcept {
    const Matrix &left = turned ? b : a, &right = turned ? a : b;
    std::int64_t a_row_step = turned ? left.col_step : left.row_step;
    asm(""
        : "+r"(a_row_step));  // read by itself: callers have just stored the steps one by one, and a pair would wait
                              // for both
    return {.k = a.cols,
            .a = static_cast<const T*>(left.data),
            .a_row_step = a_row_step,
            .a_step = turned ? left.row_step : left.col_step,
            .b = static_cast<const T*>(right.data),
            .b_step = turned ? right.col_step : right.row_step,
            .c = static_cast<T*>(c.data),
            .c_step = turned ? c.col_step : c.row_step,
            .alpha = static_cast<T>(alpha),
            .beta = static_cast<T>(beta),
            .rows = 0,
            .cols = static_cast<int>(turned ? c.rows : c.cols)};
}

/// So many bytes of B are near enough to be met by each strip of C's rows: a part of L1, or, for f32 in 32-byte vectors
/// and all on a core that splits them, of L2. 64-byte vectors were not timed.
template <class T>
std::int64_t bytes_of_near_b(const MicroKernel<T>& kernel) noexcept {
    const bool in_short_f32 = sizeof(T) == sizeof(float) && kernel.lanes * int{sizeof(T)} <= 32;
    return in_short_f32 || splits(kernel) ? 1 << 16 : 1 << 14;
}

/// Asks for the C of a tile that comes next: of many products in turn it lies in no cache.
template <class T>
inline void ask_for_c(const MicroTile<T>& tile, const T* c, int rows) noexcept {
    constexpr int line = 64 / int{sizeof(T)};
    for (int r = 0; r < rows; ++r, c += tile.c_step)
        for (int j = 0; j < tile.cols; j += line) __builtin_prefetch(c + j, 1);
}

/// Tiles along C's rows, for a small B, which stays near meanwhile: a C that comes from memory is met in its order.
template <class T>
void run_tiles_along_rows(const Direct& cut, MicroTile<T>& tile, std::int64_t m, std::int64_t n) noexcept {
    using Function = typename MicroKernel<T>::Function;
    const T *const b = tile.b, *a = tile.a;
    T* c = tile.c;
    const std::int64_t tall_rows = cut.tall_strips * cut.height;
    for (std::int64_t i = 0; i < m;) {
        const bool is_lower = i >= tall_rows;
        const int rows = cut.height - is_lower;
        const auto whole = reinterpret_cast<Function>(cut.tiles[is_lower][0]),
                   last = reinterpret_cast<Function>(cut.tiles[is_lower][1]);
        tile.a = a, tile.b = b, tile.c = c, tile.cols = cut.width;
        for (std::int64_t left = n; left > cut.width; left -= cut.width, tile.b += cut.width, tile.c += cut.width) {
            ask_for_c(tile, tile.c + cut.width, rows);
            whole(tile);
        }
        ask_for_c(tile, c + rows * tile.c_step, rows);
        tile.cols = static_cast<int>(n - (tile.b - b));
        last(tile);
        i += rows, a += rows * tile.a_row_step, c += rows * tile.c_step;
    }
}

/// Every tile in turn, from the corner of an m x n product, by a cut of cut_in_tiles() for these shapes. One tile is
/// reused, never copied: a copy fails store-to-load forwarding and stalls behind the pending stores to C.
template <class T>
void run_tiles(const MicroKernel<T>& kernel, const Direct& cut, MicroTile<T>& tile, std::int64_t m,
               std::int64_t n) noexcept {
    using Function = typename MicroKernel<T>::Function;
    const T* const a = tile.a;
    T* const c = tile.c;
    const std::int64_t tall_rows = cut.tall_strips * cut.height;
    constexpr std::int64_t size = sizeof(T);
    if (m * n * size >= bytes_of_far_c && tile.k * n * size <= bytes_of_near_b(kernel))
        return run_tiles_along_rows(cut, tile, m, n);
    tile.cols = cut.width;
    for (std::int64_t j = 0; j < n; j += cut.width, tile.b += cut.width) {
        const bool is_last = n - j <= cut.width;
        if (is_last) tile.cols = static_cast<int>(n - j);
        tile.a = a, tile.c = c + j;
        std::int64_t i = 0;
        const auto go = [&](Function run, std::int64_t end, int rows) {
            for (; i < end; i += rows, tile.a += rows * tile.a_row_step, tile.c += rows * tile.c_step) run(tile);
        };
        go(reinterpret_cast<Function>(cut.tiles[0][is_last]), tall_rows, cut.height);
        if (tall_rows < m) go(reinterpret_cast<Function>(cut.tiles[1][is_last]), m, cut.height - 1);
    }
}

}  // namespace tw::cpu
