// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tf32 reads an operand that lies across k as it lies, by every width: to the bit what operands along k give, with
// epilogues, an old C, and numbers that are not finite.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "backend/cuda/tiles/heuristics_across_sm90.hpp"
#include "plan/names.hpp"
#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class AcrossK : public OnDevice {};

/// A matrix twice: its rows contiguous, and its columns, both with lines of `pitch` more elements than they have.
struct BothWays {
    std::int64_t rows, cols, gap;
    Values by_rows, by_columns;

    BothWays(std::int64_t m, std::int64_t n, std::int64_t more, unsigned seed)
        : rows(m),
          cols(n),
          gap(more),
          by_rows(Type::f32, m * (n + more), seed),
          by_columns(Type::f32, n * (m + more), seed + 1) {}

    /// To quarters, whose sums are exact in any order.
    void round() {
        for (std::int64_t i = 0; i < rows * (cols + gap); ++i)
            store_element(by_rows.on_host(), 0, i, std::clamp(std::round(4 * by_rows[i]), -12., 12.) / 4);
    }
    void set(std::int64_t i, std::int64_t j, double x) { store_element(by_rows.on_host(), 0, i * (cols + gap) + j, x); }
    void send() {
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j)
                store_element(by_columns.on_host(), 0, j * (rows + gap) + i, by_rows[i * (cols + gap) + j]);
        by_rows.send(), by_columns.send();
    }
    Matrix as(bool columns) const {
        return columns ? by_columns.steps(rows, cols, 1, rows + gap) : by_rows.steps(rows, cols, cols + gap, 1);
    }
};

struct Shape {
    std::int64_t m, n, k, gap;
};

/// bits: C by columns, a bias and an activation, an old C, a residual.
Status multiply(const Kernel& kernel, const Matrix& a, const Matrix& b, Values& c, const Values& more, const Shape& s,
                int bits, const Tile& tile) {
    const Matrix to = bits & 1 ? c.columns(s.m, s.n) : c.rows(s.m, s.n);
    Options options{.alpha = bits & 4 ? 0.75 : 1, .beta = bits & 4 ? -0.5 : 0, .kernel = kernel.name};
    if (bits & 2)
        options.epilogue = {.scale = 2, .bias = more.data(), .bias_size = s.n, .activation = Activation::relu};
    if (bits & 8) options.epilogue.residual = bits & 1 ? more.columns(s.m, s.n) : more.rows(s.m, s.n);
    Plan plan;
    if (const Status bad = try_plan(problem_of(a, b, to, options), options, plan); !bad) return bad;
    plan.tile = tile;
    return plan.try_run(a, b, to, nullptr);
}

/// No tile, and every one that reads an operand across k whole; or those whose blocks have a part of k each, or a share
/// of all tiles' steps.
std::vector<Tile> tiles_across(bool cuts) {
    std::vector<Tile> all;
    if (!cuts) all.emplace_back();
    for (const int rows : {64, 128})
        for (const int width : {64, 96, 128, 160, 192, 256})
            for (const int k : cuts ? std::vector<int>{16, 32, 48, 80, 128} : std::vector<int>{0, 8})
                if (const Tile tile{rows, width, k}; tw::cuda::sm90::across_has(tile, 1)) all.push_back(tile);
    return all;
}

enum class Numbers { any, hostile, exact };

