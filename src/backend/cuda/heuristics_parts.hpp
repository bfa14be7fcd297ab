// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Into how many parts k is cut where C has few tiles: by a product's shape alone, with the reason on the line above
// each choice. The chip is one of 132 multiprocessors, so that the bits do not depend on it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tw::cuda::parts {

inline constexpr int chip = 132, most = 128;

/// k of each of so many parts, which begin at multiples of 16 bytes; what is left is less than 8 of k for each.
constexpr std::int64_t length(std::int64_t k, int count) { return count > 1 ? k / count / 8 * 8 : k; }

/// Products that come in batches have the bits of each alone, so that these shapes are left to rows that take batches:
/// sides of up to 512, and attention's, whose heads have up to 128 elements.
constexpr bool may_be_many(std::int64_t m, std::int64_t n, std::int64_t k) {
    const std::int64_t longest = std::max({m, n, k}), narrow = std::min(m, n);
    const bool is_attention = narrow >= 64 && (k <= 128 || (narrow <= 128 && k <= std::max(m, n)));
    return longest <= 512 || (longest <= 2048 && is_attention);
}

/// The sums of all parts are written, and read by a second kernel.
constexpr double adding(std::int64_t m, std::int64_t n, int count) {
    return 2000 + static_cast<double>(m * n) * 8 * count / 2500;
}

/// The quickest count, 1: k stays whole. time(length, count): of all parts beside one another, in nanoseconds.
template <class Time>
constexpr int quickest(std::int64_t m, std::int64_t n, std::int64_t k, const Time& time, double& least) {
    int best = 1;
    least = 0;
    if (may_be_many(m, n, k)) return best;
    // Shorter ones are all beginning and end.
    for (int count = 2; count <= most && length(k, count) >= 64; count *= 2) {
        const double all = time(length(k, count), count) + adding(m, n, count);
        if (best == 1 || all < least) best = count, least = all;
    }
    return best;
}

}  // namespace tw::cuda::parts
