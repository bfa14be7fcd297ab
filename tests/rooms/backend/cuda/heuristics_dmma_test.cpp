// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tiles of r8_dmma and of r7 for c64, on paper: an H200's 132 multiprocessors, and other numbers of them.
#include "backend/cuda/heuristics_dmma.hpp"

#include <gtest/gtest.h>

namespace tw::cuda::dmma {
namespace {

constexpr Sizes shape(std::int64_t m, std::int64_t n, std::int64_t k, int multiprocessors = 132) {
    return {{m, n, k, 1, multiprocessors}};
}
Tile of(const Unit& unit, const Sizes& s) { return quickest(unit, s, false, true).tile; }

TEST(HeuristicsDmma, FewRowsOrColumnsTakeTilesAsNarrow) {
    EXPECT_EQ(of(real, shape(16, 8192, 8192)).m, 16);
    EXPECT_EQ(of(real, shape(32, 8192, 8192)).m, 32);
    EXPECT_LE(of(real, shape(64, 8192, 28672)).m, 64);
    EXPECT_EQ(of(real, shape(8192, 10, 8192)).n, 16);
    EXPECT_EQ(of(complex, shape(16, 14336, 4096)).m, 16);
    EXPECT_EQ(of(complex, shape(14336, 16, 4096)).n, 16);
    EXPECT_EQ(of(single_complex, shape(19, 8192, 2048)).m, 32);
}

TEST(HeuristicsDmma, TilesOfALastWaveAreCut) {
    const Tile tile = of(real, shape(512, 10240, 8192));
    EXPECT_TRUE(is_cut(tile)) << "320 tiles of 128 x 128, 640 of 64 x 128";
    EXPECT_FALSE(is_cut(quickest(real, shape(512, 10240, 8192), true, true).tile)) << "one order";
    EXPECT_FALSE(is_cut(quickest(real, shape(512, 10240, 8192), false, false).tile)) << "one of a batch";
    EXPECT_FALSE(is_cut(of(real, shape(512, 512, 512)))) << "may be many";
}

TEST(HeuristicsDmma, PartsFitTheScratch) {
    for (const Unit* unit : {&real, &complex, &single_complex})
        for (const std::int64_t m : {5, 64, 700, 3000})
            for (const std::int64_t k : {100, 4000, 60000}) {
                const Sizes s = shape(m, 5000, k);
                const Tile tile = of(*unit, s);
                if (parts_of(tile) == 1) continue;
                EXPECT_GE(k / parts_of(tile), unit->least_of_part);
                for (const PacedShape& one : unit->shapes) {
                    if (one.rows + one.columns != tile.m + tile.n || (one.groups > 1) != has_groups(tile)) continue;
                    EXPECT_LE((s.tiles(tile.m, tile.n) - whole_tiles(one, s)) * parts_of(tile), most_pieces);
                }
            }
}

TEST(HeuristicsDmma, GroupsOfWarpsShareKWhereOneTileIsAloneOnAMultiprocessor) {
    EXPECT_EQ(of(real, shape(768, 768, 768)), (Tile{96, 48, -of_groups - 1})) << "128 tiles";
    EXPECT_EQ(of(real, shape(1056, 1056, 1056)), (Tile{96, 96, -of_groups - 1})) << "121 tiles";
    EXPECT_EQ(of(real, shape(96, 3072, 3072)), (Tile{96, 48, -of_groups - 2})) << "64 tiles";
    EXPECT_EQ(parts_of({64, 64, -of_groups - 2}), 2);
    EXPECT_FALSE(has_groups(quickest(real, shape(768, 768, 768), true, true).tile)) << "one order";
    EXPECT_EQ(of(real, {shape(640, 640, 640), true}), (Tile{64, 64, -of_groups - 1})) << "copied one by one";
    EXPECT_EQ(of(real, shape(512, 512, 512)), (Tile{64, 32, 16})) << "C is written 64 bytes of a row at a time";
}

TEST(HeuristicsDmma, TheLeastTileIsForProductsThatItCoversOnce) {
    for (const std::int64_t n : {64, 200, 256})
        EXPECT_EQ(of(real, shape(n, n, n)).m + of(real, shape(n, n, n)).n, 48) << n;
    EXPECT_EQ(of(real, shape(320, 320, 320)), (Tile{32, 32, 16})) << "200 tiles";
    EXPECT_EQ(of(real, {shape(200, 200, 200), true}), (Tile{32, 32, 16})) << "copied one by one";
}

TEST(HeuristicsDmma, DoublesThatAreCopiedOneByOneHaveOneFlatTile) {
    for (const std::int64_t m : {5, 30, 60, 700}) {
        const Tile tile = of(real, {shape(m, 5001, 265), true});
        EXPECT_TRUE(tile.m == tile.n || tile.m + tile.n == 96) << tile.m << " x " << tile.n;
    }
    EXPECT_EQ(of(single_complex, {shape(30, 8191, 2048), false, true}).m, 32) << "their copies are of 4 bytes anyway";
}

TEST(HeuristicsDmma, PartsAreAClusterWhereAllOfThemFitAtOnce) {
    const PacedShape large = shapes_of_real[0], flat = shapes_of_real[2], middle = shapes_of_real[5];
    EXPECT_TRUE(is_cluster(large, 2, 66, 132));
    EXPECT_FALSE(is_cluster(large, 2, 67, 132));
    EXPECT_FALSE(is_cluster(large, 3, 44, 132))
        << "clusters of three leave some multiprocessors of a group without one";
    EXPECT_TRUE(is_cluster(flat, 3, 72, 132));
    EXPECT_FALSE(is_cluster(flat, 3, 80, 132)) << "64 x 10240 by tiles of 64 x 128";
    EXPECT_FALSE(is_cluster(large, 5, 20, 132));
    EXPECT_FALSE(is_cluster(large, 1, 20, 132));
    EXPECT_TRUE(is_cluster(middle, 2, 100, 132));
    EXPECT_FALSE(is_cluster(middle, 3, 80, 132)) << "three on each of 80 multiprocessors";
}

TEST(HeuristicsDmma, ProductsOfABatchAreSeenFromCsOtherSideWhereThatKeepsTheirBits) {
    EXPECT_EQ(quickest(real, {{2048, 80, 2048, 16, 132}}, false, false).tile, (Tile{128, 96, 16}));
    for (const PacedShape& one : shapes_of_complex) {
        const Tile tile = quickest(complex, {{one.columns, one.rows, 512, 64, 132}}, false, false).tile;
        bool is_told = false;
        for (const PacedShape& other : shapes_of_complex) is_told |= tile.m == other.rows && tile.n == other.columns;
        EXPECT_TRUE(is_told) << tile.m;
    }
}

TEST(HeuristicsDmma, ChipsBeforeHopperHaveNeitherFlatTilesNorParts) {
    for (const Unit* unit : {&real, &complex, &single_complex})
        for (const std::int64_t m : {5, 64, 700, 3000}) {
            const Tile tile = quickest(*unit, shape(m, 5000, 8192, 108), false, true, false).tile;
            EXPECT_FALSE(is_cut(tile)) << m;
            for (const PacedShape& one : unit->shapes)
                EXPECT_FALSE(is_flat(one) && one.rows + one.columns == tile.m + tile.n) << m;
        }
}

TEST(HeuristicsDmma, ADeviceThatCantBeAskedHasOneMultiprocessor) {
    EXPECT_GT(of(real, shape(4096, 4096, 4096, 1)).m, 0);
    EXPECT_GT(of(complex, shape(4096, 4096, 4096, 1)).m, 0);
    EXPECT_GT(of(single_complex, shape(4096, 4096, 4096, 1)).m, 0);
}

}  // namespace
}  // namespace tw::cuda::dmma