void compare(const Kernel& kernel, const Shape& s, Numbers numbers) {
    BothWays a(s.m, s.k, s.gap, 1), b(s.k, s.n, s.gap, 3);
    const bool cuts = numbers == Numbers::exact;
    if (cuts) {
        a.round(), b.round();
        a.set(5, 7, std::numeric_limits<double>::infinity()), b.set(9, 11, std::numeric_limits<double>::quiet_NaN());
    }
    if (numbers == Numbers::hostile) {
        a.set(5, 7, std::numeric_limits<double>::infinity()), a.set(s.m - 1, 3, 3.4e38);
        b.set(9, 11, std::numeric_limits<double>::quiet_NaN()), b.set(s.k - 1, 2, -3.4e38);
    }
    a.send(), b.send();
    const Values more(Type::f32, s.m * s.n, 5);
    Values before(Type::f32, s.m * s.n, 6), c(Type::f32, s.m * s.n, 6);
    for (const int bits : {0, 1, 2, 3, 4, 7, 8, 15}) {
        if (!has_its_turn(3)) continue;
        const auto fill = [&] {
            std::memcpy(c.on_host().data, before.on_host().data, static_cast<std::size_t>(s.m * s.n) * 4);
            c.send();
        };
        fill();
        ASSERT_TRUE(multiply(kernel, a.as(false), b.as(true), c, more, s, bits, {64, 64, -1}).is_ok());
        const std::vector<std::byte> right = c.bring();
        for (const auto& [a_across, b_along] : {std::pair{false, false}, {true, false}, {true, true}, {false, true}})
            for (const Tile& tile : tiles_across(cuts)) {
                if ((bits > 2 && tile.n % 128 != 0) || !has_its_turn(11)) continue;
                fill();
                const bool along = !a_across && b_along && tile != Tile{};
                const Tile asked{tile.m, tile.n, tile.k + along};
                ASSERT_TRUE(multiply(kernel, a.as(a_across), b.as(b_along), c, more, s, bits, asked).is_ok());
                ASSERT_TRUE(c.bring() == right)
                    << s.m << 'x' << s.n << 'x' << s.k << " gap " << s.gap << " A across " << a_across << " B along "
                    << b_along << " bits " << bits << ": " << tile.m << " x " << tile.n << ", " << tile.k;
            }
    }
}

TEST_F(AcrossK, HasTheBitsOfOperandsAlongK) {
    const Kernel* const kernel = find_kernel("cuda.r9_async_pipeline.f32.tf32");
    if (!kernel || !runs(*kernel)) GTEST_SKIP() << "no device that has it";
    for (const Shape& s : {Shape{129, 520, 200, 0}, {300, 136, 72, 4}, {97, 1031, 65, 0}, {516, 260, 1000, 3}})
        for (const Numbers numbers : {Numbers::any, Numbers::hostile}) compare(*kernel, s, numbers);
}

TEST_F(AcrossK, AddsPartsOfK) {
    const Kernel* const kernel = find_kernel("cuda.r9_async_pipeline.f32.tf32");
    if (!kernel || !runs(*kernel)) GTEST_SKIP() << "no device that has it";
    for (const Shape& s : {Shape{129, 520, 200, 0}, {300, 136, 72, 4}, {516, 260, 1000, 3}})
        compare(*kernel, s, Numbers::exact);
}

/// A batch beside the same products one after the other; A is every product's, or each has
/// its own.
TEST_F(AcrossK, OfABatchHasTheBitsOfEachProduct) {
    const Kernel* const kernel = find_kernel("cuda.r9_async_pipeline.f32.tf32");
    if (!kernel || !runs(*kernel)) GTEST_SKIP() << "no device that has it";
    constexpr std::int64_t size = 7;
    for (const Shape& s : {Shape{129, 200, 72, 0}, {300, 36, 260, 0}, {65, 130, 100, 2}})
        for (const bool shares_a : {false, true}) {
            const std::int64_t of_a = s.m * s.k, of_b = s.k * (s.n + s.gap), of_c = s.m * s.n;
            Values a(Type::f32, of_a * size, 1), b(Type::f32, of_b * size, 2), c(Type::f32, of_c * size, 3);
            store_element(b.on_host(), 0, of_b * 3 + 5, std::numeric_limits<double>::infinity());
            a.send(), b.send(), c.send();
            const Options options{.kernel = kernel->name};
            for (std::int64_t i = 0; i < size; ++i)
                ASSERT_TRUE(try_multiply(a.rows(s.m, s.k, shares_a ? 0 : i * of_a),
                                         b.steps(s.k, s.n, s.n + s.gap, 1, i * of_b), c.rows(s.m, s.n, i * of_c),
                                         options)
                                .is_ok());
            const std::vector<std::byte> right = c.bring();
            const Batch batch{.size = size, .a_step = shares_a ? 0 : of_a, .b_step = of_b, .c_step = of_c};
            std::ranges::fill(c.bring(), std::byte{});
            c.send();
            ASSERT_TRUE(try_multiply_batch(a.rows(s.m, s.k), b.steps(s.k, s.n, s.n + s.gap, 1), c.rows(s.m, s.n), batch,
                                           options)
                            .is_ok());
            ASSERT_TRUE(c.bring() == right) << s.m << 'x' << s.n << 'x' << s.k << " shares A " << shares_a;
        }
}

}  // namespace
}  // namespace on_device
