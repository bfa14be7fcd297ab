// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tiles r9 takes, on paper.
#include "backend/cuda/tiles/heuristics_async_sm90.hpp"

#include <gtest/gtest.h>

namespace tw::cuda::sm90 {
namespace {

Tile tile_for(std::int64_t m, std::int64_t n, std::int64_t k, const R9Operands& o = {}, int multiprocessors = 132) {
    return async_tile({m, n, k, 1, multiprocessors}, o, false);
}

TEST(HeuristicsAsyncSm90, AShortProductOfOneWaveHasThinTiles) {
    for (const bool is_f32 : {false, true}) EXPECT_EQ(tile_for(832, 832, 832, {.is_f32 = is_f32}), (Tile{64, 64, -1}));
    EXPECT_EQ(tile_for(2048, 512, 512), (Tile{64, 64, -1}));
    EXPECT_EQ(tile_for(1024, 2048, 768), (Tile{128, 64, -1})) << "512 tiles of 64 x 64 are two waves";
    EXPECT_NE(tile_for(832, 832, 832, {}, 40).k, -1) << "three waves of a small chip";
}

TEST(HeuristicsAsyncSm90, RowsThatAreNoMultipleOf256AreNotRoundedUpToIt) {
    for (const auto& [m, n, k] : {std::tuple{359, 4096, 4096}, {168, 14336, 4096}}) {
        const Tile tile = tile_for(m, n, k);
        EXPECT_EQ(tile.k, 0) << m << ": " << tile.m << 'x' << tile.n;
    }
    EXPECT_EQ(tile_for(8192, 8192, 8192).n, 256);
}

TEST(HeuristicsAsyncSm90, OneOrderStaysOne) {
    for (const std::int64_t n : {300, 640, 832, 1000}) EXPECT_GE(async_tile({n, n, n, 1, 132}, {}, true).k, -1);
}

/// Parts of k are a product's own, whatever the tile: a batch has the bits of each product alone.
TEST(HeuristicsAsyncSm90, PartsAreThoseOfOneProduct) {
    for (const std::int64_t m : {16, 64, 200, 500})
        for (const std::int64_t n : {64, 128, 300})
            for (const std::int64_t k : {512, 2048, 16384}) {
                const int parts = r9_parts({m, n, k, 1, 132}, {});
                for (const std::int64_t products : {1, 7, 300}) {
                    const Tile tile = async_tile({m, n, k, products, 132}, {}, false);
                    EXPECT_EQ(tile.k < 0 ? -tile.k : 1, parts) << m << 'x' << n << 'x' << k;
                }
            }
}

}  // namespace
}  // namespace tw::cuda::sm90
