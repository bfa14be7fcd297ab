// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every tile that a micro-kernel can be asked for, bit for bit against the chain of roundings that it promises.
#include "backend/cpu/micro/micro_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cpu/micro/pack.hpp"
#include "backend/cpu/micro/pack_narrow.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "base/cpu_features.hpp"
#include "base/narrow_runs.hpp"
#include "rooms/backend/cpu/micro/values.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;
using namespace tw::cpu;

/// One result, term after term; `fused` is one rounding a term, else two.
template <class T>
T chain(const MicroTile<T>& t, int i, int j, T before, bool fused) {
    volatile T sum = 0;  // no compiler may contract what this test compares
    for (std::int64_t p = 0; p < t.k; ++p) {
        const T a = t.a[i * t.a_row_step + p * t.a_step], b = t.b[p * t.b_step + j];
        volatile T product = a * b;
        sum = fused ? std::fma(a, b, sum) : sum + product;
    }
    volatile T scaled = t.alpha * sum, kept = t.beta * before;
    return t.beta == 0 ? scaled : scaled + kept;
}

template <class T>
void expect_every_tile(const MicroKernel<T>& kernel, bool fused) {
    constexpr std::int64_t k = 57;
    for (int vectors = 2; vectors <= kernel.most_vectors; ++vectors) {
        int most = 0;  // of at most 12 rows: so many addresses fit registers
        for (int rows = 1; rows <= std::min(kernel.mr, 12); ++rows)
            if (kernel.widths[rows] >= vectors * kernel.lanes) most = rows;
        EXPECT_EQ(kernel.highest[vectors], most) << vectors;
    }
    for (int rows = 1; rows <= std::max(kernel.mr, kernel.highest[1]); ++rows)
        for (int cols = 1; cols <= (rows <= kernel.mr ? kernel.widths[rows] : kernel.lanes); ++cols)
            for (const bool packed : {false, true}) {
                if ((packed && rows > kernel.mr) || !test::has_its_turn(7)) continue;
                const std::int64_t width = rows <= kernel.mr ? kernel.widths[rows] : kernel.lanes;
                ASSERT_LE(rows * width, MicroKernel<T>::most_results);
                const auto a = values<T>(static_cast<std::size_t>(std::max(kernel.mr, rows) * k), 1);
                const auto b = values<T>(static_cast<std::size_t>(width * k), 2);
                auto c = values<T>(static_cast<std::size_t>(rows * (cols + 3)), 3);
                const auto before = c;
                const MicroTile<T> tile{.k = k,
                                        .a = a.data(),
                                        .a_row_step = packed ? 1 : k,
                                        .a_step = packed ? kernel.mr : 1,
                                        .b = b.data(),
                                        .b_step = width,
                                        .c = c.data(),
                                        .c_step = cols + 3,
                                        .alpha = T(0.7),
                                        .beta = packed ? T(1.3) : T(0),
                                        .rows = rows,
                                        .cols = cols};
                kernel.run(tile);
                for (int i = 0; i < rows; ++i)
                    for (int j = 0; j < cols + 3; ++j) {
                        const auto at = static_cast<std::size_t>(i * (cols + 3) + j);
                        ASSERT_EQ(c[at], j < cols ? chain(tile, i, j, before[at], fused) : before[at])
                            << rows << " x " << cols << " at " << i << ", " << j;
                    }
            }
}

