// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tile a product gets where a rung has several: a function for each rung, of sizes alone, with the reason on the
// line above each rejection. Rates are as measured on an H200; how many multiprocessors there are is always asked of
// the device. The rungs that Ampere runs too, r7 and r8_mma_sync, choose there as they do here.
#pragma once

#include <cstdint>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/operands/batched.hpp"

namespace tw::cuda::sm90 {

/// What a choice is made from.
struct Sizes {
    std::int64_t m, n, k, products;
    int multiprocessors;

    /// Tiles of so many rows and columns, over all products.
    constexpr std::int64_t tiles(int rows, int columns) const {
        return (m + rows - 1) / rows * ((n + columns - 1) / columns) * products;
    }
};
inline Sizes sizes_of(const Call& call) { return {call.m(), call.n(), call.k(), products_of(call), multiprocessors()}; }

/// r7's tiles: 64 x 64, 128 x 128 and 128 x 256.
enum class R7 { small, middle, wide };

constexpr bool r7_fills_wide(const Sizes& s) {
    // A matrix that a smaller tile holds would leave most of a wide one empty.
    if (s.m <= 64 || s.n <= 128) return false;
    // With fewer wide tiles than multiprocessors some would have nothing to do.
    return s.tiles(128, 256) >= s.multiprocessors;
}

/// Up to here wide tiles have a kernel of their own, whose loop is slower and whose ends are quicker.
inline constexpr int r7_most_k_of_shallow = 1024;

/// by_16: both operands lie so that the copies of 16 bytes reach them, as the kernel for short k wants it.
constexpr R7 r7_tile(const Sizes& s, bool by_16) {
    const bool wide = r7_fills_wide(s);
    if (wide && by_16 && s.k <= r7_most_k_of_shallow) return R7::wide;
    // Two middle tiles share a multiprocessor: one begins while the other multiplies. From 256 of k on wide tiles gain
    // more by reading less.
    const bool overlaps = s.m > 64 && s.n > 64 && s.tiles(128, 128) >= 2 * std::int64_t{s.multiprocessors};
    if (overlaps && s.k <= 256) return R7::middle;
    return wide ? R7::wide : R7::small;
}

/// r8_mma_sync: 128 rows by so many columns.
constexpr int r8_mma_sync_columns(const Sizes& s) {
    // With fewer wide tiles than multiprocessors some would have nothing to do.
    return s.tiles(128, 256) >= s.multiprocessors ? 256 : 128;
}

/// Tiles of r9 and r10: 128 rows by so many columns, a cluster's blocks one below the other.
struct Tile128 {
    int columns, cluster;
    double rate;       ///< of the quickest shape's, in the middle of a long product
    double start = 0;  ///< steps of 64 of k that filling and emptying the pipeline cost a wave
};

/// Whole waves of tiles, each at its shape's rate. The unit does not matter, only which is least.
constexpr double time_of(const Tile128& tile, const Sizes& s) {
    const std::int64_t fit = s.multiprocessors / tile.cluster, at_once = fit > 0 ? fit : 1;
    const std::int64_t tiles = s.tiles(128 * tile.cluster, tile.columns);
    const auto waves = static_cast<double>((tiles + at_once - 1) / at_once);
    const double steps = static_cast<double>(s.k) / 64;
    return waves * tile.columns / tile.rate * steps + (waves + 1) * tile.start * tile.columns;
}

template <int count>
constexpr int quickest(const Tile128 (&tiles)[count], const Sizes& s) {
    int best = 0;
    double least = 0;
    for (const Tile128& tile : tiles) {
        const double time = time_of(tile, s);
        if (best == 0 || time < least) best = tile.columns, least = time;
    }
    return best;
}

constexpr int r10_fp16x3_columns(const Sizes& s) { return quickest({{192, 2, 1}, {176, 2, 0.99}, {128, 1, 0.93}}, s); }
constexpr int r10_fp16x1_columns(const Sizes& s) { return quickest({{256, 2, 1}, {128, 2, 0.93}}, s); }

/// r10 splits the rows of so many first columns of tiles before the product, all others beside it: while these columns
/// are multiplied, the warps that split late rows keep up with what the next need. 0: all rows are split before.
constexpr int r10_first_columns(int parts, std::int64_t k) {
    // Late rows of more than 8192 elements hold the product up: 16384 has 210 TFLOP/s with them, 213 to 220 without.
    if (k > 8192) return 0;
    return parts == 2 ? 12 : parts == 3 ? 24 : 4;
}

}  // namespace tw::cuda::sm90
