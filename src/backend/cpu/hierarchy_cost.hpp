// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How r7's work goes to threads, and what it takes.
#pragma once

#include <algorithm>

#include "backend/cpu/micro/crowded.hpp"
#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/product/grid.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "base/cpu_core.hpp"

namespace tw::cpu {

/// Where each thread has enough to do: a smaller part of C is packed for sooner than others' panels are waited for. Of
/// few rows, or columns, and many of the others each thread packs what it alone meets, and waits for nobody. So do two
/// threads of a core that splits vectors: packing half as much again takes less than waiting, as timed on a Zen 1.
inline bool shares_panels(std::int64_t m, std::int64_t n, std::int64_t k, int workers) noexcept {
    constexpr double products_of_a_thread = 1 << 24;
    constexpr std::int64_t few = 48, many = 256;
    if (workers <= 1 || (std::min(m, n) < few && std::max(m, n) >= many * workers)) return false;
    if (workers == 2 && cpu_core().splits_vectors()) return false;
    const double products = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return products >= products_of_a_thread * workers;
}

constexpr int columns_of_long_vectors = 512;  // NC

/// Whether each thread packs for a part of its own, with whose rows others help once they are through, instead of
/// panels that all share, or where a large C of a short k waits for memory: cores are not equally quick. Smaller parts
/// lose more by B's panels, which are slow to be written again when helpers have read them. As timed with sixteen
/// threads.
template <class T>
bool are_helped(const MicroKernel<T>& micro, const Grid& grid, std::int64_t nc, std::int64_t k, bool shares) noexcept {
    constexpr std::int64_t fewest = 12, most = 64, most_rows = 2048, most_products = std::int64_t{1} << 30;
    constexpr std::int64_t short_k = 64, large_c = 3 << 18;  // bytes of a part
    const std::int64_t results = grid.rows * grid.cols;
    const bool repays = shares || (k <= short_k && results * std::int64_t{sizeof(T)} >= large_c);
    return micro.lanes * int{sizeof(T)} >= 64 && grid.parts >= fewest && grid.parts <= most && repays &&
           grid.cols <= nc && grid.rows <= most_rows && results * k <= most_products;
}

/// What that takes of the time that is reckoned for others.
template <class T, const MicroKernel<T>& micro>
double when_helped(const Problem& p, int workers) {
    constexpr double helped = 0.95;
    if (micro.lanes * int{sizeof(T)} < 64 || workers == 1) return 1;
    const bool turned = p.c == Form::col_major, shares = shares_panels(p.m, p.n, p.k, workers);
    const std::int64_t nc = columns_at_once<T>(columns_of_long_vectors, p.k, micro.nr);
    const Grid grid(turned ? p.n : p.m, turned ? p.m : p.n, 1, nc, micro, workers);
    return are_helped(micro, grid, nc, p.k, shares) ? helped : 1;
}

/// Of a thread's part of C, all of whose operands it packs itself.
template <class T, const MicroKernel<T>& micro>
double nanoseconds_of_part(const Problem& p, int workers, double packed_byte) {
    const bool turned = p.c == Form::col_major;
    const std::int64_t m = turned ? p.n : p.m, n = turned ? p.m : p.n;
    const Grid grid(m, n, 1, n, micro, workers);
    const auto rows = static_cast<double>(grid.rows), cols = static_cast<double>(grid.cols);
    const double tiles = static_cast<double>(round_up(grid.rows, micro.mr)) * cols;
    return static_cast<double>(p.k) * (tiles / micro.rate + sizeof(T) * (rows + cols) * packed_byte);
}

/// Nanoseconds that packing a byte takes beside products at the kernel's rate, longer for operands that come from far
/// away. A core that splits vectors is quicker at it than at products, as timed on a Zen 1.
template <class T>
double packed_byte_of(const MicroKernel<T>& micro, const Problem& p, double bytes) noexcept {
    constexpr std::int64_t some_columns = 96;
    constexpr double lying_byte = 0.046, turned_byte = 0.077;
    const double byte = bytes > (1 << 22) ? 0.1 : 0.05;
    if (!splits(micro)) return byte;
    const bool turned = p.c == Form::col_major;
    const std::int64_t rows = turned ? p.n : p.m, cols = turned ? p.m : p.n;
    if (rows < rows_by_lines) return (turned ? p.a : p.b) == p.c ? lying_byte : turned_byte;
    return cols < some_columns ? lying_byte : byte;
}

/// The kernel's rate (short vectors have no slivers), and packing, longer for operands that come from far away.
template <class T, const MicroKernel<T>& micro>
double hierarchy_nanoseconds(const Problem& p, int threads) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const int workers = workers_for(p.m, p.n, p.k, threads);
    const double packed_bytes = sizeof(T) * (m * k + n * k);
    const double packed_byte = packed_byte_of(micro, p, packed_bytes);
    if (workers > 1 && !shares_panels(p.m, p.n, p.k, workers))
        return 1400 + nanoseconds_of_part<T, micro>(p, workers, packed_byte) * when_helped<T, micro>(p, workers);
    const auto rows =
        micro.lanes * int{sizeof(T)} < 64 ? std::max(p.m, std::int64_t{micro.mr}) : round_up(p.m, micro.mr);
    constexpr std::int64_t small_c = 1 << 14;  // whose cells take hardly longer than waiting for their panels
    const double waiting = workers > 1 && p.m * p.n <= small_c ? 1.3 : 1;
    const double tiles = static_cast<double>(rows) *
                         static_cast<double>(round_up(p.n, splits(micro) ? micro.lanes : micro.nr)) * waiting;
    return 400 + 1000 * (workers > 1) +
           (tiles * k / micro.rate + packed_bytes * packed_byte) / workers * when_helped<T, micro>(p, workers);
}

/// Two forms of one kernel: the one that does not suit the core costs a little more.
template <class T, const MicroKernel<T>& micro, bool folds>
double nanoseconds_of_form(const Problem& p, int threads) {
    return hierarchy_nanoseconds<T, micro>(p, threads) * (cpu_core().folds_broadcasts() == folds ? 1 : 1.05);
}

}  // namespace tw::cpu
