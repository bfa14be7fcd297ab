// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What few_steps, few_steps_mma and r7's little tile are reckoned to take, on paper.
#include "backend/cuda/few/heuristics_inside.hpp"

#include <gtest/gtest.h>

#include "backend/cuda/few/heuristics_mma.hpp"
#include "backend/cuda/few/heuristics_steps.hpp"
#include "backend/cuda/few/little_tiles.hpp"
#include "backend/cuda/tiles/heuristics_hierarchical.hpp"

namespace tw::cuda {
namespace {

Problem of(std::int64_t m, std::int64_t n, std::int64_t k, Accuracy accuracy = fp32) {
    return {.m = m, .n = n, .k = k, .place = Place::cuda, .accuracy = accuracy};
}

TEST(HeuristicsInside, ALongerKAndRowsThatBeginAnywhereTakeLonger) {
    EXPECT_LT(inside::steps::alone_nanoseconds(of(4096, 4096, 64)),
              inside::steps::alone_nanoseconds(of(4096, 4096, 128)));
    EXPECT_LT(inside::steps::alone_nanoseconds(of(4096, 4096, 64)),
              inside::steps::alone_nanoseconds(of(4096, 4095, 64)));
    Problem along = of(4096, 4096, 64);
    along.b = Form::col_major;
    EXPECT_LT(inside::steps::alone_nanoseconds(along), inside::steps::alone_nanoseconds(of(4096, 4096, 64)));
}

TEST(HeuristicsInside, TilesAreAsNarrowAsAProductIs) {
    EXPECT_EQ(inside::quickest({512, 16, 32, 100, 132}).tile.n, 32);
    EXPECT_EQ(inside::quickest({4096, 4096, 64, 1, 132}).tile.n, 64);
}

TEST(HeuristicsInside, FewStepsCutsALongKOfFewTiles) {
    const auto parts = [](std::int64_t m, std::int64_t n, std::int64_t k) {
        return inside::steps::cut_of(of(m, n, k), 132).parts;
    };
    EXPECT_GT(parts(64, 1024, 1024), 2);
    EXPECT_GT(parts(345, 128, 1152), 2);
    EXPECT_EQ(parts(256, 256, 256), 1) << "a batch's products have the bits of each alone";
    EXPECT_EQ(parts(1024, 64, 1024), 1) << "a head";
    EXPECT_EQ(parts(64, 4096, 14336), 1) << "long weights";
    EXPECT_EQ(parts(4096, 4096, 1000), 1) << "the chip is full";
    EXPECT_EQ(parts(200, 300, 0), 1);
}

TEST(HeuristicsInside, FewStepsMmaHasTilesForFewAndForMany) {
    const auto tile = [](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t products) {
        return inside::mma::quickest({m, n, k, products, 132}, {}, 1).tile;
    };
    EXPECT_EQ(tile(100, 48, 192, 30).m, 32);
    EXPECT_EQ(tile(48, 16, 512, 1049).n, 32);
    EXPECT_EQ(tile(100, 256, 128, 589).m, 128);
    Problem aligned = of(300, 300, 40, tf32), odd = of(300, 301, 40, tf32);
    EXPECT_LT(inside::mma::nanoseconds(aligned) * 2, inside::mma::nanoseconds(odd)) << "comes in batches";
    aligned.b = Form::col_major;
    EXPECT_GT(inside::mma::nanoseconds(aligned), inside::mma::nanoseconds(odd)) << "r9 reads it as it lies";
}

TEST(HeuristicsInside, FewStepsMmaCutsALongKOfFewTiles) {
    const auto parts = [](std::int64_t m, std::int64_t n, std::int64_t k, Form a = Form::row_major) {
        Problem p = of(m, n, k, tf32);
        p.a = a;
        return inside::mma::parts_of(p);
    };
    EXPECT_GT(parts(640, 128, 1152, Form::col_major), 2);
    EXPECT_GT(parts(244, 244, 244), 1);
    EXPECT_EQ(parts(256, 256, 256), 1) << "a batch's products have the bits of each alone";
    EXPECT_EQ(parts(1024, 64, 1024), 1) << "a head";
    EXPECT_EQ(parts(32, 5120, 13824), 1) << "long weights";
    EXPECT_EQ(parts(200, 300, 0), 1);
    EXPECT_EQ(parts(4096, 4096, 1000), 1) << "the chip is full";
    EXPECT_EQ(parts(100, 100, 50), 1) << "hardly any stages";
}

TEST(HeuristicsInside, LittleTilesAreForFewTilesOfWhatMayBeMany) {
    const auto sizes = [](const Problem& p) { return sm90::Sizes{p.m, p.n, p.k, 1, 132}; };
    const auto time = [&](const Problem& p) { return little::nanoseconds(p, sizes(p)); };
    EXPECT_LT(time(of(128, 128, 128)), time(of(240, 240, 240)));
    EXPECT_LT(time(of(300, 300, 300)), 1e4);
    EXPECT_GT(time(of(349, 1024, 256)), 1e9) << "too many tiles";
    EXPECT_GT(time(of(16, 128, 128)), 1e9) << "few rows";
    EXPECT_GT(time(of(300, 300, 3000)), 1e9) << "a long k";
    EXPECT_GT(time(of(128, 128, 128, tf32)), 1e9) << "r9's";
    EXPECT_FALSE(little::is_quicker({128, 128, 128, 100, 132})) << "a batch fills the chip";
}

TEST(HeuristicsInside, R7sTilesOfAShortK) {
    const sm90::Sizes longer{4096, 4096, 128, 1, 132}, shorter{4096, 4096, 48, 1, 132};
    EXPECT_EQ(hierarchical_tile(longer, false, true, false), sm90::R7::wide);
    EXPECT_EQ(hierarchical_tile(longer, false, false, false), sm90::R7::middle);
    EXPECT_EQ(hierarchical_tile(shorter, false, true, false), sm90::R7::small);
    EXPECT_EQ(hierarchical_tile(shorter, true, true, false), sm90::R7::wide);
    EXPECT_EQ(hierarchical_tile(longer, true, false, true), sm90::R7::small) << "C's rows begin anywhere";
}

}  // namespace
}  // namespace tw::cuda
