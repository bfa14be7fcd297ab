// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The order of rows: one number an input and one fall a unit say as much as a number for every row, and what is read is
// exactly what is before the cutoff, also among rows of the same worth.
#include "effort/choice/importance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>

#include "effort/choice/select.hpp"
#include "formats/body.hpp"
#include "rooms/effort/samples.hpp"
#include "support/guarded_matrix.hpp"
#include "support/sanitized.hpp"

namespace tw::effort_tests {
namespace {

using effort::Question, effort::Selection;

struct Row {
    double worth;
    int unit;
    std::int64_t input;
};

/// What is read of each input: rows by worth, then by unit, then by input, up to the first that can't be afforded.
template <class WorthOf>
std::vector<std::uint8_t> read_in_order(const Question& q, std::int64_t bytes, const WorthOf& worth_of) {
    std::vector<Row> rows;
    for (int u = 0; u < q.units; ++u)
        for (std::int64_t i = 0; i < q.inputs; ++i) rows.push_back({worth_of(u, i), u, i});
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.worth > b.worth; });
    std::vector<std::uint8_t> units(static_cast<std::size_t>(q.inputs));
    for (const Row& row : rows) {
        bytes -= q.unit_bytes[row.unit];
        if (bytes < 0) break;
        EXPECT_EQ(units[static_cast<std::size_t>(row.input)]++, row.unit) << "no unit without the one before it";
    }
    return units;
}

Question question_of(const EffortBody& body, const std::vector<float>& v) {
    Question q{v.data(), body.inputs, body.units(), body.importance_of(0), body.falls, body.left_of(0), {}};
    for (int u = 0; u < q.units; ++u) q.unit_bytes[u] = effort::bytes_of_unit(body, u);
    return q;
}

double left_after(const Question& q, std::vector<std::uint8_t> units) {
    Selection chosen{units.data()};
    effort::tally(q, chosen);
    return std::sqrt(chosen.left / chosen.all);
}

/// By all the numbers there are: what each unit of each input brings for its bytes.
double left_by_every_row(const Question& q, std::int64_t bytes) {
    std::vector<double> brings(static_cast<std::size_t>(q.units * q.inputs));
    for (int u = 0; u < q.units; ++u)
        for (std::int64_t i = 0; i < q.inputs; ++i) {
            const double share = static_cast<double>(q.unit_bytes[u]) / static_cast<double>(q.unit_bytes[0]);
            const double own =
                std::sqrt(std::max(0.f, q.left[u * q.inputs + i] - q.left[(u + 1) * q.inputs + i]) / share);
            const auto at = static_cast<std::size_t>(u * q.inputs + i);
            brings[at] = u > 0 ? std::min(own, brings[at - static_cast<std::size_t>(q.inputs)]) : own;
        }
    return left_after(q, read_in_order(q, bytes, [&](int u, std::int64_t i) {
                          return static_cast<double>(std::fabs(q.v[i])) *
                                 brings[static_cast<std::size_t>(u * q.inputs + i)];
                      }));
}

/// What `select_by_bytes` reads.
std::vector<std::uint8_t> chosen_of(const Question& q, std::int64_t bytes) {
    std::vector<std::byte> scratch(effort::selection_bytes(q.inputs));
    const Selection chosen = effort::select_by_bytes(q, bytes, scratch);
    return {chosen.units, chosen.units + q.inputs};
}

/// Weights of inputs alike, of inputs that differ much in size, and of distributions with long and very long tails
/// (kurtosis 12 and 46).
void make_unlike(const Matrix& weights, int kind) {
    reference::Random random(9);
    for (std::int64_t i = 0; i < weights.cols && kind > 0; ++i) {
        const double of_input = std::exp(.8 * random.normal());
        for (std::int64_t o = 0; o < weights.rows; ++o) {
            const double w = load_element(weights, o, i);
            store_element(weights, o, i, kind == 1 ? w * of_input : kind == 2 ? w * std::fabs(w) : w * w * w);
        }
    }
}

TEST(Importance, OneNumberAnInputLeavesNoMoreThanOneForEveryRow) {
    for (const int kind : {0, 1, 2, 3}) {
        const Weights weights(768, 1024, Type::f32, 1);
        make_unlike(weights.matrix, kind);
        for (const EffortLayout layout : every_layout) {
            if (!test::has_its_turn(4)) continue;
            const EffortMatrix m = build_effort(weights.matrix, {.layout = layout});
            for (const std::vector<float>& v : {gauss(1024, 2), gated(1024, 3)}) {
                const Question q = question_of(*m.body(), v);
                for (const double effort : {.05, .1, .25, .5, .75}) {
                    const auto bytes = static_cast<std::int64_t>(effort * static_cast<double>(m.bytes()));
                    EXPECT_LE(left_after(q, chosen_of(q, bytes)), 1.03 * left_by_every_row(q, bytes) + 5e-4)
                        << name_of(layout) << ' ' << kind << ' ' << effort;
                }
            }
        }
    }
}

