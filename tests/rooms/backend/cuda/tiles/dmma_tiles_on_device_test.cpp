// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every tile of r8_dmma, r8_dmma_complex and r7_hierarchical_complex on a device, each asked for by name, its last wave
// whole and in parts of k, added by a cluster or a second kernel: of whole numbers all have the bits of the one order.
#include <cstring>

#include "plan/names.hpp"
#include "rooms/backend/cuda/on_device.hpp"
#include "tilewright/plan.hpp"

namespace on_device {
namespace {

class DmmaTiles : public OnDevice, public testing::WithParamInterface<Type> {};

/// -1, 0 or 1, without a period: sums are exact in any order.
double whole_number(std::uint64_t i) {
    std::uint64_t x = i * 0x9E3779B97F4A7C15u;
    x ^= x >> 29, x *= 0xBF58476D1CE4E5B9u, x ^= x >> 32;
    return static_cast<double>(x % 3) - 1;
}
/// Without a period either, of 53 bits: the order of their sums shows.
double any_number(std::uint64_t i) {
    std::uint64_t x = (i + 77) * 0x9E3779B97F4A7C15u;
    x ^= x >> 31, x *= 0x94D049BB133111EBu, x ^= x >> 29;
    return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}
using NumberOf = double (*)(std::uint64_t);
void fill(Values& values, std::int64_t count, std::uint64_t seed, NumberOf number_of = whole_number) {
    const Matrix all = values.on_host(), others = imaginary_parts(all);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto number = 2 * static_cast<std::uint64_t>(i) + seed;
        store_element(is_complex(all.type) ? real_parts(all) : all, 0, i, number_of(number));
        if (is_complex(all.type)) store_element(others, 0, i, number_of(number + 1));
    }
    values.send();
}

struct Operands {
    std::int64_t m, n, k;
    Values a, b;

    Operands(Type type, std::int64_t rows, std::int64_t cols, std::int64_t depth, NumberOf number_of = whole_number)
        : m(rows), n(cols), k(depth), a(type, (m + 2) * (k + 2), 1), b(type, (k + 2) * (n + 2), 2) {
        fill(a, (m + 2) * (k + 2), 10, number_of), fill(b, (k + 2) * (n + 2), 20, number_of);
    }
    /// bits: A by columns, B by columns, C by columns, an odd address, an old C, lines with a gap behind them that
    /// begin at even places: then doubles are copied in pairs, of which the last may be half inside.
    Status multiply(const Kernel& kernel, Values& c, const Tile& tile, int bits, bool reproducible) const {
        const std::int64_t from = bits & 8 ? 1 : 0;
        const auto pitch = [&](std::int64_t line) { return bits & 32 ? (line + 2) / 2 * 2 : line; };
        Matrix left = bits & 1 ? a.steps(m, k, 1, pitch(m), from) : a.steps(m, k, pitch(k), 1, from),
               right = bits & 2 ? b.steps(k, n, 1, pitch(k), from) : b.steps(k, n, pitch(n), 1, from);
        left.is_conj = is_complex(left.type) && bits % 3 == 0, right.is_conj = is_complex(left.type) && bits % 5 == 0;
        const Matrix to = bits & 4 ? c.columns(m, n) : c.rows(m, n);
        const Options options{
            .alpha = -2, .beta = bits & 16 ? 0.5 : 0, .reproducible = reproducible, .kernel = kernel.name};
        Plan plan;
        if (const Status bad = try_plan(problem_of(left, right, to, options), options, plan); !bad) return bad;
        plan.tile = tile;
        return plan.try_run(left, right, to, nullptr);
    }
};

void compare(const Operands& operands, const std::vector<Tile>& tiles, const std::vector<int>& all_bits) {
    const Type type = operands.a.there().type;
    const Kernel* const kernel = find_kernel(type == Type::c64    ? "cuda.r7_hierarchical_complex.c64"
                                             : type == Type::c128 ? "cuda.r8_dmma_complex.c128"
                                                                  : "cuda.r8_dmma.f64");
    if (!kernel || !runs(*kernel)) GTEST_SKIP() << "this device has no matrix unit for doubles";
    const std::int64_t size = operands.m * operands.n;
    Values c(type, size, 4);
    for (const int bits : all_bits) {
        if (!has_its_turn(5)) continue;
        fill(c, size, 30);
        ASSERT_TRUE(operands.multiply(*kernel, c, {32, 32, 8}, bits, true).is_ok());
        const std::vector<std::byte> right = c.bring();
        for (const Tile& tile : tiles) {
            if (!has_its_turn(9)) continue;
            fill(c, size, 30);
            const Status done = operands.multiply(*kernel, c, tile, bits, false);
            ASSERT_TRUE(done.is_ok()) << done.text;
            ASSERT_TRUE(c.bring() == right) << operands.m << 'x' << operands.n << 'x' << operands.k << ": " << tile.m
                                            << 'x' << tile.n << ' ' << tile.k << " bits " << bits;
        }
    }
}

std::vector<Tile> every_tile(std::initializer_list<int> parts) {
    std::vector<Tile> all;
    for (const auto& [rows, columns] :
         {std::pair{128, 128}, {96, 128}, {64, 128}, {32, 128}, {16, 128}, {64, 64}, {32, 64}, {32, 32}})
        for (const int k : parts) {
            all.push_back({rows, columns, k});
            if (rows != columns) all.push_back({columns, rows, k});
        }
    return all;
}

TEST_P(DmmaTiles, HaveTheSameBitsHoweverTheOperandsLie) {
    std::vector<int> all_bits(37);
    for (int i = 0; i < 37; ++i) all_bits[static_cast<std::size_t>(i)] = i;
    for (const auto& [m, n, k] : {std::tuple{141, 263, 77}, {15, 130, 300}, {130, 7, 33}})
        compare(Operands(GetParam(), m, n, k), every_tile({16, -3}), all_bits);
}

TEST_F(OnDevice, TilesOfDoublesSumAnyNumbersInOneOrder) {
    for (const auto& [m, n, k] : {std::tuple{141, 264, 78}, {16, 130, 1500}})
        compare(Operands(Type::f64, m, n, k, any_number), every_tile({16}), {0, 2, 8, 16, 35});
}

TEST_P(DmmaTiles, InPartsHaveTheSameSums) {
    for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, {16, 520, 2000}, {700, 33, 1501}, {1500, 1700, 300}})
        compare(Operands(GetParam(), m, n, k), every_tile({-2, -5, -16}), {0, 10, 21, 32});
}

INSTANTIATE_TEST_SUITE_P(Types, DmmaTiles, testing::Values(Type::f64, Type::c128, Type::c64),
                         [](const auto& one) { return std::string(name_of(one.param)); });

}  // namespace
}  // namespace on_device
