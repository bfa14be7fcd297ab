// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of host operands in panels, on a device that is late with everything: the bits of the product in one piece.
#include "carry/panels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "base/element.hpp"
#include "carry/execute.hpp"
#include "carry/staging.hpp"
#include "plan/registry.hpp"
#include "rooms/carry/late_device.hpp"
#include "support/random_numbers.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;

constexpr std::size_t ample = std::size_t{1} << 30, ring = 12 * 1024;

/// A matrix with its memory: rows or columns dense or padded, or every second element of every second row.
struct Owned {
    std::vector<std::byte> bytes;
    Matrix view;

    Owned(Type type, std::int64_t rows, std::int64_t cols, Form form = Form::row_major, std::int64_t padding = 0) {
        const std::int64_t gap = form == Form::strided ? 2 : 1;
        const std::int64_t step = (form == Form::col_major ? rows : cols) * gap + padding;
        bytes.resize(static_cast<std::size_t>(step * gap * (form == Form::col_major ? cols : rows)) * size_of(type) +
                     1);
        view = {bytes.data(), type, rows, cols, step * gap, gap};
        if (form == Form::col_major) view.row_step = 1, view.col_step = step;
    }
    Owned(const Owned& other) : bytes(other.bytes), view(other.view) { view.data = bytes.data(); }

    const Owned& fill(unsigned seed, bool whole_numbers) {
        std::mt19937 random(seed);
        for (std::int64_t i = 0; i < view.rows; ++i)
            for (std::int64_t j = 0; j < view.cols; ++j) {
                const double value = std::uniform_real_distribution<>(-4, 4)(random);
                store_element(view, i, j, whole_numbers ? static_cast<int>(value) : value);
            }
        return *this;
    }
};

const Kernel& cpu_kernel(std::string_view name) {
    for (const Kernel* kernel : find_backend("cpu")->ladder)
        if (name == kernel->name) return *kernel;
    ADD_FAILURE() << "no kernel " << name;
    std::abort();
}

struct Product {
    std::int64_t m, n, k;
    Type in = Type::f32, out = Type::f32;
    Form a = Form::row_major, b = Form::row_major, c = Form::row_major;
    std::int64_t padding = 0;
    double alpha = 1, beta = 0;
    bool bias = false, residual = false, whole_numbers = false;
};

class Trial {
public:
    explicit Trial(const Product& p)
        : p_(p),
          kernel_(cpu_kernel(p.in == Type::f64 ? "cpu.r1_naive.f64" : "cpu.r1_naive.f32")),
          a_(p.in, p.m, p.k, p.a, p.padding),
          b_(p.in, p.k, p.n, p.b, p.padding),
          c_(p.out, p.m, p.n, p.c, p.padding),
          bias_(p.out, 1, p.n),
          residual_(p.out, p.m, p.n, Form::col_major, p.padding) {
        a_.fill(1, p.whole_numbers), b_.fill(2, p.whole_numbers), c_.fill(3, p.whole_numbers);
        bias_.fill(4, p.whole_numbers), residual_.fill(5, p.whole_numbers);
        plan_.problem = {.m = p.m, .n = p.n, .k = p.k, .in = p.in, .out = p.out, .a = p.a, .b = p.b, .c = p.c};
        plan_.kernel = &kernel_;
        plan_.backend = find_backend("cpu");
        call_ = {.a = a_.view, .b = b_.view, .c = c_.view, .alpha = p.alpha, .beta = p.beta, .threads = 2};
        if (p.bias)
            call_.epilogue.bias = bias_.view.data, call_.epilogue.bias_type = p.out, call_.epilogue.bias_size = p.n;
        if (p.residual) call_.epilogue.residual = residual_.view;
        if (p.bias) call_.epilogue.activation = Activation::relu;
    }

    /// On the CPU, in one piece.
    std::vector<std::byte> expected() const {
        Owned c = c_;
        Call call = call_;
        call.c = c.view;
        EXPECT_TRUE(run_in_place(plan_, call));
        return c.bytes;
    }

    Plan late_plan() const {
        Plan late = plan_;
        late.backend = &test::late_backend();
        late.kernel = late.backend->ladder[0];
        return late;
    }

    void start(test::LateDevice device) const {
        device.kernel = &kernel_;
        if (device.page_locked == 0) device.page_locked = ring;
        test::start(device);
    }

    /// A copy of C's memory after the product by a cut; empty when it failed.
    std::vector<std::byte> by_cut(const Cut& cut, Status* status = nullptr) const {
        Owned c = c_;
        Call call = call_;
        call.c = c.view;
        const Status ended = run_in_panels(late_plan(), call, cut);
        EXPECT_TRUE(test::is_idle());
        if (status) *status = ended;
        EXPECT_TRUE(ended || status) << ended.text;
        return ended ? c.bytes : std::vector<std::byte>();
    }