TEST(Importance, ExpertsHaveImportancesOfTheirOwnAndFallsInCommon) {
    const Weights first(96, 40, Type::f32, 4), second(96, 40, Type::f32, 5, 4.);
    const Matrix experts[] = {first.matrix, second.matrix};
    const EffortMatrix m = build_effort(experts);
    double sizes[2] = {};
    for (int e = 0; e < 2; ++e)
        sizes[e] = std::accumulate(m.body()->importance_of(e), m.body()->importance_of(e) + 40, 0.);
    EXPECT_NEAR(sizes[1] / sizes[0], 4, .4);
}

/// Whatever a file says is left: falls rise from none on, and every importance is a number that no product makes
/// infinite.
/// The number of an array's last unit is its last one: a page without access follows.
TEST(Importance, ReadsNothingBehindWhatIsLeft) {
    const Weights weights(96, 40, Type::f32, 4);
    for (const EffortLayout layout : every_layout)
        for (const int bucket : {8, 16, 32}) {
            if (layout != EffortLayout::buckets && bucket != 16) continue;
            const EffortMatrix m = build_effort(weights.matrix, {.layout = layout, .bucket = bucket});
            EffortBody body;
            body.format = m.body()->format, body.bucket = m.body()->bucket;
            body.outputs = m.body()->outputs, body.inputs = m.body()->inputs;
            const std::span<const std::byte> left = m.body()->left.bytes();
            const auto pages = std::make_shared<test::GuardedPages>(
                static_cast<std::size_t>((body.units() + 1) * body.inputs) * sizeof(float));
            std::copy_n(left.begin(), pages->bytes().size(), pages->bytes().begin());
            body.left.show(pages->bytes().data(), pages->bytes().size(), pages);
            ASSERT_TRUE(body.importance.allocate(m.body()->importance.size()));
            effort::weigh_inputs(body);
            EXPECT_TRUE(std::ranges::equal(body.falls, m.body()->falls)) << name_of(layout) << ' ' << bucket;
            EXPECT_TRUE(std::equal(body.importance_of(0), body.importance_of(0) + 40, m.body()->importance_of(0)));
        }
}

TEST(Importance, ATallyIsOfWhatIsReadAndNothingElse) {
    const std::vector<float> v{1, 2, 3}, left{8, 8, 8, 4, 4, 4, 1, 1, 1}, importance(3);
    const std::uint32_t falls[2] = {};
    const Question q{v.data(), 3, 2, importance.data(), falls, left.data(), {100, 10}};
    for (const auto& [units, rows, bytes, kept] : {std::tuple{std::vector<std::uint8_t>{0, 0, 0}, 0, 0, 112.},
                                                   {{0, 1, 2}, 3, 210, 8 + 4 * 4 + 9.},
                                                   {{2, 2, 2}, 6, 330, 14.}}) {
        std::vector<std::uint8_t> read = units;
        Selection chosen{read.data()};
        effort::tally(q, chosen);
        EXPECT_EQ(chosen.rows, rows);
        EXPECT_EQ(chosen.bytes, bytes);
        EXPECT_EQ(chosen.left, kept);
        EXPECT_EQ(chosen.all, 112);
    }
}

/// Makes room in it for two experts' buckets of five inputs: for what is left, which it returns, and for what follows.
std::span<float> two_experts(EffortBody& body) {
    body.format = &effort::buckets_format, body.bucket = 32, body.outputs = 64, body.inputs = 5, body.experts = 2;
    const effort::Sizes sizes = effort::sizes_of(body, false);
    if (!body.left.allocate(static_cast<std::size_t>(sizes.left)) ||
        !body.importance.allocate(static_cast<std::size_t>(sizes.importance)))
        return {};
    return {body.left.as<float>(), static_cast<std::size_t>(sizes.left) / sizeof(float)};
}

