// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the kernels for few rows cut the weights: by sizes alone, with the reason on the line above each choice.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tilewright/plan.hpp"

namespace tw::cuda::few {

constexpr int stages_of(int stage_bytes, std::int64_t weights_bytes) {
    // While this product ends, the next begins in the other half of shared memory; a long one gains more by a long
    // ring.
    const int ring_bytes = (weights_bytes > (std::int64_t{150} << 20) ? 190 : 100) * 1024;
    return std::max(2, ring_bytes / stage_bytes);
}

/// What a product costs that begins while the one in front of it ends, as r9 has it.
inline constexpr double launch = 970;

/// Batches have the bits of each product alone, and a block for each few rows of weights is slow at beginning: 71
/// products of 16 x 96 x 192 took 39 us. Such shapes are left to the rows of large products.
constexpr bool may_be_many(const Problem& p) { return std::min(p.m, p.n) > 4 && std::max({p.m, p.n, p.k}) <= 512; }

/// Rows of weights that the busiest multiprocessor reads.
constexpr std::int64_t busiest(std::int64_t n, int of_tile, int multiprocessors) {
    const std::int64_t tiles = (n + of_tile - 1) / of_tile;
    return (tiles + multiprocessors - 1) / multiprocessors * of_tile;
}

/// Of one multiprocessor, for each element of k: what it can fetch of the rows of its tiles, at 65 bytes a nanosecond,
/// or the unit's chain, once a tile.
constexpr double turned_nanoseconds(std::int64_t n, int height, int multiprocessors) {
    const auto rows = static_cast<double>(busiest(n, height, multiprocessors));
    return std::max(rows * 2 / 65, rows / height * 1.5);
}

/// Rows of a tile where k is contiguous: any eight are a box of TMA's.
constexpr int height_along_k(std::int64_t n, int multiprocessors) {
    int best = 64;
    // The lower of two that take as long fills the multiprocessors with fewer bytes on their way. Not the one that
    // keeps them busy most evenly: 8 x 11008 x 4096 by 8 rows, eleven tiles one after the other, took 70 us.
    for (int height = 56; height >= 8; height -= 8)
        if (turned_nanoseconds(n, height, multiprocessors) <= turned_nanoseconds(n, best, multiprocessors))
            best = height;
    return best;
}

/// Where n is contiguous: boxes with rows of 128 bytes. Those of 64 reach two thirds of the memory's pace.
inline constexpr int columns_across_k = 64;

/// Of few_rows and few_rows_async, whose blocks read 16 rows of weights at a time along k.
/// An H200 took 32.6 us for 8192 x 8192 weights of bf16 and one row, 33.8 for 16, 29.1 and 31.1 for 14336 x 4096.
inline double nanoseconds_along_k(const Problem& p, int processors) {
    if (may_be_many(p)) return 50'000;
    constexpr double start = 1700, of_memory = 4300, with_many = 4200;
    const auto size = static_cast<double>(size_of(p.in)), depth = static_cast<double>(p.k),
               busiest_rows = static_cast<double>(busiest(std::max(p.m, p.n), 16, processors));
    // Rows that do not start at 16 bytes are gathered by their elements, two a nanosecond (8 x 33443 x 6541 of f32);
    // of f32 a tile alone waits for each of them: 12 x 1652 x 661 took 15.2 us, 2026 x 14 x 674 15.6.
    constexpr double gathered = 2, of_tile_alone = 20.5;
    if (p.k * static_cast<std::int64_t>(size_of(p.in)) % 16 != 0)
        return start + depth * std::max(busiest_rows / gathered, size == 4 ? of_tile_alone : 0);
    // What one multiprocessor can fetch.
    constexpr double of_one = 60;
    const double bytes = busiest_rows * depth * size;
    return start + std::max(bytes * processors / (std::min(p.m, p.n) > 8 ? with_many : of_memory), bytes / of_one);
}

}  // namespace tw::cuda::few
