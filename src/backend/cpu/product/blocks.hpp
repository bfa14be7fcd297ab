// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a side of a product is cut into blocks, and what that means for rounding.
#pragma once

#include <algorithm>
#include <cstdint>

#include "scheme/scheme.hpp"

namespace tw::cpu {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t unit) noexcept { return ceil_div(a, unit) * unit; }

/// `total` cut into equal blocks (the last may be shorter) of at most `most`, in multiples of `unit`.
constexpr std::int64_t block_size(std::int64_t total, std::int64_t most, std::int64_t unit) noexcept {
    if (total <= most) return round_up(total, unit);  // a small product has no time for divisions
    return round_up(ceil_div(total, ceil_div(total, most)), unit);
}

/// KC: one block of k for every kernel that sums through a micro-kernel, on every instruction set, so that they all
/// round alike. A block of KC x NR elements of B lies in L1, or just streams through it.
template <class T>
inline constexpr std::int64_t KC = 2048 / static_cast<std::int64_t>(sizeof(T));

template <class T>
constexpr std::int64_t k_block(std::int64_t k) noexcept {
    return std::min(k, block_size(k, KC<T>, 8));
}

/// NC for this k: where it is short, more columns of B stay beside the rest in L2, and C passes in longer pieces of
/// rows.
template <class T>
constexpr std::int64_t columns_at_once(std::int64_t nc, std::int64_t k, std::int64_t nr) noexcept {
    return std::max(nc, round_up(nc * KC<T> / 2 / std::max<std::int64_t>(k, 8), nr));
}

/// Kernel::order of the rows that sum so: with one rounding a term, or with two.
inline constexpr int order_fused_in_blocks = 1, order_in_blocks = 2;

/// Long blocks of k, since a product larger than the caches waits for C to be read and written. Shorter ones for three
/// parts, six bytes an element: the more of A fits in L2, the less often B's panels are read again from L3. Where k is
/// long, few blocks are few roundings at the size of C.
template <int parts>
constexpr std::int64_t unit_k_block(std::int64_t k) noexcept {
    return block_size(k, parts == 3 && k <= 4096 ? 512 : parts >= 2 ? 1024 : 2048, 32);
}

/// Kernel::order of a matrix unit's rows, by how many parts an f32 is cut into.
template <int parts>
inline constexpr int order_of_parts = 10 + parts;

/// The rounding of a type that is summed in.
template <class T>
inline constexpr double unit_of = part_of(type_of<T>) == Type::f32 ? unit_f32 : unit_f64;

/// From 0, one term after the other, then alpha and C. A complex term is two for each part, and complex scalars round
/// twice more.
template <class T>
double sequential_sum_bound(std::int64_t k) {
    constexpr bool is_pair = is_complex(type_of<T>);
    return gamma(static_cast<double>(is_pair ? 2 * k : k) + (is_pair ? 4 : 2), unit_of<T>);
}

/// The longest path of roundings: through one block, alpha, and C once for each block.
template <class T>
double blocked_sum_bound(std::int64_t k) {
    const auto longest = static_cast<double>(k_block<T>(k) + ceil_div(k, k_block<T>(k)) + 1);
    return gamma(longest, unit_of<T>);
}

}  // namespace tw::cpu