/// The same chain where the rows of B come in three goes and the sums wait in between.
template <class T>
void expect_every_passing_tile(const MicroKernel<T>& kernel, bool fused) {
    constexpr std::int64_t k = 37, goes[] = {16, 16, 5};
    for (int rows = 1; rows <= kernel.low; ++rows)
        for (int cols = 1; cols <= kernel.passed_widths[rows]; ++cols)
            for (const bool asks : {false, true}) {
                if (!test::has_its_turn(7)) continue;
                const std::int64_t width = kernel.passed_widths[rows];
                const auto a = values<T>(static_cast<std::size_t>(rows * k), 1);
                const auto b = values<T>(static_cast<std::size_t>(width * k), 2);
                auto c = values<T>(static_cast<std::size_t>(rows * (cols + 3)), 3);
                const auto before = c;
                std::vector<T> sums(static_cast<std::size_t>(rows * width), T(1e9));
                const MicroTile<T> whole{.k = k,
                                         .a = a.data(),
                                         .a_row_step = 1,
                                         .a_step = rows,
                                         .b = b.data(),
                                         .b_step = width,
                                         .c = c.data(),
                                         .c_step = cols + 3,
                                         .alpha = T(0.7),
                                         .beta = asks ? T(1.3) : T(0),
                                         .rows = rows,
                                         .cols = cols};
                const std::int64_t kept_width = round_up(cols, kernel.lanes);
                std::vector<T> kept(static_cast<std::size_t>(16 * kept_width));
                std::int64_t from = 0;
                for (const std::int64_t count : goes) {
                    PassingTile<T> part{.tile = whole,
                                        .b = b.data() + from * width,
                                        .b_type = type_of<T>,
                                        .b_step = width,
                                        .sums = sums.data(),
                                        .sums_step = width,
                                        .asked = b.data(),
                                        .asked_every = asks ? 3 : 0,
                                        .kept = asks ? kept.data() : nullptr,
                                        .begins = from == 0,
                                        .ends = from + count == k};
                    part.tile.k = count;
                    part.tile.a += from * rows;
                    kernel.pass(part);
                    for (std::int64_t p = 0; p < count && asks; ++p)
                        for (int j = 0; j < cols; ++j)
                            ASSERT_EQ(kept[static_cast<std::size_t>(p * kept_width + j)],
                                      b[static_cast<std::size_t>((from + p) * width + j)]);
                    from += count;
                }
                for (int i = 0; i < rows; ++i)
                    for (int j = 0; j < cols + 3; ++j) {
                        const auto at = static_cast<std::size_t>(i * (cols + 3) + j);
                        ASSERT_EQ(c[at], j < cols ? chain(whole, i, j, before[at], fused) : before[at])
                            << rows << " x " << cols << " at " << i << ", " << j;
                    }
            }
}

/// The same chain by columns that are contiguous along k, of `type`, in vectors of either width.
template <class T>
void expect_every_turned_tile(const MicroKernel<T>& kernel, Type type) {
    constexpr std::int64_t k = 75, width = 16;
    auto b = values<T>(static_cast<std::size_t>(width * k), 2);
    std::vector<std::uint16_t> narrow(b.size());
    for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] = static_cast<std::uint16_t>(0x3800 + 7 * i % 0x800);
    const bool is_narrow = type != type_of<T>;
    if (is_narrow) widen_matrix({b.data(), Type::f32, width, k, k, 1}, {narrow.data(), type, width, k, k, 1});
    for (int rows = 1; rows <= most_turned; ++rows)
        for (std::int64_t cols = 1; cols <= width; ++cols)
            for (const bool in_halves : {false, true}) {
                if ((in_halves && rows > most_in_halves) || !test::has_its_turn(7)) continue;
                const auto a = values<T>(static_cast<std::size_t>(rows * k), 1);
                std::vector<T> sums(static_cast<std::size_t>(rows * width));
                kernel.turn({.k = k,
                             .a = a.data(),
                             .b = is_narrow ? static_cast<const void*>(narrow.data()) : b.data(),
                             .b_type = type,
                             .b_step = k,
                             .sums = sums.data(),
                             .sums_step = width,
                             .cols = cols,
                             .rows = rows,
                             .in_halves = in_halves});
                for (int i = 0; i < rows; ++i)
                    for (std::int64_t j = 0; j < cols; ++j) {
                        T sum = 0;
                        for (std::int64_t p = 0; p < k; ++p)
                            sum = std::fma(a[static_cast<std::size_t>(p * rows + i)],
                                           b[static_cast<std::size_t>(j * k + p)], sum);
                        ASSERT_EQ(sums[static_cast<std::size_t>(i * width + j)], sum)
                            << rows << " x " << cols << " at " << i << ", " << j << (in_halves ? " in halves" : "");
                    }
            }
}

TEST(MicroKernel, PortableTilesRoundTwiceATerm) {
    expect_every_tile(micro_portable_f32, false);
    expect_every_passing_tile(micro_portable_f32, false);
    expect_every_tile(micro_portable_f64, false);
    expect_every_passing_tile(micro_portable_f64, false);
}

#if defined(__x86_64__)
TEST(MicroKernel, Avx2TilesRoundOnceATerm) {
    if (!(cpu_features() & cpu_feature::avx2)) GTEST_SKIP() << "this machine lacks avx2";
    expect_every_tile(micro_avx2_f32, true);
    expect_every_passing_tile(micro_avx2_f32, true);
    expect_every_tile(micro_avx2_f64, true);
    expect_every_passing_tile(micro_avx2_f64, true);
    for (const Type type : {Type::f32, Type::f16, Type::bf16}) expect_every_turned_tile(micro_avx2_f32, type);
    expect_every_turned_tile(micro_avx2_f64, Type::f64);
}

