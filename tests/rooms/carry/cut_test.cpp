// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A cut covers the product once, fits the memory that it was made for, and sends what stays only once.
#include "carry/cut.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/registry.hpp"

namespace {

using namespace tw;

TEST(Pieces, CoverTheExtentInNearlyEqualPartsFromMultiplesOf128) {
    for (const std::int64_t extent : {1, 127, 128, 129, 1000, 4096, 5000, 100000})
        for (std::int64_t count = 1; count <= Pieces{extent}.most(); count += 1 + count / 3) {
            const Pieces pieces{extent, count};
            EXPECT_EQ(pieces.begin(0), 0);
            EXPECT_EQ(pieces.begin(count), extent);
            std::int64_t largest = 0, smallest = extent;
            for (std::int64_t i = 0; i < count; ++i) {
                EXPECT_EQ(pieces.begin(i) % Pieces::unit, 0) << extent << " in " << count;
                EXPECT_GT(pieces.size(i), 0) << extent << " in " << count;
                largest = std::max(largest, pieces.size(i));
                if (pieces.size(i) != pieces.largest()) {
                    const auto sizes = pieces.sizes();
                    EXPECT_NE(std::find(sizes.begin(), sizes.end(), pieces.size(i)), sizes.end()) << pieces.size(i);
                }
                if (i + 1 < count) smallest = std::min(smallest, pieces.size(i));  // the last one ends at the edge
            }
            EXPECT_LE(largest, pieces.largest()) << extent << " in " << count;
            EXPECT_LE(pieces.largest() - smallest, Pieces::unit) << extent << " in " << count;
        }
}

using Tiles = std::vector<std::pair<std::int64_t, std::int64_t>>;

Tiles in_order(const Cut& cut) {
    Tiles tiles;
    TileOrder order(cut);
    for (std::int64_t i, j; order.next(i, j);) tiles.emplace_back(i, j);
    return tiles;
}

Cut grid(std::int64_t rows, std::int64_t cols, int a_slots, int b_slots, bool a_stays) {
    Cut cut{.m = {rows * Pieces::unit, rows}, .n = {cols * Pieces::unit, cols}, .k = {64, 1}};
    cut.a_slots = a_slots, cut.b_slots = b_slots, cut.a_stays = a_stays;
    return cut;
}

TEST(TileOrder, TellsEveryTileOnce) {
    for (const std::int64_t rows : {1, 2, 3, 7})
        for (const std::int64_t cols : {1, 2, 5, 8})
            for (const int slots : {1, 2, 3, 8})
                for (const bool a_stays : {false, true}) {
                    const Tiles tiles = in_order(grid(rows, cols, slots, slots, a_stays));
                    const std::set<std::pair<std::int64_t, std::int64_t>> different(tiles.begin(), tiles.end());
                    EXPECT_EQ(tiles.size(), static_cast<std::size_t>(rows * cols)) << rows << " x " << cols;
                    EXPECT_EQ(different.size(), tiles.size()) << rows << " x " << cols << ", " << slots << " slots";
                    EXPECT_TRUE(std::all_of(tiles.begin(), tiles.end(), [&](const auto& tile) {
                        return tile.first >= 0 && tile.first < rows && tile.second >= 0 && tile.second < cols;
                    }));
                }
}

// A device that holds everything computes all tiles of the panels that have come before it waits for another panel.
TEST(TileOrder, WhereAllPanelsFitNoTileWaitsForALaterPanel) {
    std::int64_t panels = 0;
    for (const auto& [i, j] : in_order(grid(5, 3, 5, 3, true))) {
        EXPECT_GE(std::max(i, j) + 1, panels);
        panels = std::max(i, j) + 1;
    }
}

TEST(TileOrder, SmallGridsAreWalkedLikeThis) {
    EXPECT_EQ(in_order(grid(2, 3, 2, 3, true)), (Tiles{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {1, 2}}));
    EXPECT_EQ(in_order(grid(3, 2, 3, 2, true)), (Tiles{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}));
    EXPECT_EQ(in_order(grid(3, 2, 2, 1, true)), (Tiles{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 1}, {2, 0}}));
    EXPECT_EQ(in_order(grid(2, 3, 1, 2, false)), (Tiles{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {0, 2}}));
}

