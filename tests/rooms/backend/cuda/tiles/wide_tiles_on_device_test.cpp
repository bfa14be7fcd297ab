// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's wide and level tiles on a device, each asked for by name: turned round, and with the last wave's k in parts. Of
// whole numbers all have the bits of the one order.
#include "backend/cuda/tiles/async_shapes_sm90.hpp"

#include <cmath>
#include <cstring>

#include "plan/names.hpp"
#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

using cuda::sm90::R9Way;

class WideTiles : public OnDevice {};

/// -1, 0 or 1, so that sums of a thousand products are exact in bf16, too.
void fill(Values& values, std::int64_t count, std::uint64_t seed) {
    for (std::int64_t i = 0; i < count; ++i) {
        auto x = (static_cast<std::uint64_t>(i) + seed) * 0x9E3779B97F4A7C15u;
        x ^= x >> 29, x *= 0xBF58476D1CE4E5B9u, x ^= x >> 32;
        store_element(values.on_host(), 0, i, static_cast<double>(x % 3) - 1);
    }
    values.send();
}

/// One product's operands, and two places for C.
struct Operands {
    std::int64_t m, n, k;
    Values a, b, bias;

    Operands(const Kernel& kernel, std::int64_t rows, std::int64_t cols, std::int64_t depth)
        : m(rows), n(cols), k(depth), a(kernel.in, m * k, 1), b(kernel.in, k * n, 2), bias(Type::f32, m + n, 3) {
        fill(a, m * k, 10), fill(b, k * n, 20), fill(bias, m + n, 30);
    }

    /// bits: A by columns, B by columns, C by columns, and a bias.
    Status multiply(const Kernel& kernel, Values& c, const Tile& tile, int bits, bool reproducible) const {
        const Matrix left = bits & 1 ? a.columns(m, k) : a.rows(m, k),
                     right = bits & 2 ? b.columns(k, n) : b.rows(k, n), to = bits & 4 ? c.columns(m, n) : c.rows(m, n);
        Options options{.reproducible = reproducible, .kernel = kernel.name};
        if (bits & 8)
            options.epilogue = {.scale = 2, .bias = bias.data(), .bias_size = n, .activation = Activation::relu};
        return run(left, right, to, options, tile);
    }

    Status multiply_to(const Kernel& kernel, const Matrix& c, const Tile& tile) const {
        return run(a.rows(m, k), b.columns(k, n), c, {.kernel = kernel.name}, tile);
    }
    /// A B, the latter by columns.
    std::vector<double> product() {
        std::vector<double> sums;
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                double& sum = sums.emplace_back(0);
                for (std::int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
            }
        return sums;
    }

    /// C = 2 A B - C, of B by rows or by columns; a bias of zeros has the old C added by threads.
    Status add(const Kernel& kernel, Values& c, const Tile& tile, bool by_columns, bool by_threads) const {
        Values none(Type::f32, n, 5);
        std::memset(none.on_host().data, 0, static_cast<std::size_t>(n) * sizeof(float));
        none.send();
        Options options{.alpha = 2, .beta = -1, .reproducible = true, .kernel = kernel.name};
        if (by_threads) options.epilogue = {.bias = none.data(), .bias_size = n};
        return run(a.rows(m, k), by_columns ? b.columns(k, n) : b.rows(k, n), c.rows(m, n), options, tile);
    }

private:
    static Status run(const Matrix& left, const Matrix& right, const Matrix& to, const Options& options,
                      const Tile& tile) {
        Plan plan;
        if (const Status bad = try_plan(problem_of(left, right, to, options), options, plan); !bad) return bad;
        plan.tile = tile;
        return plan.try_run(left, right, to, nullptr);
    }
};

/// Each tile that r9 may be asked for, in each way that the operands may lie, against the choice in one order.
void compare(const Operands& operands, const std::vector<Tile>& tiles, const std::vector<int>& all_bits) {
    for (const Kernel* kernel : cuda().ladder) {
        if (!runs(*kernel) || !std::string_view(kernel->name).starts_with("cuda.r9_async_pipeline.") ||
            kernel->in != operands.a.there().type)
            continue;
        const std::int64_t size = operands.m * operands.n;
        Values c(kernel->out, size, 4);
        for (const int bits : all_bits) {
            if (!has_its_turn(3)) continue;
            ASSERT_TRUE(operands.multiply(*kernel, c, {}, bits, true).is_ok());
            const std::vector<std::byte> right = c.bring();
            for (const Tile& tile : tiles) {
                if (!has_its_turn(11)) continue;
                std::memset(c.on_host().data, 0xff, right.size());
                c.send();
                ASSERT_TRUE(operands.multiply(*kernel, c, tile, bits, false).is_ok());
                ASSERT_TRUE(c.bring() == right) << kernel->name << ' ' << operands.m << 'x' << operands.n << 'x'
                                                << operands.k << ": " << tile.n << ' ' << tile.k << " bits " << bits;
            }
        }
    }
}