TEST(MicroKernel, Avx512TilesRoundOnceATerm) {
    if (!(cpu_features() & cpu_feature::avx512)) GTEST_SKIP() << "this machine lacks avx512";
    expect_every_tile(micro_avx512_f32, true);
    expect_every_passing_tile(micro_avx512_f32, true);
    expect_every_tile(micro_avx512_f64, true);
    expect_every_passing_tile(micro_avx512_f64, true);
    expect_every_tile(micro_avx512_apart_f32, true);
    expect_every_tile(micro_avx512_apart_f64, true);
}
#elif defined(__aarch64__)
TEST(MicroKernel, NeonTilesRoundOnceATerm) {
    expect_every_tile(micro_neon_f32, true);
    expect_every_passing_tile(micro_neon_f32, true);
    expect_every_tile(micro_neon_f64, true);
    expect_every_passing_tile(micro_neon_f64, true);
}
#endif

TEST(Blocks, AreEqualAndFollowFromKAlone) {
    for (std::int64_t k = 1; k < 5000; ++k) {
        const std::int64_t block = k_block<float>(k), count = ceil_div(k, block);
        ASSERT_LE(block, KC<float>);
        ASSERT_EQ(count, ceil_div(k, KC<float>)) << k;  // no more blocks than there must be
        ASSERT_LT(count * block - k, 8 * count) << k;   // and none much shorter than the others
    }
}

template <class T>
void expect_packed(const MicroKernel<T>& kernel, std::int64_t row_step, std::int64_t col_step, int width,
                   std::int64_t rows) {
    constexpr std::int64_t k = 19;
    const auto data = values<T>(4000, 5);
    const View<const T> from(data.data(), rows, k, row_step, col_step);
    const std::int64_t panels = ceil_div(rows, width);
    std::vector<T> packed(static_cast<std::size_t>(panels * k * width), T(-9));
    pack_panels(kernel, from, width, packed.data());
    for (std::int64_t row = 0; row < panels * width; ++row)
        for (std::int64_t p = 0; p < k; ++p)
            ASSERT_EQ(packed[static_cast<std::size_t>((row / width * k + p) * width + row % width)],
                      row < rows ? from(row, p) : T(-9))
                << width << " wide, " << rows << " rows, at " << row << ", " << p;
}

template <class T>
void expect_panels(const MicroKernel<T>& kernel) {
    for (const auto& [row_step, col_step] : {std::pair<std::int64_t, std::int64_t>{1, 110}, {23, 1}, {3, 100}}) {
        for (int width = 1; width <= 33; ++width)
            for (std::int64_t rows = 1; rows <= width; ++rows)
                if (test::has_its_turn(7)) expect_packed(kernel, row_step, col_step, width, rows);
        for (const std::int64_t rows : {kernel.nr + 1, 3 * kernel.nr - 1, 3 * kernel.nr})
            expect_packed(kernel, row_step, col_step, kernel.nr, rows);
        for (std::int64_t rows = kernel.mr + 1; rows <= 4 * kernel.mr; ++rows)
            expect_packed(kernel, row_step, col_step, kernel.mr, rows);
    }
}

TEST(Pack, LaysPanelsOutInTheOrderOfReading) {
    expect_panels(micro_portable_f32);
    expect_panels(micro_portable_f64);
#if defined(__x86_64__)
    if (!(cpu_features() & cpu_feature::avx2)) return;
    expect_panels(micro_avx2_f32);
    expect_panels(micro_avx2_f64);
    if (!(cpu_features() & cpu_feature::avx512)) return;
    expect_panels(micro_avx512_f32);
    expect_panels(micro_avx512_f64);
#endif
}

TEST(Pack, PutsZerosWhereANarrowPanelHasNoRows) {
    constexpr int rows = 3, k = 5, width = 8;
    std::uint16_t of_a[rows * k];
    for (int i = 0; i < rows * k; ++i) of_a[i] = static_cast<std::uint16_t>(0x3c00 + i);
    for (const bool by_columns : {false, true}) {
        const Matrix a{of_a, Type::f16, rows, k, by_columns ? 1 : k, by_columns ? rows : 1};
        std::vector<std::uint16_t> panel(width * k, 0xffff);  // NaNs
        pack_narrow(a, width, reinterpret_cast<std::byte*>(panel.data()));
        for (int p = 0; p < k; ++p)
            for (int w = 0; w < width; ++w) {
                const int from = by_columns ? w + p * rows : w * k + p;
                EXPECT_EQ(panel[static_cast<std::size_t>(p * width + w)], w < rows ? of_a[from] : 0) << p << ", " << w;
            }
    }
}

}  // namespace
