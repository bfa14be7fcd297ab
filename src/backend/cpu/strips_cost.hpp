// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What r6's strips cost, for choose().
#pragma once

#include "backend/cpu/micro/crowded.hpp"
#include "backend/cpu/shares.hpp"
#include "backend/cpu/strips.hpp"

namespace tw::cpu {

/// How many threads' work is done at once.
template <class T, const MicroKernel<T>& kernel>
double sharing(const Problem& p, int threads) {
    const int workers = workers_for(p.m, p.n, p.k, threads);
    if (workers == 1) return 1;
    const bool turned = p.c == Form::col_major, packs = (turned ? p.a : p.b) != p.c;
    const std::int64_t m = turned ? p.n : p.m, n = turned ? p.m : p.n, rows = block_size(m, kernel.low, 1);
    const PartsOfK<T> parts(m, n, p.k);
    const std::int64_t widest = kernel.widths[rows], width = n <= widest ? widest : block_size(n, widest, kernel.lanes);
    return Shares<T>(m, n, p.k, rows, width, packs, parts, true, workers).sharing();
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

/// Many threads' parts in 64-byte vectors, of an A whose rows are contiguous: each packs its strips and waits for
/// nobody. As timed with sixteen threads on up to 2^32 products; further ones are not priced so.
template <class T, const MicroKernel<T>& kernel>
bool are_parts_of_many(const Problem& p, int threads) {
    constexpr double most_products = 5e9;
    const bool turned = p.c == Form::col_major, lies_well = turned ? p.b == Form::col_major : p.a == Form::row_major,
               turns_strips = (turned ? p.a : p.b) != p.c;
    const std::int64_t rows = turned ? p.n : p.m, least = turns_strips ? 12 : rows_worth_packing;
    return kernel.lanes * static_cast<int>(sizeof(T)) >= 64 && lies_well && rows >= least && p.k >= 64 &&
           workers_for(p.m, p.n, p.k, threads) >= 12 &&
           static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) <= most_products;
}

template <class T, const MicroKernel<T>& kernel>
double strips_nanoseconds(const Problem& p, int threads) {
    double tiles =
        tiles_as_they_lie(kernel, p, rows_worth_packing) * waiting<T, kernel>(p, threads) + reading_again(kernel, p);
    if (are_parts_of_many<T, kernel>(p, threads)) {
        constexpr double packed_byte = 0.03;
        const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
        const double of_b = (p.c == Form::col_major ? m : n) * k * sizeof(T);
        tiles = std::min(tiles, 0.76 * (1.06 * m * n * k / kernel.rate + packed_byte * of_b));
    }
    return tiles / sharing<T, kernel>(p, threads);
}

}  // namespace tw::cpu
