// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the rungs of the CUDA cores, r1 to r7, have in common: one launcher, and one row, which says that a rung sums in
// its operands' type, in the order of k.
#pragma once

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"

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

/// A rung in its own words.
struct CoreRung {
    const char* name;
    Rung rung;
    std::span<const Tile> tiles;
    const char* idea;
    double (*nanoseconds)(const Problem&, int);
    Status (*run)(const Call&, const Tile&);
    bool (*takes)(const Problem&) = fits_ints;
    bool fuses_epilogue = false;
    const Batching* batching = nullptr;
    std::size_t (*scratch_bytes)(const Problem&, const Tile&, int) = nullptr;
};

template <class T>
constexpr Kernel row_of(const CoreRung& of) noexcept {
    constexpr Type type = sizeof(T) == 4 ? Type::f32 : Type::f64;
    return {.name = of.name,
            .rung = of.rung,
            .in = type,
            .out = type,
            .sum = type,
            .scheme = type == Type::f32 ? &plain_f32 : &plain_f64,
            .needs = feature::sm80,
            .tiles = of.tiles,
            .fuses_epilogue = of.fuses_epilogue,
            .idea = of.idea,
            .takes = of.takes,
            .sum_bound = sequential_sum_bound<T>,
            .nanoseconds = of.nanoseconds,
            .scratch_bytes = of.scratch_bytes,
            .run = of.run,
            .order = sequential_order,
            .batching = of.batching};
}

}  // namespace tw::cuda