TEST(TileOrder, WhatStaysIsSentOnceAndWhatPassesTurnsRound) {
    for (const bool a_stays : {false, true}) {
        std::int64_t stays_until = 0, last = -1;
        for (const auto& [i, j] : in_order(grid(6, 6, 2, 2, a_stays))) {
            const std::int64_t stays = a_stays ? i : j, passes = a_stays ? j : i;
            EXPECT_GE(stays / 2, stays_until) << "a group that has gone comes back";
            if (stays / 2 > stays_until) {
                EXPECT_EQ(passes, last) << "the panel that is there is used first";
            }
            stays_until = stays / 2, last = passes;
        }
    }
}

class Cuts : public testing::Test {
protected:
    Plan plan_of(std::int64_t m, std::int64_t n, std::int64_t k, Type out = Type::f32) {
        call_ = {.a = {nullptr, Type::f32, m, k, k}, .b = {nullptr, Type::f32, k, n, n}, .c = {nullptr, out, m, n, n}};
        Plan plan;
        plan.problem = {.m = m, .n = n, .k = k, .out = out};
        plan.backend = find_backend("cpu");
        plan.kernel = plan.backend->ladder.front();
        return plan;
    }
    Call call_;
};

TEST_F(Cuts, FitTheMemoryThatTheyAreMadeFor) {
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{20000, 20000, 20000}, {300, 100000, 4096}, {1, 1, 1}}) {
        const Plan plan = plan_of(m, n, k);
        int made = 0;
        for (std::size_t memory = std::size_t{1} << 34; memory >= std::size_t{1} << 18; memory /= 2) {
            Cut cut;
            if (!cut_for(plan, call_, memory, cut)) continue;
            ++made;
            EXPECT_LE(device_bytes(cut, plan, call_), memory) << m << " x " << n << " x " << k;
            EXPECT_EQ(cut.m.begin(cut.m.count), m);
            EXPECT_EQ(cut.n.begin(cut.n.count), n);
            EXPECT_EQ(cut.k.begin(cut.k.count), k);
        }
        EXPECT_GT(made, 10) << m << " x " << n << " x " << k;
    }
}

TEST_F(Cuts, WithLessMemorySendNoLess) {
    const Plan plan = plan_of(16384, 16384, 16384);
    Cut ample, scarce;
    ASSERT_TRUE(cut_for(plan, call_, std::size_t{1} << 33, ample));
    ASSERT_TRUE(cut_for(plan, call_, std::size_t{1} << 30, scarce));
    EXPECT_TRUE(ample.holds_all());
    EXPECT_FALSE(scarce.holds_all());
    EXPECT_EQ(scarce.k.count, 1) << "there is room for panels of whole k";
}

std::string spelled(const Cut& cut) {
    const auto text = [](std::int64_t number) { return std::to_string(number) + " "; };
    return text(cut.m.count) + text(cut.n.count) + text(cut.k.count) + "slots " + text(cut.a_slots) +
           text(cut.b_slots) + text(cut.c_slots) + (cut.a_stays ? "A stays" : "B stays");
}