std::vector<Tile> wide(const std::vector<R9Way>& ways) {
    std::vector<Tile> all;
    for (int width = 64; width <= 256; width += 16)
        for (const R9Way& way : ways) all.push_back({128, width, way.k()});
    return all;
}
/// Of the widths that there are, whichever way the operands lie.
std::vector<Tile> level(int rows) {
    const auto has = [&](int width) {
        using cuda::sm90::r9_level;
        return r9_level(rows, false, false).has(width) || r9_level(rows, false, true).has(width) ||
               r9_level(rows, true, false).has(width) || r9_level(rows, true, true).has(width);
    };
    std::vector<Tile> all;
    for (int width = 24; width <= 256; width += 8) {
        if (!has(width)) continue;
        for (const int parts : {1, 2, 3, 4, 8}) all.push_back({rows, width, cuda::sm90::r9_level_k(parts)});
    }
    return all;
}

std::vector<Tile> tall(const std::vector<int>& all_parts) {
    std::vector<Tile> all;
    for (int width = 64; width <= 256; width += 32)
        for (const int parts : all_parts) all.push_back({192, width, cuda::sm90::r9_level_k(parts)});
    return all;
}

std::vector<Tile> level_turned(const std::vector<int>& all_parts) {
    std::vector<Tile> all;
    for (int width = 64; width <= 256; width += 16)
        for (const int parts : all_parts) all.push_back({128, width, cuda::sm90::r9_level_k(parts, true)});
    return all;
}

TEST_F(WideTiles, TurnedRoundHaveTheSameBits) {
    for (const char* name : {"cuda.r9_async_pipeline.bf16", "cuda.r9_async_pipeline.f16"}) {
        const Kernel* const kernel = find_kernel(name);
        if (!kernel || !runs(*kernel)) continue;
        for (const auto& [m, n, k] : {std::tuple{136, 264, 200}, {301, 136, 72}, {17, 520, 1000}})
            for (const std::vector<Tile>& tiles : {wide({{8, true, 1}}), level_turned({1}), tall({1})})
                compare(Operands(*kernel, m, n, k), tiles, {0, 1, 2, 3, 4, 6, 8, 10, 14});
    }
}

TEST_F(WideTiles, AnOldCByBoxesIsWhatThreadsAdd) {
    std::vector<Tile> tiles = wide({{8, false, 1}});
    for (const Tile& tile : level(128))
        if (tile.k == 0) tiles.push_back(tile);
    for (const char* name : {"cuda.r9_async_pipeline.bf16", "cuda.r9_async_pipeline.f16"}) {
        const Kernel* const kernel = find_kernel(name);
        if (!kernel || !runs(*kernel)) continue;
        for (const auto& [m, n, k] : {std::tuple{300, 328, 200}, {129, 1000, 72}, {2900, 2056, 136}}) {
            const Operands operands(*kernel, m, n, k);
            Values c(kernel->out, operands.m * operands.n, 4);
            fill(c, operands.m * operands.n, 40);
            const std::vector<std::byte> old = c.bring();
            const auto added = [&](const Tile& tile, bool by_columns, bool by_threads) {
                std::memcpy(c.on_host().data, old.data(), old.size());
                c.send();
                EXPECT_TRUE(operands.add(*kernel, c, tile, by_columns, by_threads).is_ok());
                return c.bring();
            };
            for (const bool by_columns : {false, true}) {
                const std::vector<std::byte> right = added({}, by_columns, true);
                for (const Tile& tile : tiles)
                    ASSERT_TRUE(!has_its_turn(13) || added(tile, by_columns, false) == right)
                        << name << ' ' << m << 'x' << n << 'x' << k << ": " << tile.n << ' ' << tile.k;
            }
        }
    }
}

