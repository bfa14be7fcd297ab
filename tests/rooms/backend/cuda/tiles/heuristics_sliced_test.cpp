// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How few_tiles_sliced shares k among the blocks of a cluster, on paper.
#include "backend/cuda/tiles/heuristics_sliced.hpp"

#include <gtest/gtest.h>

namespace tw::cuda::sliced {
namespace {

TEST(HeuristicsSliced, FewTilesOfALongKAreSharedByAsManyAsHaveRoom) {
    for (const std::int64_t m : {20, 100, 610, 3000})
        for (const std::int64_t n : {17, 128, 500})
            for (const std::int64_t k : {64, 300, 1152, 20000}) {
                const sm90::Sizes s{m, n, k, 1, 132};
                const Way way = way_of(s);
                EXPECT_LE(time_of(*way.pace, s, way.ranks), time_of(quickest(s), s));
                if (way.ranks == 1) continue;
                const Tile tile = way.pace->tile;
                EXPECT_LT(s.tiles(tile.m, tile.n) * way.ranks, 132 * way.pace->at_once);
                EXPECT_EQ(length_of_rank(k, way.ranks) % 64, 0);
                EXPECT_GE(length_of_rank(k, way.ranks) * way.ranks, k);
            }
    EXPECT_GT(way_of({610, 128, 1152, 1, 132}).ranks, 1);
    EXPECT_EQ(way_of({1000, 1000, 1152, 1, 132}).ranks, 1) << "tiles enough";
}

}  // namespace
}  // namespace tw::cuda::sliced
