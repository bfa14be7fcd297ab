// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tiles r9 takes, on paper.
#include "backend/cuda/tiles/heuristics_async_sm90.hpp"

#include <gtest/gtest.h>

#include "backend/cuda/tiles/heuristics_across_sm90.hpp"

namespace tw::cuda::sm90 {
namespace {

constexpr Sizes cube(std::int64_t n, int multiprocessors = 132) { return {n, n, n, 1, multiprocessors}; }

Tile tile_for(std::int64_t m, std::int64_t n, std::int64_t k, const R9Operands& o = {}, int multiprocessors = 132) {
    return async_tile({m, n, k, 1, multiprocessors}, o, false);
}

TEST(HeuristicsAsyncSm90, AShortProductOfOneWaveHasBlocksAlone) {
    EXPECT_EQ(tile_for(1024, 1024, 1024, {.adds = true}), (Tile{128, 64, 0}));
    EXPECT_EQ(tile_for(1024, 1024, 1024), (Tile{64, 64, -1})) << "by kernels without an epilogue";
    EXPECT_EQ(tile_for(1152, 1152, 1152), (Tile{128, 96, 0}));
}

TEST(HeuristicsAsyncSm90, RowsThatAreNoMultipleOf256AreNotRoundedUpToIt) {
    for (const auto& [m, n, k] : {std::tuple{359, 4096, 4096}, {168, 14336, 4096}}) {
        const Tile tile = tile_for(m, n, k);
        EXPECT_TRUE(r9_is_level(tile)) << m << ": " << tile.m << 'x' << tile.n;
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

TEST(HeuristicsAsyncSm90, TakesWideLevelAndThinTilesWhereTheyBelong) {
    EXPECT_EQ(r9_tile(cube(8192), {}, false), (Tile{128, 256, 8}));
    const Tile few = r9_tile({32, 14336, 4096, 1, 132}, {}, true);
    EXPECT_EQ(few.m, 64) << "two thirds of a higher tile would be empty";
    EXPECT_LE(few.k, 0) << "no two rows of tiles share anything";
    EXPECT_EQ(r9_tile(cube(256), {}, false).k, -1) << "thin tiles, for the others are too few";
}

TEST(HeuristicsAsyncSm90, WhatItChoosesIsPossible) {
    for (const bool a_across : {false, true})
        for (const bool b_across : {false, true})
            for (const bool is_f32 : {false, true})
                for (const bool by_group : {false, true})
                    for (const std::int64_t m : {1, 17, 64, 65, 129, 1000, 9000})
                        for (const std::int64_t n : {1, 40, 1000, 50257})
                            for (const std::int64_t k : {1, 64, 1000, 100000}) {
                                if (is_f32 && (a_across || b_across)) continue;
                                const R9Operands o{a_across, b_across, is_f32, by_group};
                                const Tile tile = r9_tile({m, n, k, 1, 132}, o, false);
                                EXPECT_TRUE(r9_possible(o, tile)) << tile.m << ' ' << tile.n << ' ' << tile.k;
                            }
}

/// Else a batch would not have the bits of its products one at a time.
TEST(HeuristicsAsyncSm90, PartsOfKFollowFromOneProductsShape) {
    const Sizes long_k{64, 64, 100000, 1, 132};
    const int parts = r9_parts(long_k, {});
    EXPECT_GT(parts, 1);
    Sizes many = long_k, little_chip = long_k;
    many.products = 500, little_chip.multiprocessors = 20;
    EXPECT_EQ(r9_parts(many, {}), parts);
    EXPECT_EQ(r9_parts(little_chip, {}), parts);
    EXPECT_EQ(r9_parts(long_k, {.a_across = true, .b_across = true, .c_by_group = false, .adds = true}), parts);
    EXPECT_EQ(-r9_tile(many, {.b_across = true}, false).k, parts);
    EXPECT_GE(r9_tile(long_k, {}, true).k, -1) << "one order: nothing is cut";
    EXPECT_EQ(r9_parts(cube(4096), {}), 1);
    EXPECT_EQ(r9_parts({40, 128, 1152, 1, 132}, {}), 4) << "few blocks' parts are soon added";
    EXPECT_EQ(r9_parts({512, 1024, 4096, 1, 132}, {}), 1) << "clusters would want the last places";
    EXPECT_EQ(r9_parts(long_k, {.is_f32 = true}), 1);
}

TEST(HeuristicsAsyncSm90, AStageFitsBesideTheOthers) {
    for (const int rows : {88, 128, 256, 384})
        for (const int blocks : {1, 2})
            EXPECT_LE(blocks * (r9_stages(rows, 0, blocks) * (rows * 128 + 16) + 2048), 233472) << rows;
    EXPECT_GE(r9_stages(384, 32768, 1), 3);
}

/// What fills no 256 rows goes down a tile's width, which comes in steps of 16.
TEST(HeuristicsAsyncSm90, TurnsRoundWhereRowsFillATilesWidth) {
    const R9Operands may{.may_turn = true};
    for (const auto& [m, n, k, width] : {std::tuple{264, 128256, 8192, 144}, {168, 14336, 4096, 176}}) {
        const Tile tile = tile_for(m, n, k, may);
        EXPECT_TRUE(r9_is_turned(tile)) << m;
        EXPECT_EQ(tile.n, width);
        EXPECT_FALSE(r9_is_turned(tile_for(m, n, k)));
    }
    EXPECT_FALSE(r9_possible({.adds = true, .may_turn = true}, {128, 144, R9Way{8, true, 1}.k()})) << "an old C";
    EXPECT_FALSE(r9_possible({.a_across = true, .may_turn = true}, {128, 256, R9Way{8, true, 1}.k()}));
    EXPECT_TRUE(r9_possible({.b_across = true, .may_turn = true}, {128, 144, R9Way{8, true, 1}.k()}));
}

TEST(HeuristicsAsyncSm90, AWaysKTellsItAll) {
    for (const int walked : {4, 8, 16})
        for (const bool turned : {false, true})
            for (int parts = 1; parts <= r9_most_parts; ++parts) {
                const R9Way way = R9Way::of({128, 256, R9Way{walked, turned, parts}.k()});
                EXPECT_EQ(way.walked, walked);
                EXPECT_EQ(way.turned, turned);
                EXPECT_EQ(way.parts, parts);
            }
}

/// Whatever is cut may be, and its sums have room.
TEST(HeuristicsAsyncSm90, CutsALastWaveThatWouldBeNearlyEmpty) {
    EXPECT_GT(r9_parts_of(tile_for(5120, 5120, 5120)), 1) << "400 tiles, 66 at once";
    EXPECT_EQ(r9_parts_of(async_tile(cube(5120), {}, true)), 1) << "one order";
    EXPECT_EQ(r9_parts_of(async_tile({5120, 5120, 5120, 2, 132}, {}, false)), 1) << "a batch has each product's bits";
    EXPECT_EQ(r9_parts_of(tile_for(5120, 5120, 5120, {.is_f32 = true})), 1);
    EXPECT_EQ(r9_parts_of(tile_for(8192, 8192, 512)), 1) << "short k";
    int cut = 0;
    for (const int multiprocessors : {1, 20, 114, 132})
        for (const std::int64_t m : {1, 136, 700, 2112, 5120})
            for (const std::int64_t n : {64, 1000, 4096, 11008})
                for (const std::int64_t k : {1024, 5000}) {
                    const Sizes s{m, n, k, 1, multiprocessors};
                    const Tile tile = async_tile(s, {.may_turn = true}, false);
                    const int parts = tile.k > 0 ? R9Way::of(tile).parts : 1;
                    if (parts == 1) continue;
                    ++cut;
                    const int down = r9_is_wide(tile) ? 2 : 1;
                    const std::int64_t fit = down > 1 ? r9_clusters(multiprocessors) : multiprocessors,
                                       left = r9_seen(s, tile).tiles(down * tile.m, tile.n) % fit;
                    EXPECT_LE(static_cast<std::size_t>(left * parts * down * tile.m * tile.n * 4),
                              r9_last_wave_bytes(s));
                    EXPECT_TRUE(r9_sums_fit(tile, left * parts, multiprocessors));
                }
    EXPECT_GT(cut, 5);
}

/// 6144 x 4096 across k is 96 tiles of 64 columns, which only two of three multiprocessors would have.
TEST(HeuristicsAsyncSm90, CutsFewRowsTilesWhereTheyGain) {
    const R9Operands across{.b_across = true, .may_turn = true};
    EXPECT_EQ(tile_for(8, 6144, 4096, across), (Tile{64, 64, r9_level_k(4)}));
    EXPECT_EQ(tile_for(33, 6144, 4096, across), (Tile{64, 64, 0})) << "sums of 48 rows cost what is gained";
    EXPECT_EQ(tile_for(8, 8192, 8192, across), (Tile{64, 64, 0})) << "128 tiles are even";
    EXPECT_EQ(tile_for(8, 4096, 14336, across), (Tile{64, 64, r9_level_k(2)}));
    EXPECT_EQ(r9_parts_of(tile_for(128, 4096, 4096)), 2) << "12.8 us by clusters, 14.5 by a kernel behind";
    EXPECT_GT(r9_parts_of(tile_for(128, 4096, 14336)), 1);
    EXPECT_EQ(r9_parts_of(async_tile({8, 6144, 4096, 1, 132}, across, true)), 1) << "one order";
    EXPECT_FALSE(r9_may_cut_last_wave({4096, 128, 4096, 1, 132})) << "attention's heads come in batches";
}

/// Two blocks of a cluster have half of k each: no kernel comes behind.
TEST(HeuristicsAsyncSm90, TwoPartsOfTheOnlyWaveAreAddedByClusters) {
    const Tile halves{128, 128, r9_level_k(2)};
    for (const auto& [m, n, k] : {std::tuple{128, 8192, 28672}, {256, 4096, 4096}, {256, 4096, 14336}})
        for (const bool across : {false, true})
            EXPECT_EQ(tile_for(m, n, k, {.b_across = across}), halves) << m << 'x' << n << 'x' << k;
    EXPECT_EQ(r9_parts_of(async_tile({256, 4096, 4096, 1, 132}, {}, true)), 1) << "one order";
    EXPECT_TRUE(r9_adds_by_pairs(halves, 66, false, 132));
    EXPECT_FALSE(r9_adds_by_pairs(halves, 67, false, 132)) << "a second wave";
    EXPECT_FALSE(r9_adds_by_pairs(halves, 66, true, 132)) << "an old C";
    EXPECT_FALSE(r9_adds_by_pairs({64, 128, r9_level_k(2)}, 66, false, 132)) << "one warpgroup of rows";
}

/// 256 rows by 14336 columns are one wave of 224, or two of 112.
TEST(HeuristicsAsyncSm90, WidthsAreThereThatMakeOneWave) {
    const R9Operands both_across{.a_across = true, .b_across = true, .plain = true};
    EXPECT_EQ(tile_for(256, 14336, 4096), (Tile{128, 224, 0}));
    EXPECT_EQ(tile_for(256, 5120, 5120, both_across), (Tile{128, 192, r9_level_k(2)})) << "54 tiles in two parts";
    EXPECT_FALSE(r9_is_tall(tile_for(512, 13824, 5120, both_across))) << "more than a wave";
    EXPECT_TRUE(r9_is_tall(tile_for(2064, 2064, 2064, both_across))) << "121 tiles";
}

/// Two of 128 x 128 by 178 columns would read the weights twice, out of step.
TEST(HeuristicsAsyncSm90, TurnedTilesOfAFewColumnsAreWhole) {
    EXPECT_EQ(tile_for(178, 11008, 4096, {.b_across = true, .may_turn = true}), (Tile{128, 192, r9_level_k(1, true)}));
}

TEST(HeuristicsAsyncSm90, AProductOfManyIsOneTileWhereItFits) {
    EXPECT_EQ(async_tile({192, 256, 32, 1279, 132}, {}, false).n, 256);
    EXPECT_EQ(async_tile({96, 96, 32, 662, 132}, {}, false).m, 128);
    EXPECT_EQ(async_tile({48, 96, 100, 464, 132}, {}, false), (Tile{64, 64, -1}));
    EXPECT_EQ(async_tile({384, 64, 64, 881, 132}, {}, false), (Tile{64, 64, -1})) << "whose blocks stay";
    EXPECT_EQ(async_tile({384, 32, 48, 62, 132}, {}, false), (Tile{64, 64, -1})) << "not 64 x 32";
    EXPECT_FALSE(r9_are_very_many({128, 128, 64, 132, 132})) << "those that begin together";
}

TEST(HeuristicsAsyncSm90, ADeviceThatCantBeAskedHasOneMultiprocessor) {
    EXPECT_TRUE(r9_possible({}, r9_tile(cube(4096, 1), {}, false)));
    EXPECT_TRUE(r9_possible({}, async_tile(cube(4096, 1), {}, false)));
}

/// Weights of many rows go through registers where few rows of the other operand fill no wide tiles.
TEST(HeuristicsAsyncSm90, FewRowsByLongWeightsAreSeenFromTheWeights) {
    EXPECT_TRUE(along_pays({279, 10240, 8192, 1, 132}));
    EXPECT_TRUE(along_pays({256, 4096, 4096, 1, 132})) << "in two parts";
    EXPECT_FALSE(along_pays({279, 10240, 512, 1, 132})) << "a short k";
    EXPECT_FALSE(along_pays({4096, 4096, 4096, 1, 132})) << "wide tiles are as quick";
    EXPECT_FALSE(along_pays({279, 10240, 8192, 2, 132})) << "no batch was timed";
    EXPECT_EQ(along_tile({5120, 305, 13824, 1, 132}, 1).n, 160) << "the last of 128 would be empty for the most part";
}

/// Few tiles of weights and a long k: a cluster's blocks have a part each, whatever chip is there.
TEST(HeuristicsAsyncSm90, KIsCutWhereAnOperandGoesThroughRegisters) {
    for (const int multiprocessors : {1, 78, 132}) {
        EXPECT_EQ(across_parts({4096, 148, 14336, 1, multiprocessors}, false), 3) << "four are two waves";
        EXPECT_EQ(across_parts({4096, 148, 14336, 1, multiprocessors}, true), 1) << "one order";
        EXPECT_EQ(across_parts({512, 512, 512, 1, multiprocessors}, false), 1) << "comes in batches";
        EXPECT_EQ(across_parts({128, 2048, 2048, 1, multiprocessors}, false), 1) << "a head of attention";
    }
    EXPECT_EQ(across_parts({16384, 4096, 4096, 1, 132}, false), 1);
    EXPECT_EQ(across_parts({5120, 18, 13824, 1, 132}, false), in_shares) << "40 tiles by three parts are two waves";
    EXPECT_EQ(across_parts({5120, 18, 13824, 1, 132}, true), 1) << "one order";
    EXPECT_EQ(across_parts({8192, 24, 8192, 1, 132}, false), 2) << "two parts of 64 tiles are one wave";
    EXPECT_EQ(along_parts({5120, 305, 13824, 1, 132}, false), in_shares);
    const Tile tile = across_tile({4096, 148, 14336, 1, 132}, false, 3);
    EXPECT_TRUE(across_has(tile, 1) && !across_has(tile, 2) && across_parts_of(tile) == 3);
    EXPECT_TRUE(across_cuts({148, 4096, 14336, 1, 132}, Form::row_major, Form::row_major));
    EXPECT_FALSE(across_cuts({8192, 8192, 8192, 1, 132}, Form::row_major, Form::row_major));
}

}  // namespace
}  // namespace tw::cuda::sm90