    Cut cut(std::size_t memory, bool& exists) const {
        Cut found;
        exists = cut_for(late_plan(), call_, memory, found);
        return found;
    }

    const Call& call() const { return call_; }
    const Owned& c() const { return c_; }

private:
    Product p_;
    const Kernel& kernel_;
    Owned a_, b_, c_, bias_, residual_;
    Plan plan_;
    Call call_;
};

constexpr Product products[] = {
    {.m = 300, .n = 400, .k = 70},
    {.m = 130, .n = 1000, .k = 33, .b = Form::col_major, .padding = 3, .alpha = 0.5, .beta = 2},
    {.m = 1000, .n = 20, .k = 150, .a = Form::col_major, .c = Form::col_major, .beta = -1, .bias = true},
    {.m = 270,
     .n = 260,
     .k = 40,
     .a = Form::strided,
     .b = Form::strided,
     .c = Form::strided,
     .beta = 1,
     .residual = true},
    {.m = 300,
     .n = 300,
     .k = 64,
     .in = Type::bf16,
     .out = Type::bf16,
     .padding = 1,
     .beta = 1,
     .bias = true,
     .residual = true},
    {.m = 300, .n = 300, .k = 64, .in = Type::f16, .out = Type::f32, .b = Form::col_major, .residual = true},
    {.m = 260, .n = 390, .k = 50, .in = Type::f64, .out = Type::f64, .c = Form::col_major, .alpha = -2, .bias = true},
};

TEST(PanelProduct, GivesTheBitsOfOnePieceInAnyMemoryThatIsEnough) {
    for (const Product& p : products) {
        const Trial trial(p);
        const auto expected = trial.expected();
        std::set<std::int64_t> tiles;
        bool exists = true;
        for (std::size_t memory = ample; exists; memory -= memory / 8) {
            trial.start({.memory = memory, .seed = static_cast<unsigned>(memory)});
            const Cut cut = trial.cut(memory, exists);
            if (!exists || cut.k.count > 1) break;
            if (!tiles.insert(cut.tiles() * 10000 + cut.a_slots * 100 + cut.b_slots).second) continue;
            EXPECT_EQ(trial.by_cut(cut), expected)
                << p.m << 'x' << p.n << 'x' << p.k << " in " << cut.tiles() << " tiles";
        }
        EXPECT_GE(tiles.size(), 2u);
    }
}

TEST(PanelProduct, GivesTheBitsOfOnePieceWhenAllPanelsStay) {
    for (const Product& p : products)
        for (const auto& [rows, cols] : {std::pair{1, 3}, {3, 1}, {2, 2}, {2, 3}}) {
            const Trial trial(p);
            Cut cut{.m = {p.m, rows}, .n = {p.n, cols}, .k = {p.k}, .a_slots = rows, .b_slots = cols};
            if (rows > cut.m.most() || cols > cut.n.most() || !test::has_its_turn(3)) continue;
            const auto expected = trial.expected();
            for (const unsigned seed : {1u, 3u}) {
                cut.c_slots = static_cast<int>(seed);
                trial.start({.memory = ample, .seed = seed});
                EXPECT_EQ(trial.by_cut(cut), expected)
                    << p.m << 'x' << p.n << 'x' << p.k << ", " << rows << " and " << cols;
            }
        }
}

TEST(PanelProduct, APanelWaitsForTheTilesThatUseItsPlace) {
    for (const Product& p : products)
        for (const auto& [a_slots, b_slots] : {std::pair{1, 1}, {1, 2}, {2, 1}}) {
            const Trial trial(p);
            Cut cut{.m = {p.m, 2}, .n = {p.n, 3}, .k = {p.k}, .a_slots = a_slots, .b_slots = b_slots, .c_slots = 6};
            if (p.m < 256 || p.n < 256) continue;
            trial.start({.memory = ample, .page_locked = std::size_t{12} << 20, .seed = 7});
            EXPECT_EQ(trial.by_cut(cut), trial.expected())
                << p.m << 'x' << p.n << 'x' << p.k << ", " << a_slots << " and " << b_slots;
        }
}

TEST(PanelProduct, CutsKOnlyWhereNothingElseHelps) {
    const Trial trial({.m = 200,
                       .n = 140,
                       .k = 1500,
                       .padding = 5,
                       .alpha = 2,
                       .beta = 3,
                       .bias = true,
                       .residual = true,
                       .whole_numbers = true});
    const auto expected = trial.expected();
    int cuts = 0;
    bool exists = true;
    for (std::size_t memory = ample; exists; memory -= memory / 4) {
        trial.start({.memory = memory});
        const Cut cut = trial.cut(memory, exists);
        if (!exists || cut.k.count == 1) continue;
        EXPECT_EQ(cut.m.count, cut.m.most());
        EXPECT_EQ(cut.n.count, cut.n.most());
        EXPECT_EQ(trial.by_cut(cut), expected) << cut.k.count << " slabs";
        ++cuts;
    }
    EXPECT_GE(cuts, 2);

    const Trial narrow({.m = 200, .n = 140, .k = 1500, .in = Type::bf16, .out = Type::bf16});
    narrow.start({.memory = ample});
    for (exists = true; exists;) {
        const Cut cut = narrow.cut(std::size_t{1} << 17, exists);
        EXPECT_EQ(cut.k.count, 1);
    }
}

