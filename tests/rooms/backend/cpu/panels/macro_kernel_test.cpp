// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The five loops round a plain kernel of panels: whatever the shape, the blocks and the threads, every tile of C gets
// every block of k once, and no more scratch is written than was asked for.
#include "backend/cpu/panels/macro_kernel.hpp"

#include "backend/cpu/panels/cells.hpp"
#include "backend/cpu/panels/shared_panels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "reference/fill.hpp"
#include "reference/random.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;
using namespace tw::cpu;

constexpr int mr = 4, nr = 6;
std::atomic<int> wrong_tiles, tiles;

float& number(const Matrix& of, std::int64_t i, std::int64_t j) { return *static_cast<float*>(of.at(i, j)); }

/// Panels of `width` lines, step by step of k; lines that are not there are 0.
void pack(const Matrix& lines, std::byte* panels, std::size_t room, int width) {
    for (std::int64_t first = 0; first < lines.rows; first += width, panels += room)
        for (std::int64_t p = 0; p < lines.cols; ++p)
            for (int r = 0; r < width; ++r)
                reinterpret_cast<float*>(panels)[p * width + r] =
                    first + r < lines.rows ? number(lines, first + r, p) : 0;
}

void multiply(const PanelTile& t) {
    ++tiles;
    if (t.c.rows < 1 || t.c.cols < 1 || t.c.rows > mr || t.c.cols > nr || t.width != nr) ++wrong_tiles;
    const auto* a = reinterpret_cast<const float*>(t.a);
    const auto* b = reinterpret_cast<const float*>(t.b);
    for (std::int64_t i = 0; i < t.c.rows; ++i)
        for (std::int64_t j = 0; j < t.c.cols; ++j) {
            float sum = t.chunk.is_first() ? 0 : t.chunk.partial[i * nr + j];
            for (std::int64_t p = t.chunk.from; p < t.chunk.to(); ++p) sum += a[p * mr + i] * b[p * nr + j];
            if (!t.chunk.is_last()) {
                t.chunk.partial[i * nr + j] = sum;
                continue;
            }
            float& c = number(t.c, i, j);
            c = static_cast<float>(t.alpha) * sum + (t.beta == 0 ? 0 : static_cast<float>(t.beta) * c);
        }
}

PanelKernel plain_kernel() {
    return {
        .mr = mr,
        .nr = nr,
        .k_block = [](std::int64_t k) { return std::min<std::int64_t>(k, 16); },
        .panel_bytes = [](int width, std::int64_t k) { return static_cast<std::size_t>(width * k) * sizeof(float); },
        .pack_a = [](const Matrix& rows, std::byte* panel, std::size_t room) { pack(rows, panel, room, mr); },
        .pack_b = [](const Matrix& cols, std::byte* panel,
                     std::size_t room) { pack(cols.transposed(), panel, room, nr); },
        .multiply = multiply};
}

std::vector<PanelKernel> kernels() {
    std::vector<PanelKernel> made(4, plain_kernel());
    made[1].chunk = [](std::int64_t) -> std::int64_t { return 5; };
    made[2].panels_at_once = 2;
    made[3].walks_rows = true;
    return made;
}

struct Operands {
    std::vector<float> a, b, c;
    Call call;

    Operands(std::int64_t m, std::int64_t n, std::int64_t k, bool columns_of_c)
        : a(static_cast<std::size_t>(m * k)),
          b(static_cast<std::size_t>(k * n)),
          c(static_cast<std::size_t>(m * n), 2) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
        call = {
            .a = {a.data(), Type::f32, m, k, k}, .b = {b.data(), Type::f32, k, n, n}, .c = {}, .alpha = 2, .beta = -1};
        call.c = {c.data(), Type::f32, m, n, columns_of_c ? 1 : n, columns_of_c ? m : 1};
    }
    void expect_product() const {
        for (std::int64_t i = 0; i < call.m(); ++i)
            for (std::int64_t j = 0; j < call.n(); ++j) {
                float sum = 0;
                for (std::int64_t p = 0; p < call.k(); ++p) sum += number(call.a, i, p) * number(call.b, p, j);
                ASSERT_EQ(number(call.c, i, j), 2 * sum - 2) << "at " << i << ", " << j;
            }
    }
};

