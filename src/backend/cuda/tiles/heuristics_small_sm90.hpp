// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tile where few waves of blocks do a short product: the costs that large products were fitted to make thin tiles,
// two blocks a multiprocessor, half again as slow as they are there. An H100 took, at 832 cubed of bf16, 5.7 us for
// 64 x 64, 7.1 for 128 x 64 and 8.1 for the 128 x 96 that the costs choose; of 1024 x 2048 x 768 7.8 for 128 x 64, 9.6.
#pragma once

#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda::sm90 {

/// As r9_tile chooses, but for products of one wave of thin tiles.
constexpr Tile r9_tile_of_any(const Sizes& s, const R9Operands& o, bool one_order) {
    const Tile chosen = r9_tile(s, o, one_order);
    // Thin tiles are chosen as they should be where they are, and a long k is better read by larger ones.
    if (chosen.k < 0 || s.k > 1024 || s.m <= 64 || s.n <= 64) return chosen;
    for (const Tile& thin : {Tile{64, 64, -1}, Tile{128, 64, -1}})
        if (r9_possible(o, thin) && s.tiles(thin.m, thin.n) <= 2 * std::int64_t{s.multiprocessors}) return thin;
    return chosen;
}

}  // namespace tw::cuda::sm90