TEST(PanelProduct, PageLockedOperandsNeedNoRing) {
    for (const Product& p : products) {
        const Trial trial(p);
        const Cut cut{.m = {p.m, 2}, .n = {p.n, 1}, .k = {p.k}, .a_slots = 2};
        if (p.m < 256) continue;
        for (const void* locked : {trial.call().a.data, trial.call().b.data}) {
            trial.start({.memory = ample, .locked = locked});
            EXPECT_EQ(trial.by_cut(cut), trial.expected());
        }
    }
}

TEST(PanelProduct, AFailureAnywhereIsToldAndLeavesNothingBehind) {
    const Product p{.m = 300, .n = 300, .k = 40, .beta = 1, .bias = true, .residual = true};
    const Trial trial(p);
    const Cut cut{.m = {p.m, 2}, .n = {p.n, 2}, .k = {p.k}, .a_slots = 2, .b_slots = 2, .c_slots = 2};
    trial.start({.memory = ample});
    const auto right = trial.by_cut(cut);
    const int calls = test::calls_for_work();
    ASSERT_GT(calls, 50);
    for (int failing = 1; failing <= calls; failing += failing < 30 ? 1 : 23) {
        if (!test::has_its_turn(4)) continue;
        trial.start({.memory = ample, .failing_call = failing});
        Status status;
        trial.by_cut(cut, &status);
        EXPECT_FALSE(status) << failing;
        EXPECT_EQ(status.code, Code::device_failed);
        trial.start({.memory = ample});
        EXPECT_EQ(trial.by_cut(cut), right);
    }
}

TEST(PanelProduct, StagingTakesPanelsWhereTheWholeHasNoRoom) {
    const Product p{.m = 600, .n = 500, .k = 300, .bias = true};
    const Trial trial(p);
    const auto expected = trial.expected();
    for (const std::size_t memory : {ample, std::size_t{1} << 20}) {
        trial.start({.memory = memory});
        Owned c = trial.c();
        Call call = trial.call();
        call.c = c.view;
        EXPECT_TRUE(run_staged(trial.late_plan(), call));
        EXPECT_EQ(c.bytes, expected);
    }
    trial.start({.memory = 1000});
    const Status status = run_staged(trial.late_plan(), trial.call());
    EXPECT_EQ(status.code, Code::out_of_memory);
}

TEST(PanelProduct, EveryTileComesOnceWhateverTheCut) {
    for (const auto& [rows, cols] : {std::pair{1, 1}, {5, 1}, {1, 6}, {4, 4}, {3, 7}, {7, 3}})
        for (const int a_slots : {1, 2, 3, 7})
            for (const int b_slots : {1, 2, 7})
                for (const bool a_stays : {true, false}) {
                    const Cut cut{.m = {1280, rows},
                                  .n = {1280, cols},
                                  .k = {64},
                                  .a_slots = a_slots,
                                  .b_slots = b_slots,
                                  .a_stays = a_stays};
                    TileOrder order(cut);
                    std::set<std::pair<std::int64_t, std::int64_t>> seen;
                    std::int64_t i = 0, j = 0, tiles = 0;
                    for (; order.next(i, j); ++tiles) {
                        ASSERT_TRUE(i >= 0 && i < rows && j >= 0 && j < cols);
                        seen.insert({i, j});
                    }
                    EXPECT_EQ(tiles, cut.tiles());
                    EXPECT_EQ(seen.size(), static_cast<std::size_t>(cut.tiles()));
                }
}

TEST(PanelProduct, PiecesCoverTheExtent) {
    for (const std::int64_t extent : {1, 127, 128, 1000, 2048, 8192, 100003})
        for (std::int64_t count = 1; count <= (extent + 127) / 128; count = count * 2 + 1) {
            const Pieces pieces{extent, count};
            EXPECT_EQ(pieces.begin(0), 0);
            EXPECT_EQ(pieces.begin(count), extent);
            for (std::int64_t i = 0; i < count; ++i) {
                EXPECT_GT(pieces.size(i), 0) << extent << " in " << count;
                EXPECT_LE(pieces.size(i), pieces.largest());
                EXPECT_EQ(pieces.begin(i) % 128, 0);
            }
        }
}

}  // namespace
