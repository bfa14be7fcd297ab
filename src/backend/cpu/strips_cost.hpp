// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What r6's strips take, by one thread or many.
#pragma once

#include <algorithm>
#include <cmath>

#include "backend/cpu/micro/crowded.hpp"
#include "backend/cpu/micro/few_tiles.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/shares.hpp"
#include "backend/cpu/strips.hpp"

namespace tw::cpu {

/// What goes across, as the few rows or columns that it is then.
template <class T, const MicroKernel<T>& kernel>
Problem as_met(const Problem& p) {
    const bool turned = p.c == Form::col_major;
    const Form by_columns = turned ? Form::row_major : Form::col_major;
    const std::int64_t rows = turned ? p.n : p.m, cols = turned ? p.m : p.n;
    const bool a_by_columns = (turned ? p.b : p.a) == by_columns, b_by_columns = (turned ? p.a : p.b) == by_columns;
    if (is_narrow(p.in) || !goes_across(kernel, rows, cols, p.k, a_by_columns, b_by_columns)) return p;
    const auto other = [](Form form) {
        return form == Form::row_major ? Form::col_major : form == Form::col_major ? Form::row_major : form;
    };
    Problem met = p;
    met.m = p.n, met.n = p.m, met.a = other(p.b), met.b = other(p.a);
    return met;
}

/// How many threads' work is done at once.
template <class T, const MicroKernel<T>& kernel>
double strips_sharing(const Problem& p, int threads) {
    const int workers = workers_for(p.m, p.n, p.k, threads);
    if (workers == 1) return 1;
    const bool turned = p.c == Form::col_major, packs = is_narrow(p.in) || (turned ? p.a : p.b) != p.c;
    const std::int64_t m = turned ? p.n : p.m, n = turned ? p.m : p.n, rows = block_size(m, kernel.low, 1);
    const PartsOfK<T> parts(m, n, p.k);
    const std::int64_t width = Strips<T>::width_of(kernel, rows, n, Strips<T>::part_of(kernel, m, n, workers));
    const std::int64_t together = is_narrow(p.in) ? width : Shares<T>::together(kernel, m, n, width, workers);
    return Shares<T>(m, n, p.k, rows, together, packs, parts, true, workers).sharing();
}

/// One thread's 64-byte tiles wait for strips whose operands are more than L1 and some of L2 keep; parts of them for
/// many threads do not, and are quicker than the price says. Of a longer k this was not timed.
template <class T, const MicroKernel<T>& kernel>
double waiting(const Problem& p, int threads) {
    constexpr std::int64_t kept = 1 << 19;
    const bool is_small = std::min({p.m, p.n, p.k}) < rows_worth_packing || p.k > 2 * KC<T> ||
                          (p.m * p.n + (p.m + p.n) * p.k) * static_cast<std::int64_t>(sizeof(T)) <= kept;
    const bool in_long_vectors = kernel.lanes * static_cast<int>(sizeof(T)) >= 64;
    if (!in_long_vectors || is_small) return 1;
    return workers_for(p.m, p.n, p.k, threads) == 1 ? 1.35 : 0.9;
}

/// Many threads' parts in 64-byte vectors: each packs its strips and waits for nobody. As timed with sixteen threads on
/// up to 2^32 products; further ones are not priced so.
template <class T, const MicroKernel<T>& kernel>
bool are_parts_of_many(const Problem& p, int threads) {
    constexpr double most_products = 5e9;
    constexpr std::int64_t least_rows = 12, least_cols = 16;
    const bool turned = p.c == Form::col_major;
    const std::int64_t rows = turned ? p.n : p.m, cols = turned ? p.m : p.n;
    return kernel.lanes * static_cast<int>(sizeof(T)) >= 64 && rows >= least_rows && cols >= least_cols &&
           workers_for(p.m, p.n, p.k, threads) >= 12 &&
           static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) <= most_products;
}

/// Beginning and ending together, products, and the bytes of A, B and C: least squares over 367 shapes of f32 and f64
/// by sixteen threads of a Sapphire Rapids, in what one thread would take alone.
template <class T, const MicroKernel<T>& kernel>
double parts_nanoseconds(const Problem& p, int threads) {
    constexpr double meeting = 2000, a_byte = 0.036;
    const bool turned = p.c == Form::col_major, by_rows = turned ? p.b == Form::col_major : p.a == Form::row_major,
               turns_strips = (turned ? p.a : p.b) != p.c;
    const double product = by_rows ? 0.86 : 1.04, b_byte = turns_strips ? 0.015 : 0.027,
                 c_byte = by_rows ? 0.058 : 0.11;
    const auto rows = static_cast<double>(turned ? p.n : p.m), cols = static_cast<double>(turned ? p.m : p.n),
               k = static_cast<double>(p.k);
    const double bytes = a_byte * rows * k + b_byte * cols * k + c_byte * rows * cols;
    return meeting +
           (product * rows * cols * k / kernel.rate + sizeof(T) * bytes) / workers_for(p.m, p.n, p.k, threads);
}

