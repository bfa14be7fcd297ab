// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which row of a device does a batch in one call: the plan's own, else one that sums in the same order, else none.
#include <gtest/gtest.h>

#include "backend/contract.hpp"
#include "carry/batch.hpp"
#include "plan/registry.hpp"

namespace {

using namespace tw;

bool takes_any(const Call&) { return true; }
bool takes_none(const Call&) { return false; }
constexpr Batching any{takes_any, nullptr}, none{takes_none, nullptr};
constexpr Tile tile{64, 32, 16};

/// Rows of f32, the last one the best, whose products have the order of summation that the test says.
class RowAtOnce : public testing::Test {
protected:
    RowAtOnce() {
        for (Kernel& row : rows_) row = *find_backend("cpu")->ladder.front(), row.batching = nullptr, row.order = 7;
        rows_[0].name = "test.first", rows_[1].name = "test.second", rows_[2].name = "test.third";
        backend_ = {.name = "test",
                    .place = Place::cuda,
                    .ladder = ladder_,
                    .feature_names = {},
                    .features = []() -> Features { return 0; },
                    .devices = [] { return 1; },
                    .absence = [] { return ""; },
                    .select = nullptr,
                    .owns = nullptr,
                    .alloc = nullptr,
                    .free = nullptr,
                    .scratch = nullptr,
                    .copy = nullptr,
                    .finish = nullptr,
                    .wait = nullptr,
                    .async_copies = nullptr};
        plan_.problem = {.m = 4, .n = 5, .k = 6};
        plan_.backend = &backend_;
        plan_.kernel = &rows_[1];
    }
    /// The row that was found, or null.
    const Kernel* found(bool any_of_its_order) const {
        Plan plan;
        if (!row_at_once(plan_, call_, any_of_its_order, plan)) return nullptr;
        EXPECT_EQ(plan.problem.m, 4);
        if (plan.kernel != plan_.kernel) {
            EXPECT_EQ(plan.options.kernel, plan.kernel->name);
        }
        return plan.kernel;
    }

    Kernel rows_[3];
    const Kernel* ladder_[3] = {&rows_[0], &rows_[1], &rows_[2]};
    Backend backend_;
    Plan plan_;
    Call call_{
        .a = {nullptr, Type::f32, 4, 6, 6}, .b = {nullptr, Type::f32, 6, 5, 5}, .c = {nullptr, Type::f32, 4, 5, 5}};
};

TEST_F(RowAtOnce, IsThePlansOwnWhereItTakesTheBatch) {
    rows_[0].batching = rows_[1].batching = rows_[2].batching = &any;
    EXPECT_EQ(found(true), &rows_[1]);
    EXPECT_EQ(found(false), &rows_[1]);
}

TEST_F(RowAtOnce, IsElseTheBestOfItsOrderAndNoneThatWasNotAskedFor) {
    rows_[0].batching = rows_[2].batching = &any;
    EXPECT_EQ(found(true), &rows_[2]);
    EXPECT_EQ(found(false), nullptr) << "the caller named the row";
    rows_[2].order = 8;
    EXPECT_EQ(found(true), &rows_[0]) << "another order has other bits";
    rows_[2].order = 7, rows_[2].batching = &none;
    EXPECT_EQ(found(true), &rows_[0]);
    rows_[2].batching = &any, rows_[2].needs = 1;
    EXPECT_EQ(found(true), &rows_[0]) << "the device lacks what it needs";
    rows_[0].out = Type::f64;
    EXPECT_EQ(found(true), nullptr);
}

TEST_F(RowAtOnce, IsNoneWhereNoneTakesTheBatch) {
    EXPECT_EQ(found(true), nullptr);
    rows_[0].batching = rows_[1].batching = rows_[2].batching = &none;
    EXPECT_EQ(found(true), nullptr);
    EXPECT_EQ(found(false), nullptr);
    rows_[0].batching = rows_[2].batching = &any, rows_[0].order = rows_[1].order = rows_[2].order = 0;
    EXPECT_EQ(found(true), nullptr) << "rows without an order have bits of their own";
}

TEST_F(RowAtOnce, IsNoOthersWhereThePlansCutsK) {
    rows_[0].batching = &any;
    rows_[1].cuts = [](const Problem&) { return true; };
    EXPECT_EQ(found(true), nullptr);
    plan_.options.reproducible = true;
    EXPECT_EQ(found(true), &rows_[0]);
}

TEST_F(RowAtOnce, AppliesAnEpilogueOrDoesNotTakeIt) {
    rows_[0].batching = rows_[1].batching = &any;
    rows_[0].fuses_epilogue = true, rows_[1].fuses_epilogue = false;
    call_.epilogue.scale = 2;
    EXPECT_EQ(found(true), &rows_[0]);
}

TEST_F(RowAtOnce, BringsItsOwnTile) {
    rows_[0].batching = &any;
    rows_[0].tiles = {&tile, 1};
    Plan plan;
    ASSERT_TRUE(row_at_once(plan_, call_, true, plan));
    EXPECT_EQ(plan.tile.m, tile.m);
    rows_[0].tiles = {};
    plan_.tile = tile;
    ASSERT_TRUE(row_at_once(plan_, call_, true, plan));
    EXPECT_EQ(plan.tile.m, 0);
}

}  // namespace