/// By one thread's loops, or by those of several, however small the product.
std::size_t scratch_bytes(const PanelKernel& kernel, const Problem& problem, const Tile& blocks, int threads) {
    return threads == 1 ? hierarchy_scratch_bytes(kernel, problem, blocks, 1)
                        : shared_panels_bytes(kernel, problem, blocks, threads);
}
Status run(const PanelKernel& kernel, const Call& call, const Tile& blocks) {
    return call.threads == 1 ? run_hierarchy(kernel, call, blocks) : run_on_shared_panels(kernel, call, blocks);
}

TEST(MacroKernel, EveryTileGetsEveryBlockOfKOnce) {
    constexpr std::int64_t shapes[][3] = {{1, 1, 1}, {4, 6, 16}, {5, 7, 17}, {33, 50, 40}, {3, 100, 33}, {64, 5, 48}};
    constexpr Tile blocks[] = {{4, 6, 16}, {8, 12, 16}, {12, 30, 16}, {400, 600, 16}};
    for (const PanelKernel& kernel : kernels())
        for (const auto& [m, n, k] : shapes)
            for (const Tile& block : blocks)
                for (const int threads : {1, 2, 5})
                    for (const bool columns_of_c : {false, true}) {
                        SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << " by " << block.m << " x "
                                                        << block.n << ", " << threads << " threads");
                        Operands x(m, n, k, columns_of_c);
                        const Problem problem{.m = m, .n = n, .k = k};
                        const std::size_t bytes = scratch_bytes(kernel, problem, block, threads);
                        constexpr std::byte untouched{0x5a};
                        std::vector<std::byte> scratch(bytes + 256, untouched);
                        x.call.scratch = std::span(scratch).first(bytes);
                        x.call.threads = threads;
                        tiles = wrong_tiles = 0;
                        ASSERT_TRUE(run(kernel, x.call, block));
                        x.expect_product();
                        EXPECT_EQ(wrong_tiles, 0);
                        EXPECT_GT(tiles, 0);
                        EXPECT_TRUE(std::all_of(scratch.begin() + static_cast<std::ptrdiff_t>(bytes), scratch.end(),
                                                [](std::byte one) { return one == untouched; }));
                        if (testing::Test::HasFailure()) return;
                    }
}

TEST(MacroKernel, FewLinesAndSmallProductsAreSharedOutInParts) {
    constexpr std::int64_t shapes[][3] = {
        {11, 3001, 40}, {3001, 11, 40}, {64, 1537, 33}, {1, 30000, 35}, {97, 333, 50}};
    for (const PanelKernel& kernel : kernels())
        for (const auto& [m, n, k] : shapes)
            for (const bool columns_of_c : {false, true}) {
                if (!test::has_its_turn(5)) continue;
                SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k);
                constexpr Tile block{12, 30, 16};
                Operands x(m, n, k, columns_of_c);
                const std::size_t bytes = hierarchy_scratch_bytes(kernel, {.m = m, .n = n, .k = k}, block, 3);
                constexpr std::byte untouched{0x5a};
                std::vector<std::byte> scratch(bytes + 256, untouched);
                x.call.scratch = std::span(scratch).first(bytes);
                x.call.threads = 3;
                wrong_tiles = 0;
                ASSERT_TRUE(run_hierarchy(kernel, x.call, block));
                x.expect_product();
                EXPECT_EQ(wrong_tiles, 0);
                EXPECT_TRUE(std::all_of(scratch.begin() + static_cast<std::ptrdiff_t>(bytes), scratch.end(),
                                        [](std::byte one) { return one == untouched; }));
            }
}

TEST(MacroKernel, APackedOperandIsReadAsItWasPacked) {
    const PanelKernel kernel = plain_kernel();
    for (const int threads : {1, 3})
        for (const bool is_a : {false, true}) {
            Operands x(21, 32, 50, false);
            const Matrix& operand = is_a ? x.call.a : x.call.b;
            x.call.threads = threads;
            std::vector<std::byte> panels(hierarchy_packed_bytes(kernel, is_a ? 21 : 32, 50, is_a));
            pack_hierarchy(kernel, operand, is_a, x.call, panels.data());
            std::vector<std::byte> scratch(scratch_bytes(kernel, {.m = 21, .n = 32, .k = 50}, {8, 12, 16}, threads));
            x.call.scratch = scratch;
            x.call.packed = {.panels = panels.data(), .is_a = is_a, .on_left = is_a};
            ASSERT_TRUE(run(kernel, x.call, {8, 12, 16}));
            x.expect_product();
        }
}