// How C is cut, what lies on the device, and which operand stays: what the rule gives, kept, so that it changes by
// intent alone.
TEST_F(Cuts, OfTheseProductsAreThese) {
    struct Known {
        std::int64_t m, n, k;
        std::size_t mebibytes;
        const char* cut;
    };
    for (const Known& known : {Known{1, 1, 1, 1, "1 1 1 slots 1 1 1 A stays"},
                               {2047, 8192, 64, 4096, "1 4 1 slots 1 4 4 A stays"},
                               {8192, 8191, 4096, 4096, "4 3 1 slots 4 3 12 A stays"},
                               {9000, 20000, 16384, 400, "8 16 1 slots 3 2 4 A stays"},
                               {9000, 30000, 16384, 1000, "4 7 1 slots 2 2 4 B stays"},
                               {40000, 30000, 256, 16000, "9 7 1 slots 9 7 16 A stays"},
                               {300000, 2000, 64, 16000, "73 1 1 slots 2 1 4 B stays"},
                               {300000, 300000, 64, 3000, "73 73 1 slots 64 2 4 A stays"},
                               {16384, 16384, 16384, 1024, "8 4 1 slots 2 2 4 B stays"},
                               {16384, 8192, 16384, 600, "8 4 1 slots 2 2 4 B stays"},
                               {8192, 16384, 16384, 600, "4 8 1 slots 2 2 4 A stays"},
                               {16384, 16384, 16384, 100, "64 32 1 slots 2 2 4 B stays"},
                               {16384, 16384, 16384, 20, "128 128 2 slots 2 2 2 A stays"},
                               {1000, 1000, 100000, 100, "8 8 2 slots 2 2 2 A stays"},
                               {1000, 1000, 100000, 2, "8 8 128 slots 2 2 2 A stays"},
                               {300, 500, 1000000, 3, "3 4 1024 slots 2 2 2 A stays"}}) {
        const Plan plan = plan_of(known.m, known.n, known.k);
        Cut cut;
        ASSERT_TRUE(cut_for(plan, call_, known.mebibytes << 20, cut));
        EXPECT_EQ(spelled(cut), known.cut) << known.m << " " << known.n << " " << known.k << " " << known.mebibytes;
    }
}

TEST_F(Cuts, TakeThePanelsTheTilesTheBiasAndTheKernelsScratch) {
    Plan plan = plan_of(2000, 3000, 1000);
    const Cut cut{.m = {2000, 4}, .n = {3000, 2}, .k = {1000, 2}, .a_slots = 2, .b_slots = 3, .c_slots = 5};
    EXPECT_EQ(cut.m.largest(), 512);
    EXPECT_EQ(cut.n.largest(), 1536);
    EXPECT_EQ(cut.k.largest(), 512);
    const std::size_t panels = 4 * (2 * 512 * 512 + 3 * 512 * 1536), tiles = 5 * 4 * 512 * 1536;
    EXPECT_EQ(device_bytes(cut, plan, call_), panels + tiles) << "naive kernels have no scratch";
    std::vector<float> bias(3000);
    call_.epilogue.bias = bias.data(), call_.epilogue.bias_type = Type::f32, call_.epilogue.bias_size = 3000;
    EXPECT_EQ(device_bytes(cut, plan, call_), panels + tiles + 12032) << "in whole lines";
    call_.epilogue.residual = {bias.data(), Type::f64, 2000, 3000, 0, 1};
    EXPECT_EQ(device_bytes(cut, plan, call_), panels + 3 * tiles + 12032);
    static Kernel scratching = *plan.kernel;
    scratching.scratch_bytes = [](const Problem& p, const Tile&, int) {
        return static_cast<std::size_t>(p.m == 512 && p.n < 1536 ? 999 : p.k);
    };
    plan.kernel = &scratching;
    EXPECT_EQ(device_bytes(cut, plan, call_), panels + 3 * tiles + 12032 + 1024) << "the most that any tile wants";
}

TEST_F(Cuts, FitExactly) {
    const Plan plan = plan_of(5000, 4000, 3000);
    Cut cut, again;
    ASSERT_TRUE(cut_for(plan, call_, std::size_t{64} << 20, cut));
    ASSERT_TRUE(cut_for(plan, call_, device_bytes(cut, plan, call_), again));
    EXPECT_EQ(spelled(again), spelled(cut));
    ASSERT_TRUE(cut_for(plan, call_, device_bytes(cut, plan, call_) - 1, again));
    EXPECT_NE(spelled(again), spelled(cut));
}

// Between slabs of k the sum lies in C: where C is narrower than a sum, too little memory is told.
TEST_F(Cuts, CutKOnlyWhereCHoldsASum) {
    constexpr std::size_t little = std::size_t{2} << 20;
    Cut cut;
    const Plan wide = plan_of(1000, 1000, 100000);
    ASSERT_TRUE(cut_for(wide, call_, little, cut));
    EXPECT_GT(cut.k.count, 1);
    const Plan narrow = plan_of(1000, 1000, 100000, Type::bf16);
    EXPECT_FALSE(cut_for(narrow, call_, little, cut));
}

}  // namespace
