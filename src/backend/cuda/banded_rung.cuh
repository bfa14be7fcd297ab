// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How rungs whose blocks walk C in bands are launched.
#pragma once

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/spread.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/complex.cuh"
#include "backend/cuda/tiles/bands.cuh"

namespace tw::cuda {

template <class Shape>
Bands bands_of(const Call& call) noexcept {
    return {static_cast<int>(tiles_over(call.m(), Shape::BM)), static_cast<int>(tiles_over(call.n(), Shape::BN))};
}

struct Pieces {
    unsigned blocks;
    std::size_t shared;  ///< bytes
    unsigned cluster = 1;
    bool begins_early = false;  ///< while the kernel in front ends: it waits for that by itself
};

/// So many blocks of the Shape, products of a batch in the grid's second dimension. A map of tiles was written by the
/// kernel in front.
template <class Shape, class T, class... More>
Status launch_pieces(void (*kernel)(Product<T>, Bands, Places, TileMap, More...), const Pieces& pieces,
                     const Call& call, const TileMap& only, const More&... more) noexcept {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const Launch how{.blocks = pieces.blocks,
                     .threads = Shape::threads,
                     .shared = pieces.begins_early
                                   ? shared_when_spread(pieces.shared, std::int64_t{pieces.blocks} * products_of(call))
                                   : pieces.shared,
                     .cluster = pieces.cluster,
                     .products = static_cast<unsigned>(products_of(call)),
                     .overlaps = pieces.begins_early || only.any};
    return launch(kernel, how, call.stream, product_of<T>(call), bands_of<Shape>(call), places, only, more...);
}

/// For rows whose products of a batch are one launch.
inline constexpr Batching in_one_launch{[](const Call& call) { return call.batch->size <= most_products; },
                                        places_bytes};

}  // namespace tw::cuda
