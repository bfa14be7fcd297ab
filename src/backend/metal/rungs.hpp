// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// THE list of Metal kernels, by rung. To add one: write its .metal file, add its shapes and its row here.
#pragma once

#include "backend/metal/ladder.hpp"

namespace tw::metal {

/// The tiles of some shapes, as the contract wants them.
template <std::size_t count>
constexpr std::array<Tile, count> tiles_of(const std::array<Shape, count>& shapes) {
    std::array<Tile, count> tiles{};
    for (std::size_t i = 0; i < count; ++i) tiles[i] = shapes[i].tile;
    return tiles;
}

inline constexpr std::array<Shape, 1> r1_f32{{{{16, 16, 1}, "r1_naive_f32", 16, 16, 16, 16, true}}};
inline constexpr std::array<Shape, 1> r1_f16{{{{16, 16, 1}, "r1_naive_f16", 16, 16, 16, 16, true}}};
inline constexpr std::array<Shape, 1> r2_f32{{{{8, 32, 1}, "r2_coalesced_f32", 32, 8, 8, 32}}};
inline constexpr std::array<Shape, 1> r2_f16{{{{8, 32, 1}, "r2_coalesced_f16", 32, 8, 8, 32}}};
inline constexpr std::array<Shape, 2> r3_f32{{{{16, 16, 16}, "r3_tiled_16_f32", 16, 16, 16, 16},
                                              {{32, 32, 32}, "r3_tiled_32_f32", 32, 32, 32, 32}}};
inline constexpr std::array<Shape, 2> r3_f16{{{{16, 16, 16}, "r3_tiled_16_f16", 16, 16, 16, 16},
                                              {{32, 32, 32}, "r3_tiled_32_f16", 32, 32, 32, 32}}};

template <const auto& shapes>
inline constexpr auto tiles = tiles_of(shapes);

inline constexpr LadderRow rungs[] = {
    {"r1_naive.f32", "r1_naive", Rung::naive, Type::f32, 0, Steps::any, r1_f32, tiles<r1_f32>, 8,
     "one thread a result, neighbours down a column of C"},
    {"r1_naive.f16", "r1_naive", Rung::naive, Type::f16, 0, Steps::any, r1_f16, tiles<r1_f16>, 7,
     "one thread a result, neighbours down a column of C"},
    {"r2_coalesced.f32", "r2_coalesced", Rung::coalesced, Type::f32, 0, Steps::any, r2_f32, tiles<r2_f32>, 4,
     "the grid's axes exchanged: neighbours read and write neighbours"},
    {"r2_coalesced.f16", "r2_coalesced", Rung::coalesced, Type::f16, 0, Steps::any, r2_f16, tiles<r2_f16>, 3.5,
     "the grid's axes exchanged: neighbours read and write neighbours"},
    {"r3_tiled.f32", "r3_tiled", Rung::tiled, Type::f32, 0, Steps::any, r3_f32, tiles<r3_f32>, 3,
     "square tiles of A and B in threadgroup memory, loaded once for all threads"},
    {"r3_tiled.f16", "r3_tiled", Rung::tiled, Type::f16, 0, Steps::any, r3_f16, tiles<r3_f16>, 2.6,
     "square tiles of A and B in threadgroup memory, loaded once for all threads"},
};

}  // namespace tw::metal
