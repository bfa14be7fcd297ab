// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which row of a device does a batch in one call: the plan's own, else one that sums in the same order, else none. And
// how many calls it is.
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

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

/// What one call of the kernel was given.
struct Piece {
    std::int64_t products, first_a, first_b, first_c;
    std::size_t scratch;
    bool operator==(const Piece&) const = default;
};
std::vector<Piece> pieces;
std::size_t bytes_of_a_product;
int failing_piece;
float a[6000], b[30], c[4000];

/// A batch of 2 x 3 matrices that share B, so many bytes of scratch each, into as few calls as fit half a GiB.
class ExecuteAtOnce : public RowAtOnce {
protected:
    ExecuteAtOnce() {
        pieces.clear(), bytes_of_a_product = 0, failing_piece = -1;
        static constexpr Batching counted{takes_any, [](const Problem&, const Tile&, const Batch& batch) {
                                              return static_cast<std::size_t>(batch.size) * bytes_of_a_product;
                                          }};
        rows_[1].batching = &counted;
        rows_[1].run = [](const Call& call, const Tile&) -> Status {
            pieces.push_back({call.batch->size, static_cast<const float*>(call.a.data) - a,
                              static_cast<const float*>(call.b.data) - b, static_cast<const float*>(call.c.data) - c,
                              call.scratch.size()});
            if (static_cast<int>(pieces.size()) - 1 != failing_piece) return {};
            return {Code::device_failed, Argument::none, "planted"};
        };
        backend_.scratch = [](std::size_t bytes, void*) -> std::span<std::byte> {  // nobody writes to it
            static std::byte first;
            return {&first, bytes};
        };
    }
    Status run(std::int64_t size) {
        const Batch batch{.size = size, .a_step = 6, .b_step = 0, .c_step = 4};
        const Products products{{a, Type::f32, 2, 3, 3}, {b, Type::f32, 3, 2, 2}, {c, Type::f32, 2, 2, 2}, {}, batch};
        return execute_at_once(plan_, products);
    }
};

TEST_F(ExecuteAtOnce, IsOneCallWhereItsScratchFits) {
    bytes_of_a_product = 1 << 20;
    ASSERT_TRUE(run(512));
    EXPECT_EQ(pieces, (std::vector<Piece>{{512, 0, 0, 0, std::size_t{512} << 20}}));
}

TEST_F(ExecuteAtOnce, GoesInHalvesElse) {
    bytes_of_a_product = 1 << 20;
    ASSERT_TRUE(run(513));
    EXPECT_EQ(pieces, (std::vector<Piece>{{257, 0, 0, 0, std::size_t{257} << 20},
                                          {256, 257 * 6, 0, 257 * 4, std::size_t{256} << 20}}));
    pieces.clear(), bytes_of_a_product = std::size_t{1} << 30;
    ASSERT_TRUE(run(3));
    EXPECT_EQ(pieces, (std::vector<Piece>{{1, 0, 0, 0, bytes_of_a_product},
                                          {1, 6, 0, 4, bytes_of_a_product},
                                          {1, 12, 0, 8, bytes_of_a_product}}))
        << "one product may take more";
}

TEST_F(ExecuteAtOnce, TakesEachPiecesPointers) {
    bytes_of_a_product = std::size_t{1} << 29;
    const void* const in[] = {a, a + 12, a + 6};
    const void* const with[] = {b + 6, b, b + 12};
    void* const out[] = {c + 8, c, c + 4};
    const Batch batch{.size = 3, .a = in, .b = with, .c = out};
    const Products products{{a, Type::f32, 2, 3, 3}, {b, Type::f32, 3, 2, 2}, {c, Type::f32, 2, 2, 2}, {}, batch};
    static std::vector<std::array<const void*, 3>> given;
    given.clear();
    rows_[1].run = [](const Call& call, const Tile&) -> Status {
        given.push_back({*call.batch->a, *call.batch->b, *call.batch->c});
        EXPECT_EQ(call.a.data, *call.batch->a);
        EXPECT_EQ(call.b.data, *call.batch->b);
        EXPECT_EQ(call.c.data, *call.batch->c);
        return {};
    };
    ASSERT_TRUE(execute_at_once(plan_, products));
    ASSERT_EQ(given.size(), 3u);
    for (std::size_t p = 0; p < 3; ++p) EXPECT_EQ(given[p], (std::array<const void*, 3>{in[p], with[p], out[p]})) << p;
}

TEST_F(ExecuteAtOnce, TellsTheFirstProductOfThePieceThatFails) {
    bytes_of_a_product = 1 << 20;
    for (const int piece : {0, 1}) {
        pieces.clear(), failing_piece = piece;
        const Status status = run(1000);
        EXPECT_EQ(status.code, Code::device_failed);
        EXPECT_EQ(status.product, 500 * piece);
        EXPECT_EQ(static_cast<int>(pieces.size()), piece + 1) << "nothing goes on after it";
    }
    pieces.clear();
    backend_.scratch = [](std::size_t, void*) { return std::span<std::byte>(); };
    const Status status = run(1000);
    EXPECT_EQ(status.code, Code::out_of_memory);
    EXPECT_EQ(status.product, 0);
    EXPECT_TRUE(pieces.empty());
}

TEST_F(ExecuteAtOnce, SelectsThePlansDeviceFirst) {
    static int selected;
    selected = -1;
    backend_.select = [](int device) -> Status {
        selected = device;
        if (device == 2) return {Code::no_device, Argument::options, "planted"};
        return {};
    };
    plan_.device = 1;
    ASSERT_TRUE(run(2));
    EXPECT_EQ(selected, 1);
    EXPECT_EQ(pieces.size(), 1u);
    plan_.device = 2;
    EXPECT_EQ(run(2).code, Code::no_device);
    EXPECT_EQ(pieces.size(), 1u);
}

/// Products that are done one by one, by one thread or by several.
using ExecuteBatch = RowAtOnce;

TEST_F(ExecuteBatch, TellsTheProductThatFails) {
    static const void* failing;
    rows_[1].scratch_bytes = nullptr;
    rows_[1].run = [](const Call& call, const Tile&) -> Status {
        if (call.a.data != failing) return {};
        return {Code::device_failed, Argument::none, "planted"};
    };
    const Batch batch{.size = 5, .a_step = 6, .b_step = 0, .c_step = 4};
    const Products products{{a, Type::f32, 2, 3, 3}, {b, Type::f32, 3, 2, 2}, {c, Type::f32, 2, 2, 2}, {}, batch};
    plan_.problem = {.m = 2, .n = 2, .k = 3};
    for (const int threads : {1, 3}) {
        for (int product = 0; product < 5; ++product) {
            failing = a + 6 * product;
            const Status status = execute_batch(plan_, products, threads);
            EXPECT_EQ(status.code, Code::device_failed);
            EXPECT_EQ(status.product, product) << threads << " threads";
        }
        failing = nullptr;
        EXPECT_TRUE(execute_batch(plan_, products, threads));
    }
}

}  // namespace