/// A C whose rows start anywhere, and what lies between them, after the product: NaN where nothing was stored.
void expect_rows(const Kernel& kernel, const Operands& operands, const std::vector<double>& right, Values& c,
                 const Tile& tile, std::int64_t from, std::int64_t pitch) {
    std::vector<std::byte>& bytes = c.bring();
    std::memset(bytes.data(), 0xff, bytes.size());
    c.send();
    ASSERT_TRUE(operands.multiply_to(kernel, c.steps(operands.m, operands.n, pitch, 1, from), tile).is_ok());
    c.bring();
    const auto size = static_cast<std::int64_t>(bytes.size() / size_of(kernel.out));
    for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t row = i < from ? operands.m : (i - from) / pitch, col = (i - from) % pitch;
        const bool is_inside = row < operands.m && col < operands.n;
        const double got = c[i];
        ASSERT_TRUE(is_inside ? got == right[static_cast<std::size_t>(row * operands.n + col)] : std::isnan(got))
            << kernel.name << ": " << tile.m << 'x' << tile.n << ' ' << tile.k << " row " << row << " column " << col
            << " of rows " << pitch << " apart from " << from << " on: " << got;
    }
}

TEST_F(WideTiles, StoreRowsThatStartAnywhere) {
    std::vector<Tile> tiles = wide({{8, false, 1}});
    for (const Tile& tile : level(128))
        if (tile.k == 0) tiles.push_back(tile);
    for (const Tile& tile : {Tile{64, 64, -1}, {128, 64, -1}, {64, 32, -1}, {64, 80, 0}}) tiles.push_back(tile);
    for (const char* name : {"cuda.r9_async_pipeline.bf16", "cuda.r9_async_pipeline.f16"}) {
        const Kernel* const kernel = find_kernel(name);
        if (!kernel || !runs(*kernel)) continue;
        for (const auto& [n, from, pitch] :
             {std::tuple{263, 1, 263}, {262, 2, 270}, {70, 3, 75}, {257, 0, 264}, {5, 7, 13}}) {
            Operands operands(*kernel, 75, n, 24);
            const std::vector<double> right = operands.product();
            Values c(kernel->out, from + (operands.m + 1) * pitch, 4);
            for (const Tile& tile : tiles)
                if (has_its_turn(13)) expect_rows(*kernel, operands, right, c, tile, from, pitch);
        }
    }
}

TEST_F(WideTiles, CutInTheLastWaveHaveTheSameSums) {
    for (const char* name : {"cuda.r9_async_pipeline.bf16", "cuda.r9_async_pipeline.f16"}) {
        const Kernel* const kernel = find_kernel(name);
        if (!kernel || !runs(*kernel)) continue;
        compare(Operands(*kernel, 2600, 904, 1104), wide({{8, false, 2}, {8, true, 3}}), {0, 10, 6});
        compare(Operands(*kernel, 52, 2056, 520), level(64), {0, 2, 10, 6});
        compare(Operands(*kernel, 250, 904, 1104), level(128), {0, 1, 2, 3, 10});
        compare(Operands(*kernel, 904, 2056, 1104), level_turned({2, 3}), {0, 8});
        compare(Operands(*kernel, 904, 2056, 1104), tall({1, 2, 3}), {0, 1, 2, 3});
        // Of less than a wave, and of some of a warp's rows alone.
        compare(Operands(*kernel, 20, 4360, 1104), level(64), {0, 2, 10});
        compare(Operands(*kernel, 100, 4360, 1104), level(128), {0, 2, 10});
    }
}

TEST_F(WideTiles, TwoPartsAddedByClustersHaveTheSameSums) {
    std::vector<Tile> halves;
    for (const Tile& tile : level(128))
        if (cuda::sm90::r9_parts_of(tile) == 2) halves.push_back(tile);
    for (const char* name : {"cuda.r9_async_pipeline.bf16", "cuda.r9_async_pipeline.f16"}) {
        const Kernel* const kernel = find_kernel(name);
        if (!kernel || !runs(*kernel)) continue;
        compare(Operands(*kernel, 250, 904, 1104), halves, {0, 1, 2, 3, 6, 10});
        compare(Operands(*kernel, 100, 2120, 1352), halves, {0, 2, 8});
        compare(Operands(*kernel, 136, 2056, 1104), level_turned({2}), {0, 8});
    }
}

}  // namespace
}  // namespace on_device
