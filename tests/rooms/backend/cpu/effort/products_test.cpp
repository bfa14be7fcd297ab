// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which products a call of the dial does together: its own, and none of those that lie behind them in the same arrays.
#include "backend/cpu/effort/products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "formats/body.hpp"
#include "reference/random.hpp"
#include "tilewright/effort.hpp"

namespace {

using namespace tw;

constexpr std::int64_t outputs = 600, inputs = 70;
constexpr int products = 3, there = 20;
constexpr float kept = 777;

struct Arrays {
    std::vector<float> weights = std::vector<float>(outputs * inputs), v = std::vector<float>(there * inputs),
                       y = std::vector<float>(there * outputs, kept);
    std::vector<EffortChosen> chosen{there, EffortChosen{inputs, 0, 2, 0, 1}};
    std::vector<EffortEntry> entries = std::vector<EffortEntry>(there * inputs);

    Arrays() {
        reference::Random random(1);
        for (float& w : weights) w = static_cast<float>(random.normal());
        for (std::size_t e = 0; e < v.size(); ++e) {
            v[e] = static_cast<float>(random.normal());
            entries[e] = {static_cast<std::uint32_t>(e % inputs), 3, v[e]};
        }
    }
    /// Bit for bit those of one product at a time, and what lies behind them is as it was.
    void expect_products(const EffortCall& call, Status (*run)(const EffortCall&)) {
        for (const int threads : {1, 3}) {
            std::vector<float> alone(outputs);
            y.assign(y.size(), kept);
            EffortCall all = call;
            all.threads = threads;
            ASSERT_TRUE(run(all));
            for (int p = 0; p < there; ++p) {
                EffortCall one = call;
                one.products = 1, one.y = alone.data();
                one.v += p * inputs;
                one.notes = {call.notes.chosen + p, call.notes.entries + p * inputs};
                ASSERT_TRUE(run(one));
                for (std::size_t o = 0; o < outputs; ++o)
                    ASSERT_EQ(y[static_cast<std::size_t>(p) * outputs + o], p < products ? alone[o] : kept)
                        << p << ' ' << o << ", threads " << threads;
            }
        }
    }
};

TEST(EffortProducts, OfACallAreDoneAndNoOthers) {
    Arrays arrays;
    const Matrix weights{arrays.weights.data(), Type::f32, outputs, inputs, inputs};
    const EffortMatrix m = build_effort(weights, {.dense = DenseCopy::kept});
    EffortPlaced placed;
    placed.outputs = outputs, placed.inputs = inputs, placed.type = Type::f32, placed.body = m.body();
    placed.rows = m.body()->rows.data(), placed.dense = m.body()->dense.data();
    const EffortCall call{.matrix = placed,
                          .products = products,
                          .v = arrays.v.data(),
                          .v_step = inputs,
                          .y = arrays.y.data(),
                          .y_step = outputs,
                          .notes = {arrays.chosen.data(), arrays.entries.data()},
                          .is_chosen = true};
    arrays.expect_products(call, cpu::run_tiles<cpu::effort_planes_portable, cpu::effort_planes_whole_portable>);
    arrays.expect_products(call, cpu::run_tiles<cpu::effort_planes_portable>);
    arrays.expect_products(call, cpu::run_densely<cpu::effort_dense_portable>);
}

}  // namespace
