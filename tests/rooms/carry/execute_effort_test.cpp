// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a kernel of the effort dial is given: its notes, its own scratch and copies of the operands lie in the backend's
// memory, apart from each other, and what was chosen on the host arrives there.
#include "carry/execute_effort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "base/element.hpp"

namespace {

using namespace tw;

constexpr int outputs = 5, inputs = 7, products = 3;
constexpr std::size_t own_bytes = 1000;

struct Given {
    std::vector<std::byte> memory;  ///< the backend's
    std::size_t asked = 0;
    bool lies_apart = false;
    EffortNotes notes;
    std::span<std::byte> own;
};
Given* given = nullptr;

std::span<std::byte> scratch(std::size_t bytes, void*) {
    given->asked = bytes;
    given->memory.assign(bytes, std::byte{0});
    return given->memory;
}

Status copy(const Matrix& to, const Matrix& from, void*) {
    for (std::int64_t i = 0; i < to.rows; ++i)
        std::memcpy(to.at(i, 0), from.at(i, 0), static_cast<std::size_t>(to.cols) * size_of(to.type));
    return {};
}

/// Every part that the kernel may write to, each once.
std::vector<std::span<std::byte>> parts(const EffortCall& call) {
    const auto bytes = [](auto* first, std::size_t count) { return std::as_writable_bytes(std::span(first, count)); };
    std::vector<std::span<std::byte>> all{bytes(call.notes.chosen, products),
                                          bytes(call.notes.entries, products * inputs), call.scratch};
    if (call.v_step == inputs) all.push_back(bytes(const_cast<float*>(call.v), products * inputs));
    if (call.y_step == outputs) all.push_back(bytes(call.y, products * outputs));
    return all;
}

/// y[p][o] = (o + 1) * the sum of v[p], and a look at what it was given.
Status run(const EffortCall& call) {
    const std::byte *first = given->memory.data(), *last = first + given->memory.size();
    std::vector<std::span<std::byte>> all = parts(call);
    std::ranges::sort(all, {}, [](const auto& part) { return part.data(); });
    given->lies_apart = all.front().data() >= first && all.back().data() + all.back().size() <= last;
    for (std::size_t i = 1; i < all.size(); ++i)
        given->lies_apart &= all[i - 1].data() + all[i - 1].size() <= all[i].data();
    for (int p = 0; p < call.products; ++p) {
        float sum = 0;
        for (int i = 0; i < inputs; ++i) sum += call.v[p * call.v_step + i];
        for (int o = 0; o < outputs; ++o) call.y[p * call.y_step + o] = static_cast<float>(o + 1) * sum;
    }
    given->notes = call.notes, given->own = call.scratch;
    return {};
}

constexpr EffortKernel kernel{
    .name = "effort_test",
    .kernels = "test",
    .scratch_bytes = [](const EffortPlaced&, int) { return own_bytes; },
    .run = run,
};

Backend backend_at(Place place) {
    return {.name = "test",
            .place = place,
            .ladder = {},
            .feature_names = {},
            .features = []() -> Features { return 0; },
            .devices = [] { return 1; },
            .absence = [] { return ""; },
            .select = nullptr,
            .owns = [](const void*) { return false; },
            .alloc = nullptr,
            .free = nullptr,
            .scratch = scratch,
            .copy = place == Place::host ? nullptr : copy,
            .finish = nullptr,
            .wait = [](void*) { return Status{}; },
            .async_copies = nullptr};
}

class ExecuteEffort : public testing::TestWithParam<Place> {
protected:
    void SetUp() override {
        for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = static_cast<float>(i % 10);
    }
    void expect_products() {
        for (int p = 0; p < products; ++p)
            for (int o = 0; o < outputs; ++o) {
                float sum = 0;
                for (int i = 0; i < inputs; ++i) sum += v_[static_cast<std::size_t>(p * v_step_ + i)];
                EXPECT_EQ(y_[static_cast<std::size_t>(p * y_step_ + o)], static_cast<float>(o + 1) * sum);
            }
    }
    static EffortPlaced placed() {
        EffortPlaced matrix;
        matrix.outputs = outputs, matrix.inputs = inputs;
        return matrix;
    }
    const std::int64_t v_step_ = inputs + 2, y_step_ = outputs + 3;
    std::vector<float> v_ = std::vector<float>(products * (inputs + 2)),
                       y_ = std::vector<float>(products * (outputs + 3));
    EffortPlaced matrix_ = placed();
    EffortCall call_{
        .matrix = matrix_, .products = products, .v = v_.data(), .v_step = v_step_, .y = y_.data(), .y_step = y_step_};
    Given given_{};
    Backend backend_ = backend_at(GetParam());
    EffortPlan plan_{.backend = &backend_, .kernel = &kernel};
};

TEST_P(ExecuteEffort, PartsLieApartInTheBackendsMemory) {
    given = &given_;
    ASSERT_TRUE(execute_effort(plan_, kernel, call_));
    EXPECT_TRUE(given_.lies_apart);
    EXPECT_GE(given_.own.size(), own_bytes);
    EXPECT_EQ(given_.asked, effort_scratch_bytes(plan_, kernel,
                                                 {.matrix = matrix_,
                                                  .products = products,
                                                  .v = v_.data(),
                                                  .v_step = v_step_,
                                                  .y = y_.data(),
                                                  .y_step = y_step_}));
    expect_products();
}

TEST_P(ExecuteEffort, WhatIsChosenOnTheHostArrives) {
    given = &given_;
    std::vector<EffortChosen> chosen(products);
    std::vector<EffortEntry> entries(products * inputs);
    for (std::size_t p = 0; p < products; ++p) {
        chosen[p] = {.entries = static_cast<std::uint32_t>(p + 2), .worth = 1, .fine = 0, .scale = 0, .factor = 0.5};
        for (std::size_t i = 0; i < inputs; ++i)
            entries[p * inputs + i].input = static_cast<decltype(EffortEntry::input)>(10 * p + i);
    }
    call_.is_chosen = true, call_.notes = {chosen.data(), entries.data()};
    ASSERT_TRUE(execute_effort(plan_, kernel, call_));
    for (int p = 0; p < products; ++p) {
        const EffortChosen& here = given_.notes.chosen[p];
        ASSERT_EQ(here.entries, static_cast<std::uint32_t>(p + 2));
        for (int i = 0; i < p + 2; ++i) EXPECT_EQ(given_.notes.entries[p * inputs + i].input, 10 * p + i);
        EffortChosen fetched{};
        std::vector<EffortEntry> kept(inputs);
        ASSERT_TRUE(fetch_choice(plan_, call_, p, fetched, kept.data()));
        EXPECT_EQ(fetched.entries, here.entries);
        EXPECT_EQ(kept[static_cast<std::size_t>(p) + 1].input, 10 * p + p + 1);
    }
    expect_products();
}

TEST_P(ExecuteEffort, OneVectorForAllProductsIsCopiedOnce) {
    given = &given_;
    call_.v_step = 0;
    ASSERT_TRUE(execute_effort(plan_, kernel, call_));
    for (int p = 0; p < products; ++p) EXPECT_EQ(y_[static_cast<std::size_t>(p * y_step_)], 0 + 1 + 2 + 3 + 4 + 5 + 6);
}

/// A backend of the host has no scratch of its own: the caller's serves when it is just enough, and no longer when a
/// byte is missing.
TEST_P(ExecuteEffort, TheCallersScratchServesWhenItIsEnough) {
    if (GetParam() != Place::host) GTEST_SKIP();
    given = &given_;
    backend_.scratch = nullptr;
    const std::size_t enough = effort_scratch_bytes(plan_, kernel, call_);
    for (const std::size_t missing : {std::size_t{0}, std::size_t{1}}) {
        given_.memory.assign(enough, std::byte{0});
        call_.scratch = std::span(given_.memory).first(enough - missing);
        ASSERT_TRUE(execute_effort(plan_, kernel, call_));
        EXPECT_EQ(given_.lies_apart, missing == 0);
        expect_products();
    }
}

INSTANTIATE_TEST_SUITE_P(Places, ExecuteEffort, testing::Values(Place::host, Place::cuda));

}  // namespace
