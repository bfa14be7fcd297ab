// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Into how many parts k is cut where C has few tiles: by a product's shape alone, with the reason on the line above
// each choice.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cuda/tiles/chip_of_parts.hpp"

namespace tw::cuda::parts {

inline constexpr int most = 128;

/// k of each of so many parts, which begin at multiples of `granule`; what is left is less than that for each.
constexpr std::int64_t length(std::int64_t k, int count, int granule) {
    return count > 1 ? k / count / granule * granule : k;
}

/// Products that come in batches have the bits of each alone, so that these shapes are left to rows that take batches:
/// sides of up to 512, and attention's, whose heads have up to 128 elements.
constexpr bool may_be_many(std::int64_t m, std::int64_t n, std::int64_t k) {
    const std::int64_t longest = std::max({m, n, k}), narrow = std::min(m, n);
    const bool is_attention = narrow >= 64 && (k <= 128 || (narrow <= 128 && k <= std::max(m, n)));
    return longest <= 512 || (longest <= 2048 && is_attention);
}

/// The sums of all parts are written, and read by a second kernel, of which up to eight threads share what is left of k
/// for an element: 16 x 51 x 48768 in 128 parts, which left 640, took 86 us where 16 parts, which leave nothing,
/// took 11.
constexpr double adding(std::int64_t m, std::int64_t n, int count, std::int64_t left = 0) {
    return 2600 + static_cast<double>(m * n) * 8 * count / 1200 + 110 * static_cast<double>(left) / std::min(count, 8);
}

/// The quickest count, 1: k stays whole. time(length, count): of all parts beside one another, in nanoseconds.
template <class Time>
constexpr int quickest(std::int64_t m, std::int64_t n, std::int64_t k, int granule, const Time& time, double& least) {
    int best = 1;
    least = 0;
    if (may_be_many(m, n, k)) return best;
    // Shorter ones are all beginning and end.
    for (int count = 2; count <= most && length(k, count, granule) >= 64; count *= 2) {
        const std::int64_t each = length(k, count, granule);
        const double all = time(each, count) + adding(m, n, count, k - each * count);
        if (best == 1 || all < least) best = count, least = all;
    }
    return best;
}

}  // namespace tw::cuda::parts
