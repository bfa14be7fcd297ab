// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the kernels for few rows cut the weights: by sizes alone, with the reason on the line above each choice.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tw::cuda::few {

constexpr int stages_of(int stage_bytes, std::int64_t weights_bytes) {
    // While this product ends, the next begins in the other half of shared memory; a long one gains more by a long
    // ring.
    const int ring_bytes = (weights_bytes > (std::int64_t{150} << 20) ? 190 : 100) * 1024;
    return std::max(2, ring_bytes / stage_bytes);
}

/// Rows that so far are run when they are asked for by name cost so many times what they take: more than r1.
inline constexpr double until_chosen = 1e9;

/// Rows of weights that the busiest multiprocessor reads.
constexpr std::int64_t busiest(std::int64_t n, int of_tile, int multiprocessors) {
    const std::int64_t tiles = (n + of_tile - 1) / of_tile;
    return (tiles + multiprocessors - 1) / multiprocessors * of_tile;
}

/// Rows of a tile where k is contiguous: any eight are a box of TMA's.
constexpr int height_along_k(std::int64_t n, int multiprocessors) {
    int best = 64;
    // The lower of two that keep the multiprocessors equally busy fills them with fewer bytes on their way.
    for (int height = 56; height >= 8; height -= 8)
        if (busiest(n, height, multiprocessors) < busiest(n, best, multiprocessors)) best = height;
    return best;
}

/// Where n is contiguous: boxes with rows of 128 bytes. Those of 64 reach two thirds of the memory's pace.
inline constexpr int columns_across_k = 64;

}  // namespace tw::cuda::few