TEST(Importance, FollowsFromAnyNumbersThatAreLeft) {
    EffortBody body;
    const std::span<float> left = two_experts(body);
    ASSERT_FALSE(left.empty());
    reference::Random random(6);
    for (int kind = 0; kind < 6; ++kind) {
        for (std::size_t n = 0; n < left.size(); ++n) {
            const double sizes_of_kind[] = {0,
                                            0x1p120,
                                            n % 2 ? 0 : 0x1p120,
                                            static_cast<double>(n),
                                            n < 5 ? 0x1p120 : 0x1p-140,
                                            std::exp(40 * random.normal())};
            left[n] = static_cast<float>(std::min(0x1p120, sizes_of_kind[kind]));
        }
        effort::weigh_inputs(body);
        EXPECT_EQ(body.falls[0], 0u);
        for (int u = 1; u < body.units(); ++u) EXPECT_GE(body.falls[u], body.falls[u - 1]) << kind;
        EXPECT_LE(body.falls[31], effort::most_fall) << kind;
        for (int i = 0; i < 10; ++i)
            EXPECT_TRUE(body.importance_of(0)[i] >= 0 && body.importance_of(0)[i] < 0x1p100f) << kind;
    }
}

/// Each unit brings half of what the one before it does; input i of expert e (i + 1)(e + 1) times what the first does.
TEST(Importance, IsTheRootOfWhatAnInputsUnitsBringTogether) {
    EffortBody body;
    const std::span<float> left = two_experts(body);
    ASSERT_FALSE(left.empty());
    auto next = left.begin();
    for (int e = 0; e < 2; ++e)
        for (int u = 0; u <= body.units(); ++u)
            for (int i = 0; i < 5; ++i) *next++ = std::ldexp(static_cast<float>((i + 1) * (e + 1)), -u);
    effort::weigh_inputs(body);
    for (int e = 0; e < 2; ++e)
        for (int i = 0; i < 5; ++i)
            EXPECT_FLOAT_EQ(body.importance_of(e)[i], static_cast<float>(std::sqrt((i + 1) * (e + 1) / 2.)));
    for (int u = 0; u < body.units(); ++u)
        EXPECT_EQ(body.falls[u],
                  std::min(static_cast<std::uint32_t>(u) << (22 - effort::fall_shift), effort::most_fall));
}

/// Equal worths, worths of nothing, falls of nothing, falls below nothing, numbers of every size: always the same
/// order.
TEST(Importance, WhatIsReadIsWhatIsBeforeTheCutoff) {
    reference::Random random(7);
    const auto below = [&random](int count) { return static_cast<int>(random.whole(0, count - 1)); };
    for (int round = 0; round < (test::is_sanitized ? 60 : 400); ++round) {
        const int units = 1 + below(32), kind = below(4);
        const std::int64_t inputs = 1 + below(90);
        std::vector<float> v(static_cast<std::size_t>(inputs)), importance(v.size()), left(v.size() * 33, 1.f);
        std::uint32_t falls[32] = {};
        Question q{v.data(), inputs, units, importance.data(), falls, left.data(), {}};
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = kind == 0   ? static_cast<float>(random.normal())
                   : kind == 1 ? static_cast<float>(below(3))
                               : std::ldexp(1.f, -below(149));
            importance[i] = kind == 3   ? std::ldexp(static_cast<float>(below(2)), below(60))
                            : kind == 0 ? static_cast<float>(std::fabs(random.normal()))
                                        : 3.f;
        }
        std::int64_t all = 0;
        for (int u = 0; u < units; ++u) {
            if (u > 0)
                falls[u] = std::min(effort::most_fall,
                                    falls[u - 1] + static_cast<std::uint32_t>(below(2) * below(round % 2 ? 3 : 2000)));
            q.unit_bytes[u] = 8 * (1 + (round % 3 == 0 ? 0 : below(5)));
            all += inputs * q.unit_bytes[u];
        }
        const float scale = effort::unit_scale(v.data(), inputs);
        const auto worth = [&](int u, std::int64_t i) {
            const float key =
                std::fabs(v[static_cast<std::size_t>(i)]) * scale * importance[static_cast<std::size_t>(i)];
            return std::max(0., static_cast<double>(std::bit_cast<std::uint32_t>(key)) - 65536. * falls[u]);
        };
        for (const std::int64_t bytes : {std::int64_t{0}, all / 50, all / 7, all / 2, all - 8, all - 1})
            EXPECT_EQ(chosen_of(q, bytes), read_in_order(q, bytes, worth))
                << round << ": " << units << " units, " << inputs << " inputs, " << bytes << " of " << all;
    }
}

}  // namespace
}  // namespace tw::effort_tests