/// Few rows of C by threads each of which meets its part of B in its own L2, or, if they are many and rows very few, in
/// L3: strips wait for nothing there. A B along k is turned, which more rows must repay than few_rows has a tile for;
/// a long k is many pages, which a small part of L2 has room for.
template <class T, const MicroKernel<T>& kernel>
bool is_b_near(const Problem& p, int threads) {
    constexpr std::int64_t very_few = 12, blocks_of_k = 8, most_k = 2048;
    const bool turned = p.c == Form::col_major, turns_strips = (turned ? p.a : p.b) != p.c;
    const std::int64_t rows = turned ? p.n : p.m;
    const int workers = workers_for(p.m, p.n, p.k, threads);
    if (kernel.lanes * static_cast<int>(sizeof(T)) < 64 || rows >= rows_worth_packing) return false;
    const double bytes = static_cast<double>((turned ? p.m : p.n) * p.k) * sizeof(T),
                 kept = static_cast<double>(caches().l2.bytes) * workers;
    if (workers == 1) return !turns_strips && bytes <= 0.7 * kept;
    if (turns_strips) return rows > most_turned && bytes <= 0.4 * kept;
    const bool has_room = rows > blocks_of_k || p.k <= most_k || bytes <= 0.25 * kept;
    return has_room && bytes <= (rows <= very_few ? 1.2 : 0.4) * kept;
}

/// How much longer 64-byte tiles take where a row of C fills no vector, or where A lies by columns for many threads and
/// its lines fight for sets of L1, as those some powers of two apart do.
template <class T, const MicroKernel<T>& kernel>
double waste(const Problem& p, int threads) {
    constexpr std::int64_t long_k = 512, apart = 512, far_bytes = 1 << 20;
    constexpr double in_fights = 1.4;
    const bool turned = p.c == Form::col_major, lies_well = turned ? p.b == Form::col_major : p.a == Form::row_major;
    const std::int64_t rows = turned ? p.n : p.m, cols = turned ? p.m : p.n, step = rows * std::int64_t{sizeof(T)};
    const bool is_small = rows * p.k * std::int64_t{sizeof(T)} < far_bytes;
    if (kernel.lanes * static_cast<int>(sizeof(T)) < 64 || (is_small && workers_for(p.m, p.n, p.k, threads) == 1))
        return 1;
    if (cols < kernel.lanes && rows >= rows_worth_packing)
        return static_cast<double>(kernel.lanes) / static_cast<double>(cols);
    const bool fights = sizeof(T) == sizeof(double) && !lies_well && p.k >= long_k && step % apart == 0;
    return fights && workers_for(p.m, p.n, p.k, threads) >= 12 ? in_fights : 1;
}

/// Of narrow operands: rows of A are widened for each cell beside others, and strips of B for some rows at a time.
template <class T, const MicroKernel<T>& kernel>
double widening(const Problem& p, int threads) {
    constexpr double element = 0.08, rows_at_a_time = 128, columns_of_a_cell = 64;
    if (!is_narrow(p.in)) return 0;
    const bool turned = p.c == Form::col_major;
    const auto rows = static_cast<double>(turned ? p.n : p.m), cols = static_cast<double>(turned ? p.m : p.n);
    const double a = workers_for(p.m, p.n, p.k, threads) == 1 ? 1 : std::ceil(cols / columns_of_a_cell),
                 b = std::ceil(rows / rows_at_a_time);
    return element * static_cast<double>(p.k) * (a * rows + b * cols);
}

/// Few columns, whose strips all stay near: the left operand comes from memory once, row after row. Of 64-byte tiles
/// this was not timed.
template <class T, const MicroKernel<T>& kernel>
bool are_few_columns(const Problem& p) {
    const bool turned = p.c == Form::col_major;
    const std::int64_t rows = turned ? p.n : p.m, cols = turned ? p.m : p.n;
    const std::int64_t width = Strips<T>::width_of(kernel, block_size(rows, kernel.low, 1), cols, cols);
    return kernel.lanes * static_cast<int>(sizeof(T)) < 64 && !is_narrow(p.in) && go_by_rows(kernel, rows, cols, width);
}
template <class T, const MicroKernel<T>& kernel>
double few_columns_nanoseconds(const Problem& p) {
    constexpr double pace = 1.1, byte = 0.012;
    const bool turned = p.c == Form::col_major;
    const auto rows = static_cast<double>(turned ? p.n : p.m), k = static_cast<double>(p.k);
    const auto cols = static_cast<double>(round_up(turned ? p.m : p.n, kernel.lanes));
    return rows * k * (pace * cols / kernel.rate + byte * sizeof(T));
}

template <class T, const MicroKernel<T>& kernel>
double strips_nanoseconds(const Problem& as_asked, int threads) {
    const Problem p = as_met<T, kernel>(as_asked);
    const double sharing = strips_sharing<T, kernel>(p, threads);
    if (are_parts_of_many<T, kernel>(as_asked, threads))
        return parts_nanoseconds<T, kernel>(as_asked, threads) + widening<T, kernel>(p, threads) / sharing;
    double tiles = are_few_columns<T, kernel>(p)
                       ? few_columns_nanoseconds<T, kernel>(p)
                       : tiles_as_they_lie(kernel, p, rows_worth_packing) * waiting<T, kernel>(p, threads) *
                                 waste<T, kernel>(p, threads) +
                             reading_again(kernel, p);
    if (pass_near_b(kernel, p, threads) && !is_narrow(p.in))  // what nothing else is quicker at
        tiles = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) / kernel.rate;
    if (p.m == as_asked.m) tiles *= by_columns(kernel, p, are_few_columns<T, kernel>(p));  // not of what goes across
    if (is_b_near<T, kernel>(p, threads)) {
        const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
        const bool turned = p.c == Form::col_major;
        const double of_b = (turned ? m : n) * k * sizeof(T), byte = (turned ? p.a : p.b) != p.c ? 0.02 : 0.012;
        tiles = std::min(tiles, std::max(1.06 * m * n * k / kernel.rate, byte * of_b));
    }
    return (tiles + widening<T, kernel>(p, threads)) / sharing;
}

}  // namespace tw::cpu
