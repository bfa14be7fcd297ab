// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What is asked of tw bench, option by option, is what is measured.
#include "cli/verbs/bench_options.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/threads.hpp"

namespace tw::cli {
namespace {

measure::Bench bench_with(const std::function<void(BenchOptions&)>& change) {
    BenchOptions asked;
    asked.m = "5", asked.n = "6", asked.k = "7";
    change(asked);
    return bench_of(asked);
}

TEST(BenchOptions, AreWhatIsMeasuredByDefault) {
    const measure::Bench bench = bench_with([](BenchOptions&) {});
    ASSERT_EQ(bench.shapes.size(), 1u);
    EXPECT_EQ(bench.shapes[0].m, 5);
    EXPECT_EQ(bench.shapes[0].n, 6);
    EXPECT_EQ(bench.shapes[0].k, 7);
    EXPECT_TRUE(bench.kernels.empty());
    EXPECT_EQ(bench.task.type, Type::f32);
    EXPECT_EQ(bench.task.accuracy, resolve(Accuracy{}, Type::f32));
    EXPECT_EQ(bench.task.threads, default_threads());
    EXPECT_EQ(bench.task.products, 1);
    EXPECT_EQ(bench.budget.seconds, 3);
    EXPECT_EQ(bench.budget.relative_error, 0);
    EXPECT_EQ(bench.callers, 0);
    EXPECT_TRUE(bench.is_judged);
    EXPECT_FALSE(bench.task.is_cold || bench.is_also_reproducible || bench.is_also_on_one_thread);
}

TEST(BenchOptions, EachReachesItsPlace) {
    EXPECT_EQ(bench_with([](auto& o) { o.kernels = {"r6"}; }).kernels, std::vector<std::string>{"r6"});
    EXPECT_EQ(bench_with([](auto& o) { o.type = "c64"; }).task.type, Type::c64);
    EXPECT_EQ(bench_with([](auto& o) { o.accuracy = "bf16"; }).task.accuracy, resolve(bf16, Type::f32));
    EXPECT_EQ(bench_with([](auto& o) { o.threads = 3; }).task.threads, 3);
    EXPECT_EQ(bench_with([](auto& o) { o.batch = 9; }).task.products, 9);
    EXPECT_TRUE(bench_with([](auto& o) { o.is_cold = true; }).task.is_cold);
    EXPECT_EQ(bench_with([](auto& o) { o.seconds = 0.5; }).budget.seconds, 0.5);
    EXPECT_EQ(bench_with([](auto& o) { o.relative_error = 0.25; }).budget.relative_error, 0.25);
    EXPECT_FALSE(bench_with([](auto& o) { o.is_unverified = true; }).is_judged);
    EXPECT_TRUE(bench_with([](auto& o) { o.is_reproducible = true; }).is_also_reproducible);
}

TEST(BenchOptions, OneThreadIsMeasuredBesideManyWhereThatIsAsked) {
    const auto is_also_alone = [](auto change) {
        return bench_with([&](BenchOptions& o) {
                   o.threads = 2;
                   change(o);
               })
            .is_also_on_one_thread;
    };
    EXPECT_FALSE(is_also_alone([](auto&) {}));
    EXPECT_TRUE(is_also_alone([](auto& o) { o.is_scaling = true; }));
    EXPECT_FALSE(is_also_alone([](auto& o) { o.is_scaling = true, o.threads = 1; }));
    EXPECT_TRUE(is_also_alone([](auto& o) { o.batch = 4; }));
    EXPECT_FALSE(is_also_alone([](auto& o) { o.batch = 4, o.kernels = {"r6"}; }));
    EXPECT_FALSE(is_also_alone([](auto& o) { o.batch = 4, o.device = "cuda"; }));
}

TEST(BenchOptions, OfASurveyReachIt) {
    BenchOptions asked;
    asked.suite = "survey", asked.device = "cpu-check", asked.json = "file", asked.peers = "cublas", asked.threads = 3;
    asked.baseline = "before", asked.with_peers = asked.is_reproducible = true;
    asked.survey.types = "f64", asked.survey.seed = 7, asked.survey.count = 9, asked.survey.shard = "2/3";
    const SurveyArguments survey = survey_of(asked);
    EXPECT_EQ(survey.suite, "survey");
    EXPECT_EQ(survey.device, "cpu-check");
    EXPECT_EQ(survey.json, "file");
    EXPECT_EQ(survey.peers, "cublas");
    EXPECT_EQ(survey.baseline, "before");
    EXPECT_EQ(survey.threads, 3);
    EXPECT_TRUE(survey.with_peers && survey.is_reproducible);
    EXPECT_EQ(survey.types, "f64");
    EXPECT_EQ(survey.seed, 7);
    EXPECT_EQ(survey.count, 9);
    EXPECT_EQ(survey.shard, "2/3");
    const SurveyArguments plain = survey_of(BenchOptions{});
    EXPECT_FALSE(plain.with_peers || plain.is_reproducible);
}

TEST(BenchOptions, PeersAreThoseOfTheList) {
    const auto peers = [](const char* list) {
        BenchOptions asked;
        asked.peers = list;
        return peers_of(asked);
    };
    EXPECT_EQ(peers(""), std::vector<std::string>{});
    EXPECT_EQ(peers("mkl"), std::vector<std::string>{"mkl"});
    EXPECT_EQ(peers("openblas,mps,blis"), (std::vector<std::string>{"openblas", "mps", "blis"}));
}

}  // namespace
}  // namespace tw::cli
