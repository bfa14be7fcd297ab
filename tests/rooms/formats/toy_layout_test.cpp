// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a new layout takes: a row for its format and a row for each kernel that reads it, both made here. It is built,
// chosen from, switched to the dense copy and multiplied as the library's own layouts are, and nothing else knows it.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/cpu/backend.hpp"
#include "backend/cpu/effort/products.hpp"
#include "effort/batch.hpp"
#include "effort/build.hpp"
#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {
namespace {

/// halves: f32 weights as they were given, in tiles of 64 outputs. An input has two units: its even outputs, its odd
/// ones.
constexpr std::int64_t outputs_of_tile = 64;
constexpr int no_buckets[] = {0};

void encode(const EffortBody& body, const effort::EncodedInput& one, effort::Findings& found) {
    effort::UnitSums& sums = found.as<effort::UnitSums>();
    const std::int64_t width = body.format->width(body, one.outputs_left);
    for (std::int64_t o = 0; o < width; ++o) {
        const std::int64_t at = one.input * width + o % 2 * (width / 2) + o / 2;
        std::memcpy(one.rows + 4 * at, one.w + o, 4);
        sums.squares[o % 2] += static_cast<double>(one.w[o]) * static_cast<double>(one.w[o]);
    }
}

const effort::Format halves = {
    .layout = static_cast<EffortLayout>(9),
    .buckets = no_buckets,
    .may_truncate = false,
    .keeps_dense = true,
    .keeps_values = true,
    .has_gains = false,
    .units = [](int) { return 2; },
    .outputs_of_tile = [](int) { return outputs_of_tile; },
    .width = [](const EffortBody&,
                std::int64_t left) { return static_cast<int>(std::min(left + left % 2, outputs_of_tile)); },
    .tile_bytes = [](const EffortBody& body, int width) { return (body.inputs * width * 4 + 63) / 64 * 64; },
    .unit_bytes = [](const EffortBody& body, int) { return (body.outputs + 1) / 2 * 4; },
    .encode = encode,
    .summary = effort::summary_of_units,
    .flaw = nullptr,
    .rounding = nullptr,
    .device_outputs = nullptr,
    .device_tile_bytes = nullptr,
    .device_inputs = nullptr,
    .arrange = nullptr,
};

void multiply_tile(const cpu::EffortTile& tile) {
    const auto* rows = reinterpret_cast<const float*>(tile.rows);
    std::fill_n(tile.y, tile.width, 0.f);
    for (const EffortEntry* e = tile.entries; e < tile.entries + tile.count; ++e)
        for (int o = 0; o < tile.width; ++o)
            if (static_cast<unsigned>(o % 2) < e->units)
                tile.y[o] += e->v * rows[std::int64_t{e->input} * tile.width + o % 2 * (tile.width / 2) + o / 2];
}

constexpr EffortKernel toy_row{
    .name = "effort_halves",
    .kernels = "toy",
    .layout = static_cast<EffortLayout>(9),
    .most_products = 3,
    .nanoseconds = [](const EffortProblem& p) { return 100. * static_cast<double>(p.bytes); },
    .run = cpu::run_tiles<multiply_tile>,
};

/// The CPU with one row more.
const Backend& wider_cpu() {
    static const std::vector<const EffortKernel*> rows = [] {
        std::vector<const EffortKernel*> all(cpu::backend().effort.begin(), cpu::backend().effort.end());
        all.push_back(&toy_row);
        return all;
    }();
    static const Backend wider = [] {
        Backend copy = cpu::backend();
        copy.effort = rows;
        return copy;
    }();
    return wider;
}

struct Toy {
    static constexpr std::int64_t outputs = 151, inputs = 90, vectors = 7;
    Weights weights{outputs, inputs, Type::f32, 3};
    EffortMatrix m;
    std::vector<float> v = gauss(vectors * inputs, 4), y = std::vector<float>(vectors * outputs);
    std::vector<EffortReport> reports = std::vector<EffortReport>(vectors);

    Toy() { EXPECT_TRUE(effort::build(halves, {&weights.matrix, 1}, {}, m)); }

    Status run(Budget budget, const EffortOptions& options = {}, const Backend& backend = wider_cpu()) {
        return effort::run(
            {.backend = &backend},
            {*m.body(), {}, {v.data(), vectors, inputs}, {y.data(), vectors, outputs}, budget, options, reports});
    }
    double error_of(std::int64_t row) const {
        const std::vector<float> one(v.begin() + row * inputs, v.begin() + (row + 1) * inputs),
            of(y.begin() + row * outputs, y.begin() + (row + 1) * outputs);
        return relative_error(of, exact(weights.matrix, one));
    }
};

TEST(AToyLayout, IsMultipliedThroughTheSameDoor) {
    Toy toy;
    double before = 1;
    for (const double effort : {.2, .6, 1.}) {
        ASSERT_TRUE(toy.run(Budget::effort(effort), {.dense = DenseSwitch::never}));
        double error = 0;
        for (std::int64_t row = 0; row < Toy::vectors; ++row) {
            const EffortReport& r = toy.reports[static_cast<std::size_t>(row)];
            EXPECT_STREQ(r.kernels, "toy");
            EXPECT_FALSE(r.dense);
            EXPECT_NEAR(static_cast<double>(r.bytes_read), effort * static_cast<double>(r.bytes), 400);
            EXPECT_NEAR(r.estimated_error, toy.error_of(row), .3 * toy.error_of(row) + 1e-6) << effort;
            error = std::max(error, toy.error_of(row));
        }
        EXPECT_LT(error, before);
        before = error;
    }
    EXPECT_LE(before, 1e-6);
}

TEST(AToyLayout, IsSwitchedToItsDenseCopy) {
    Toy toy;
    for (const Budget budget : {Budget::effort(1), Budget::effort(.5), Budget::error(1e-9)}) {
        ASSERT_TRUE(toy.run(budget, {.dense = DenseSwitch::when_quicker}));  // its row says that it is slow
        for (const EffortReport& report : toy.reports) EXPECT_TRUE(report.dense);
        for (std::int64_t row = 0; row < Toy::vectors; ++row) EXPECT_LE(toy.error_of(row), 1e-6);
    }
}

TEST(AToyLayout, IsRefusedWhereNoRowReadsIt) {
    Toy toy;
    EXPECT_EQ(toy.run(Budget::effort(.5), {}, cpu::backend()).code, Code::unsupported);
    EXPECT_EQ(toy.run(Budget::effort(.5), {.kernels = "portable"}).code, Code::unsupported);
}

}  // namespace
}  // namespace tw::effort_tests