/// More blocks of k than lie in panels at a time, and so several stages; also where an executor has one thread for all.
TEST(MacroKernel, SharedPanelsAreFilledAgainWhenAllThreadsAreThroughWithThem) {
    constexpr Tile blocks{4, 6, 16};
    constexpr std::int64_t m = 8, n = 12, k = 80'000;
    constexpr std::size_t room = 64 * sizeof(float);  // of an element: the panels of a short k are too many, too
    PanelKernel kernel = plain_kernel();
    kernel.panel_bytes = [](int width, std::int64_t depth) { return static_cast<std::size_t>(width * depth) * room; };
    const Executor alone{nullptr, [](void*, int count, void (*task)(void*, int), void* context) {
                             for (int i = count; i-- > 0;) task(context, i);
                         }};
    for (const Executor* executor : {static_cast<const Executor*>(nullptr), &alone}) {
        if (test::is_sanitized && executor) continue;
        Operands x(m, n, k, false);
        const std::size_t bytes = shared_panels_bytes(kernel, {.m = m, .n = n, .k = k}, blocks, 4);
        EXPECT_LT(3 * bytes, (m + n) * k * room) << "four times of them";
        std::vector<std::byte> scratch(bytes);
        x.call.scratch = scratch;
        x.call.threads = 4;
        x.call.executor = executor;
        tiles = wrong_tiles = 0;
        ASSERT_TRUE(run_on_shared_panels(kernel, x.call, blocks));
        x.expect_product();
        EXPECT_EQ(wrong_tiles, 0);
        EXPECT_EQ(tiles, 4 * (k / 16));
    }
}

// Threads share panels and cells, and C has the bits of one thread's loops all the same: sums that are rounded tell the
// order. Where tsan looks on, who waits for whom is what is tested.
TEST(MacroKernel, SharedPanelsHaveTheBitsOfOneThread) {
    reference::Random random(1);
    for (int product = 0; product < 70; ++product) {
        const std::int64_t m = random.whole(1, 90), n = random.whole(1, 90), k = random.whole(1, 120);
        const Tile blocks{static_cast<int>(mr * random.whole(1, 6)), static_cast<int>(nr * random.whole(1, 6)), 16};
        const int threads = 2 + product % 7;
        SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << " by " << blocks.m << " x " << blocks.n
                                        << ", " << threads << " threads");
        for (const PanelKernel& kernel : kernels()) {
            Operands alone(m, n, k, product % 2), shared(m, n, k, product % 2);
            for (Operands* x : {&alone, &shared}) {
                reference::fill_operands(x->call.a, x->call.b, reference::Fill::normal, 7);
                x->call.threads = x == &alone ? 1 : threads;
                std::vector<std::byte> scratch(
                    scratch_bytes(kernel, {.m = m, .n = n, .k = k}, blocks, x->call.threads));
                x->call.scratch = scratch;
                ASSERT_TRUE(run(kernel, x->call, blocks));
            }
            ASSERT_EQ(std::memcmp(alone.c.data(), shared.c.data(), alone.c.size() * sizeof(float)), 0);
        }
    }
}

TEST(Cells, CoverCAndKeepEveryThreadAtWork) {
    for (const std::int64_t rows : {1, 3, 16, 37, 293})
        for (const std::int64_t cols : {1, 5, 16, 128})
            for (const int threads : {2, 3, 16, 96}) {
                SCOPED_TRACE(testing::Message() << rows << " x " << cols << " panels, " << threads << " threads");
                const Cells cells({rows, 14, 32}, {cols, 32, 16}, threads);
                EXPECT_LE(cells.high, 32);
                EXPECT_LE(cells.wide, 16);
                EXPECT_GE(cells.down * cells.high, rows);
                EXPECT_GE(cells.across * cells.wide, cols);
                EXPECT_LT((cells.down - 1) * cells.high, rows);
                EXPECT_LT((cells.across - 1) * cells.wide, cols);
                EXPECT_GE(2 * cells.count(), std::min<std::int64_t>(threads, rows * cols));
            }
}

}  // namespace
