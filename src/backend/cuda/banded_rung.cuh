// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How rungs whose blocks walk C in bands are launched, and how those that have a table of tiles choose one.
#pragma once

#include <cmath>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/complex.cuh"
#include "backend/cuda/tiles/bands.cuh"
#include "backend/cuda/tiles/heuristics_complex_sm90.hpp"

namespace tw::cuda {

template <class Shape>
Bands bands_of(const Call& call) noexcept {
    return {static_cast<int>(tiles_over(call.m(), Shape::BM)), static_cast<int>(tiles_over(call.n(), Shape::BN))};
}

/// So many blocks of the Shape, products of a batch in the grid's second dimension. A map of tiles was written by the
/// kernel in front.
template <class Shape, class T, class... More>
Status launch_pieces(void (*kernel)(Product<T>, Bands, Places, TileMap, More...), std::size_t stage_bytes,
                     const Call& call, const TileMap& only, unsigned blocks, const More&... more) noexcept {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const Launch how{.blocks = blocks,
                     .threads = Shape::threads,
                     .shared = std::size_t{Shape::STAGES} * stage_bytes,
                     .products = static_cast<unsigned>(products_of(call)),
                     .overlaps = only.any != nullptr};
    return launch(kernel, how, call.stream, product_of<T>(call), bands_of<Shape>(call), places, only, more...);
}

/// A block for each tile of C.
template <class Shape, class T, class... More>
Status launch_in_bands(void (*kernel)(Product<T>, Bands, Places, TileMap, More...), std::size_t stage_bytes,
                       const Call& call, const TileMap& only, const More&... more) noexcept {
    return launch_pieces<Shape>(kernel, stage_bytes, call, only, bands_of<Shape>(call).tiles(), more...);
}

/// For rows whose products of a batch are one launch.
inline constexpr Batching in_one_launch{[](const Call& call) { return call.batch->size <= most_products; },
                                        places_bytes};

template <int count>
Tile asked_or_quickest(const Tile& asked, const sm90::RatedTile (&tiles)[count], const Call& call) noexcept {
    return asked == Tile{} ? sm90::tile_of(tiles, sm90::sizes_of(call)) : asked;
}

template <int count>
double nanoseconds_of_quickest(const sm90::RatedTile (&tiles)[count], const Problem& p) noexcept {
    const sm90::RatedTile tile = sm90::quickest(tiles, {p.m, p.n, p.k, 1, multiprocessors_for_costs()});
    const double all = static_cast<double>(tiles_over(p.m, tile.rows) * tiles_over(p.n, tile.columns));
    return nanoseconds_at(p, tile.rate, tile.rows, tile.columns) +
           std::ceil(all / multiprocessors_for_costs()) * tile.start_for(p.n);
}

}  // namespace tw::cuda
