// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A case is what is multiplied: each part of it reaches the library, and the losses that the judge allows are those of
// the kernels that ran.
#include "measure/judging/work.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "plan/registry.hpp"

namespace tw::judging {
namespace {

Case plain() {
    Case one;
    one.m = 5, one.n = 6, one.k = 7;
    return one;
}

struct Asked {
    Work work;
    Options options;

    explicit Asked(const Case& one) : work(one), options(work.options("cpu")) {}
};

Asked with(const std::function<void(Case&)>& change) {
    Case one = plain();
    change(one);
    return Asked(one);
}

TEST(JudgedWork, AsksForNothingThatACaseHasNot) {
    const Options& asked = with([](Case&) {}).options;
    EXPECT_EQ(asked.alpha, 1);
    EXPECT_EQ(asked.beta, 0);
    EXPECT_EQ(asked.alpha_imag, 0);
    EXPECT_EQ(asked.beta_imag, 0);
    EXPECT_EQ(asked.accuracy, Accuracy{});
    EXPECT_TRUE(asked.epilogue.is_empty());
    EXPECT_EQ(asked.device, "cpu");
    EXPECT_EQ(asked.threads, 1);
    EXPECT_EQ(asked.slabs, 0);
    EXPECT_FALSE(asked.reproducible || asked.verify || asked.executor);
    EXPECT_TRUE(asked.scratch.empty());
}

TEST(JudgedWork, AsksForEachPartOfACase) {
    EXPECT_EQ(with([](Case& c) { c.alpha = 3; }).options.alpha, 3);
    EXPECT_EQ(with([](Case& c) { c.beta = 4; }).options.beta, 4);
    EXPECT_EQ(with([](Case& c) { c.in = c.out = Type::c64, c.alpha_imag = 5; }).options.alpha_imag, 5);
    EXPECT_EQ(with([](Case& c) { c.in = c.out = Type::c64, c.beta_imag = 6; }).options.beta_imag, 6);
    EXPECT_EQ(with([](Case& c) { c.slabs = 4; }).options.slabs, 4);
    EXPECT_EQ(with([](Case& c) { c.threads = 7; }).options.threads, 7);
    EXPECT_EQ(with([](Case& c) { c.accuracy = "tf32"; }).options.accuracy, tf32);
    EXPECT_TRUE(with([](Case& c) { c.reproducible = true; }).options.reproducible);
    EXPECT_EQ(with([](Case& c) { c.verify = true, c.seed = 2; }).options.verify, Verify(true));
    EXPECT_EQ(with([](Case& c) { c.verify = true, c.seed = 3; }).options.verify, Verify::correct);
    EXPECT_EQ(with([](Case& c) { c.scale = 0.5; }).options.epilogue.scale, 0.5);
    EXPECT_EQ(with([](Case& c) { c.activation = Activation::silu; }).options.epilogue.activation, Activation::silu);
    const Asked added = with([](Case& c) { c.bias = c.residual = true; });
    EXPECT_EQ(added.options.epilogue.bias_size, 6);
    EXPECT_NE(added.options.epilogue.bias, nullptr);
    EXPECT_EQ(added.options.epilogue.residual.rows, 5);
    EXPECT_EQ(added.options.epilogue.residual.cols, 6);
    for (const std::int64_t offset : {0, 1, 33, 63}) {
        const Asked own = with([=](Case& c) { c.scratch = offset; });
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(own.options.scratch.data()) % 64, static_cast<std::size_t>(offset));
        EXPECT_GE(own.options.scratch.size(), std::size_t{1} << 18);
    }
}

TEST(JudgedWork, RunsTasksBackwardsAndInAnotherModeWhereThatIsAsked) {
    EXPECT_EQ(with([](Case& c) { c.runner = Runner::pool; }).options.executor, nullptr);
    for (const Runner runner : {Runner::executor, Runner::odd_executor}) {
        Work work([&] {
            Case one = plain();
            one.runner = runner;
            return one;
        }());
        const Options options = work.options("cpu");
        ASSERT_NE(options.executor, nullptr);
        EXPECT_EQ(options.executor->self != nullptr, runner == Runner::odd_executor);
        std::vector<int> order;
        options.executor->run(
            options.executor->self, 3, [](void* to, int task) { static_cast<std::vector<int>*>(to)->push_back(task); },
            &order);
        EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
    }
}

// What one of them does not have is refused: so a case that asks for it has asked for it.
TEST(JudgedWork, WhatIsRefusedOfOneProductIsRefusedByEachDoor) {
    for (const Door door : {Door::call, Door::plan, Door::batch}) {
        Case one = plain();
        one.in = one.out = Type::c64, one.door = door;
        EXPECT_TRUE(Work(one).run("cpu", false)) << name_of(door);
        one.verify = true;
        EXPECT_FALSE(Work(one).run("cpu", false)) << name_of(door) << ": complex products are not verified";
    }
}

TEST(JudgedWork, RoundsBeforeTheEpilogueWhereTheKernelDoes) {
    bool seen[2] = {};
    for (const char* device : {"cpu", "cpu-check"})
        for (const Type type : {Type::f32, Type::f64, Type::bf16, Type::f16}) {
            Case one = plain();
            one.in = one.out = type, one.bias = true;
            Work work(one);
            if (!work.run(device, false)) continue;
            const Backend& backend = *find_backend(device);
            for (const Kernel* row : backend.ladder) {
                if (std::strcmp(row->name, work.kernel()) != 0) continue;
                const bool rounds = !row->fuses_epilogue && row->out != row->sum;
                EXPECT_EQ(work.rounds_before_epilogue(), rounds) << row->name;
                seen[rounds] = true;
            }
        }
    EXPECT_TRUE(seen[0] && seen[1]) << "kernels of both kinds";
}

}  // namespace
}  // namespace tw::judging
