// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the rungs of the CUDA cores, r1 to r7, are launched.
#pragma once

#include <algorithm>
#include <cmath>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/complex.cuh"

namespace tw::cuda {

/// A block of `threads` for each BM x BN results; those of a batch lie behind one another in the grid's second
/// dimension.
template <class T, int BM, int BN, int threads, std::size_t shared = 0, class... More>
Status launch_over(void (*kernel)(Product<T>, TileGrid, More...), const Call& call, const More&... more) noexcept {
    const auto [grid, blocks] = tiling(call, BM, BN);
    const Launch how{
        .blocks = blocks, .threads = threads, .shared = shared, .products = static_cast<unsigned>(products_of(call))};
    return launch(kernel, how, call.stream, product_of<T>(call), grid, more...);
}

/// At the pace of a multiprocessor that has several blocks, which hide each other's waits: the busiest one's tiles
/// count, and one of them alone takes as long as `alone` of many do.
inline double nanoseconds_of_busiest(const Problem& p, double tera, int tile_rows, int tile_cols, double alone) {
    const double at_once = multiprocessors_for_costs(), depth = static_cast<double>(p.k);
    const double tiles = static_cast<double>(tiles_over(p.m, tile_rows) * tiles_over(p.n, tile_cols));
    const double of_tile = flops_of_a_term(p) * tile_rows * tile_cols * depth * at_once / (tera * 1e3);
    // Words go to C one by one: 4567 x 3431 x 24 of c64 took r6 340 us, 2053 x 2220 x 17 of f32 35, 3979 x 3335 x 8 of
    // f64 r2 245.
    const double of_c = tile_rows * tile_cols * (size_of(p.in) > 4 ? static_cast<double>(size_of(p.in)) / 4.4 : .7);
    const double waves = std::ceil(tiles / at_once);
    // Of real numbers `alone` was timed with the first tile's stores.
    const double stored = is_complex(p.in) ? waves : waves - 1;
    return launch_nanoseconds + std::max(waves, alone) * of_tile + stored * of_c;
}

}  // namespace tw::cuda
