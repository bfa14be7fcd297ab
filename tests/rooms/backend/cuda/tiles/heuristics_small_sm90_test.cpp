// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which products r9 does by one wave of thin tiles, on paper.
#include "backend/cuda/tiles/heuristics_small_sm90.hpp"

#include <gtest/gtest.h>

namespace tw::cuda::sm90 {
namespace {

Tile tile_for(std::int64_t m, std::int64_t n, std::int64_t k, const R9Operands& o = {}, int multiprocessors = 132) {
    return r9_tile_of_any({m, n, k, 1, multiprocessors}, o, false);
}

TEST(HeuristicsSmallSm90, AShortProductOfOneWaveHasThinTiles) {
    for (const bool is_f32 : {false, true}) EXPECT_EQ(tile_for(832, 832, 832, {.is_f32 = is_f32}), (Tile{64, 64, -1}));
    EXPECT_EQ(tile_for(2048, 512, 512), (Tile{64, 64, -1}));
    EXPECT_EQ(tile_for(1024, 2048, 768), (Tile{128, 64, -1})) << "512 tiles of 64 x 64 are two waves";
}

TEST(HeuristicsSmallSm90, LargeLongAndLowProductsKeepTheirTiles) {
    for (const auto& [m, n, k] : {std::tuple{4096, 4096, 4096}, {1280, 1280, 1280}, {832, 832, 1088}, {48, 4096, 1024}})
        EXPECT_EQ(tile_for(m, n, k), r9_tile({m, n, k, 1, 132}, {}, false)) << m << 'x' << n << 'x' << k;
    EXPECT_EQ(tile_for(832, 832, 832, {}, 40), r9_tile({832, 832, 832, 1, 40}, {}, false))
        << "three waves of a small chip";
}

TEST(HeuristicsSmallSm90, OneOrderStaysOne) {
    for (const std::int64_t n : {300, 640, 832, 1000}) EXPECT_GE(r9_tile_of_any({n, n, n, 1, 132}, {}, true).k, -1);
}

}  // namespace
}  // namespace tw::cuda::sm90
