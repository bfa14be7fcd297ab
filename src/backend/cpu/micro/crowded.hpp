// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// When the caches have no place for an operand that is read where it lies.
#pragma once

#include <algorithm>

#include "backend/contract.hpp"
#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "base/caches.hpp"
#include "base/cpu_core.hpp"

namespace tw::cpu {

/// A strip's rows, each met by all of A, that L1 does not keep: they fight for its sets, or all operands together leave
/// L2. Tiles of 32-byte vectors have too little to do for each line of B to wait for it; wider ones have not.
template <class T>
bool is_crowded(const MicroKernel<T>& kernel, const Problem& p, std::int64_t least_side) noexcept {
    constexpr std::int64_t size = sizeof(T), line = 64;
    if (kernel.lanes * size > 32 || std::min({p.m, p.n, p.k}) < least_side) return false;
    const std::int64_t sets = caches().sets_of_l1();
    if ((p.m * p.n + (p.m + p.n) * p.k) * size > caches().l2.bytes) return true;
    const std::int64_t step = (p.c == Form::col_major ? p.m : p.n) * size / line;  // from one row of B to the next
    const std::int64_t apart = std::min(step & -step, sets);
    return step > 0 && sets > 0 && p.k > sets / apart * caches().l1.ways;
}

/// Of a long k: a block of both operands stays in L2 while its strips are met, and each comes from memory once, row
/// after row. Of tiles of 64-byte vectors this was not timed.
template <class T>
bool passes_by_blocks(const Problem& p) noexcept {
    constexpr std::int64_t size = sizeof(T), least_blocks = 8;
    return p.k >= least_blocks * KC<T> && 2 * (p.m + p.n) * KC<T> * size <= caches().l2.bytes;
}

/// Short vectors on a core that splits those of 32 bytes: products take twice as long there, packing and loading do
/// not, so such a core has prices of its own. Vectors of 16 bytes have them, too, or they would seem the quicker ones.
template <class T>
bool splits(const MicroKernel<T>& kernel) noexcept {
    return kernel.lanes * static_cast<int>(sizeof(T)) <= 32 && cpu_core().splits_vectors();
}
/// The same of few rows.
template <class T>
bool is_split(const MicroKernel<T>& kernel, std::int64_t rows) noexcept {
    constexpr std::int64_t few = 48;
    return rows < few && splits(kernel);
}

/// Whether rows of so many elements lie so far apart that many of their lines have one set of L1.
template <class T>
constexpr bool fights(std::int64_t cols) noexcept {
    return cols * std::int64_t{sizeof(T)} % 2048 == 0;
}

/// Rows of C, not many, on such a core: what strips take grows by a line, products and bytes of B, each at a pace of
/// its own. As timed on a Zen 1 with 3 to 256 rows; more of them than this meet packed panels sooner.
constexpr std::int64_t rows_by_lines = 96;
template <class T>
double strips_by_lines(const MicroKernel<T>& kernel, const Problem& p) noexcept {
    constexpr std::int64_t cut_by_lines = 3;  // rows
    constexpr double lying_byte = sizeof(T) == sizeof(float) ? 0.023 : 0.027, turned_byte = 0.064;
    const bool turned = p.c == Form::col_major, lies_well = (turned ? p.a : p.b) == p.c;
    const std::int64_t rows = turned ? p.n : p.m, cols = turned ? p.m : p.n;
    const double pace = lies_well && fights<T>(cols) ? 1.4 : lies_well ? 1.1 : sizeof(T) == sizeof(float) ? 1.03 : 1.08;
    const double byte = !lies_well ? turned_byte : rows < cut_by_lines ? 2 * lying_byte : lying_byte;
    return static_cast<double>(cols * p.k) * (pace * static_cast<double>(rows) / kernel.rate + byte * sizeof(T));
}

/// How much longer tiles take where A's columns are contiguous and each step along k reads another line, most of them
/// another page: as timed on a Zen 1, of more columns than few_rows takes turned. Panels of such an A are packed by
/// whole lines.
template <class T>
double by_columns(const MicroKernel<T>& kernel, const Problem& p, bool stays_near) noexcept {
    constexpr std::int64_t few_columns = 16;
    const bool turned = p.c == Form::col_major, lies_well = turned ? p.b == Form::col_major : p.a == Form::row_major;
    const std::int64_t bytes = (turned ? p.n : p.m) * p.k * std::int64_t{sizeof(T)};
    if (!splits(kernel) || lies_well || (turned ? p.m : p.n) <= few_columns || bytes <= 2 * caches().l1.bytes) return 1;
    return stays_near || bytes <= caches().l2.bytes ? 1.3 : 1.9;
}

/// The kernel's rate, and for few rows the time that B takes from memory. From there its strips come slowly, as each
/// row of them lies on another page, and only a packed one comes no more than once, which enough rows must repay. Tiles
/// of 32-byte vectors wait less for what L3 keeps, and longer where a strip is packed from many pages.
template <class T>
double tiles_as_they_lie(const MicroKernel<T>& kernel, const Problem& p, std::int64_t rows_worth_packing) noexcept {
    constexpr double cache_bytes = 1 << 20;  // an operand beyond this is read from slower memory each time
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double bytes = std::max(m, n) * k * sizeof(T), products = m * n * k / kernel.rate;
    const bool far = bytes >= cache_bytes, farther = bytes >= 4 * cache_bytes,
               is_wide = m * n * sizeof(T) >= cache_bytes;  // strips of a wide C touch a page a row
    const bool turned = p.c == Form::col_major, packs = (turned ? p.n : p.m) >= rows_worth_packing;
    const bool in_short_vectors = kernel.lanes * static_cast<int>(sizeof(T)) <= 32;
    const bool passes = passes_by_blocks<T>(p), on_many_pages = (turned ? p.a : p.b) == p.c;
    if (!passes && splits(kernel) && (turned ? p.n : p.m) < rows_by_lines) {
        constexpr double small = 1 << 12;  // elements of B, beside which rows of other orders are cheap, too
        const double of_b = (turned ? m : n) * k, lying_byte = 0.035;
        if (of_b >= small) return strips_by_lines(kernel, p);
        if (on_many_pages && !packs) return std::max(1.1 * products, lying_byte * sizeof(T) * of_b);
    }
    // Its rows, a page each, find a place in the caches unless they are too many or fight for one set.
    const std::int64_t row_bytes = (turned ? p.m : p.n) * std::int64_t{sizeof(T)};
    constexpr std::int64_t some_pages = 8192;  // which short rows share: what fetches ahead finds the next row
    const bool scattered = in_short_vectors && on_many_pages && !packs && row_bytes >= some_pages;
    const double pace = passes                                      ? 1.2
                        : far && !packs                             ? 3
                        : scattered                                 ? 2
                        : farther || is_wide                        ? 1.35
                        : far                                       ? (in_short_vectors ? 1.2 : 1.35)
                        : is_crowded(kernel, p, rows_worth_packing) ? 1.25
                                                                    : 1;
    const double packed_byte = in_short_vectors && on_many_pages ? 0.22 : 0.085;
    constexpr std::int64_t hardly_any = 6;  // rows, for which turning a strip is most of the work
    const bool turns = !on_many_pages && (turned ? p.n : p.m) <= hardly_any;
    const bool copies = (far && packs) || turns || (passes && !on_many_pages);
    const double packing = copies ? packed_byte * (turned ? m : n) * k * sizeof(T) : 0;
    const bool stays = in_short_vectors && bytes <= 16 * cache_bytes && row_bytes % 4096 != 0;
    double tiles = pace * products;
    if (stays && far && !packs) tiles = std::min(tiles, std::max(1.6 * products, 0.17 * bytes));
    return std::max({tiles, 1.06 * products + packing, (far ? 0.025 : 0.02) * bytes});
}

/// What L3 keeps for one product: all of it, or a hardware thread's share where neighbours were felt, on a Zen 1.
template <class T>
std::int64_t l3_for_rows(const MicroKernel<T>& kernel) noexcept {
    constexpr std::int64_t least = 1 << 24;  // also where nobody tells of one
    const Cache& l3 = caches().l3;
    return splits(kernel) && l3.bytes > 0 ? l3.bytes / l3.shared_by : std::max(l3.bytes, least);
}

/// Nanoseconds that it takes to read an A that L3 does not keep once more for each further strip of B: some rows at a
/// time, each from a page of its own.
template <class T>
double reading_again(const MicroKernel<T>& kernel, const Problem& p) noexcept {
    constexpr double a_byte = 0.14;
    const bool turned = p.c == Form::col_major;
    const std::int64_t lines = turned ? p.n : p.m, size = sizeof(T), bytes = lines * p.k * size;
    const std::int64_t strips = ceil_div(turned ? p.m : p.n, kernel.widths[kernel.low]);
    const std::int64_t l3 = l3_for_rows(kernel);
    // All strips of a block of k come before the next block. Of tiles of 64-byte vectors this was not timed, nor of
    // narrow operands, which are widened a few rows at a time.
    const bool in_short_vectors = kernel.lanes * size <= 32;
    const bool keeps_block = in_short_vectors && p.in == type_of<T> && 5 * lines * k_block<T>(p.k) * size < l3;
    const bool is_kept = passes_by_blocks<T>(p) || 2 * bytes < l3 || keeps_block;
    return is_kept ? 0 : a_byte * static_cast<double>(bytes) * static_cast<double>(strips - 1);
}

}  // namespace tw::cpu
