// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include <string_view>
#include <thread>
#include <utility>

#include "plan/choose.hpp"
#include "plan/eligibility.hpp"
#include "plan/registry.hpp"
#include "plan/store.hpp"
#include "scheme/scheme.hpp"
#include "tilewright/plan.hpp"

namespace {

// Kernels are promised at least one term; who plans a product without any still gets a plan.
TEST(Choose, PlansAProductWithoutTerms) {
    for (const std::int64_t m : {0, 3})
        for (const std::int64_t k : {0, 3})
            for (const bool reproducible : {false, true}) {
                tw::Plan plan;
                EXPECT_TRUE(tw::try_plan({.m = m, .n = 2, .k = k}, {.reproducible = reproducible}, plan));
                EXPECT_EQ(plan.problem.k, k);
            }
}

TEST(Choose, RefusesWhatIsNoProblem) {
    tw::Plan plan;
    for (const tw::Problem& bad : {tw::Problem{.m = -3, .n = 4, .k = 5}, tw::Problem{.m = 2, .n = INT64_MAX, .k = 5},
                                   tw::Problem{.m = 2, .n = 2, .k = 2, .in = static_cast<tw::Type>(9)}})
        EXPECT_EQ(tw::try_plan(bad, {}, plan).code, tw::Code::bad_argument);
    using tw::Type;
    for (const auto& [in, out] : {std::pair{Type::f32, Type::f64},
                                  {Type::f64, Type::f32},
                                  {Type::f32, Type::bf16},
                                  {Type::bf16, Type::f16},
                                  {Type::f16, Type::f64}}) {
        const tw::Status refused = tw::try_plan({.m = 2, .n = 2, .k = 2, .in = in, .out = out}, {}, plan);
        EXPECT_EQ(refused.code, tw::Code::bad_argument);
        EXPECT_STREQ(refused.text, "C's type must be A's, or f32 for narrower operands");
    }
    EXPECT_STREQ(plan.kernel_name(), "");
    EXPECT_EQ(plan.scratch_bytes(), 0u);
    float x = 0;
    const tw::Matrix one{&x, tw::Type::f32, 1, 1, 1};
    EXPECT_EQ(plan.try_run(one, one, one).code, tw::Code::bad_argument) << "nobody planned it";
}

/// By a thread that remembers nothing.
const tw::Kernel* fresh_choice(const tw::Problem& problem, const tw::Options& options) {
    const tw::Kernel* kernel = nullptr;
    std::thread([&] {
        if (tw::Plan plan; tw::try_plan(problem, options, plan)) kernel = plan.kernel;
    }).join();
    return kernel;
}

TEST(Choose, AChoiceIsRememberedForItsOwnWishesAlone) {
    int differ = 0;
    for (const tw::Problem& shape : {tw::Problem{.m = 1, .n = 3000, .k = 500},
                                     {.m = 3, .n = 4, .k = 5},
                                     {.m = 2, .n = 900, .k = 7},
                                     {.m = 300, .n = 300, .k = 300},
                                     {.m = 5, .n = 5, .k = 9000}})
        for (const int threads : {1, 2})
            for (const bool reproducible : {false, true})
                for (const tw::Accuracy accuracy : {tw::Accuracy(), tw::bf16, tw::Accuracy(1e-7)}) {
                    tw::Problem changed = shape;
                    changed.accuracy = accuracy;
                    const tw::Options wish{.accuracy = accuracy, .reproducible = reproducible, .threads = threads};
                    tw::Plan before, after;
                    ASSERT_TRUE(tw::try_plan(shape, {.threads = threads}, before));
                    const bool is_planned = static_cast<bool>(tw::try_plan(changed, wish, after));
                    const tw::Kernel* const right = fresh_choice(changed, wish);
                    ASSERT_EQ(is_planned, right != nullptr);
                    if (!is_planned) continue;
                    EXPECT_EQ(after.kernel, right) << after.kernel_name();
                    EXPECT_EQ(after.options.reproducible, reproducible) << "where the same kernel serves either wish";
                    differ += right != before.kernel;
                }
    EXPECT_GT(differ, 0) << "no wish here asks for another kernel";
}

TEST(Choose, WithReproducibleOneOrderServesAllRowsOfAK) {
    using tw::Type;
    const auto order_of = [](const tw::Problem& problem, int threads) {
        tw::Plan plan;
        EXPECT_TRUE(tw::try_plan(problem, {.reproducible = true, .threads = threads}, plan));
        return plan.kernel ? plan.kernel->order : 0;
    };
    for (const tw::Accuracy accuracy : {tw::Accuracy(), tw::tf32, tw::bf16})
        for (const Type type : {Type::f64, Type::f32, Type::f16, Type::bf16})
            for (const int k : {1, 31, 64, 127, 128, 129, 1000, 9000}) {
                const auto product = [&](int m, int n) {
                    return tw::Problem{.m = m, .n = n, .k = k, .in = type, .out = type, .accuracy = accuracy};
                };
                const int one = order_of(product(1, 1), 1);
                EXPECT_NE(one, 0);
                for (const int m : {1, 7, 64, 5000})
                    for (const int n : {64, 3000})
                        for (const int threads : {1, 16}) EXPECT_EQ(order_of(product(m, n), threads), one) << k;
            }
}

TEST(Choose, WhatIsRefusedIsRefusedAlsoWhereItsShapeIsRemembered) {
    const tw::Problem problem{.m = 4, .n = 4, .k = 4};
    tw::Plan plan;
    ASSERT_TRUE(tw::try_plan(problem, {}, plan));
    EXPECT_EQ(tw::try_plan(problem, {.alpha_imag = 1}, plan).code, tw::Code::bad_argument);
    EXPECT_TRUE(tw::try_plan(problem, {}, plan)) << "the refusal is not remembered";
}

// More shapes than are kept, and each of them again: in place of another it is chosen anew, and else it is the same.
TEST(Choose, AChoiceOnADeviceIsRememberedForItsShapeAlone) {
    using namespace tw;
    if (find_backend("cuda")->devices() == 0) GTEST_SKIP() << "skipped: no device";
    for (int turn = 0; turn < 2; ++turn)
        for (const Type type : {Type::f32, Type::bf16, Type::f64})
            for (const std::int64_t m : {1, 17, 256, 4096})
                for (const std::int64_t n : {64, 4096, 14336})
                    for (const bool reproducible : {false, true})
                        for (const Form b : {Form::row_major, Form::col_major, Form::col_major}) {
                            const Problem problem{
                                .m = m, .n = n, .k = 1024, .in = type, .out = type, .place = Place::cuda, .b = b};
                            const Options wish{.reproducible = reproducible};
                            Plan made;
                            ASSERT_TRUE(try_plan(problem, wish, made));
                            EXPECT_EQ(made.kernel, fresh_choice(problem, wish)) << made.kernel_name();
                            EXPECT_EQ(made.options.reproducible, reproducible);
                            EXPECT_EQ(made.problem, problem);
                        }
}

// Whatever the machine has, a number is kept down to some two roundings for each 512 terms, and a name is, however long
// the sum.
TEST(Choose, FindsARowOnTheCpuForEveryPositionOfTheDial) {
    using namespace tw;
    for (const std::int64_t k : {1, 100, 1024, 4096, 65536})
        for (const Accuracy accuracy :
             {fp32, fp32_elementwise, tf32, bf16, fp16, Accuracy(1e-2), Accuracy(1e-3), Accuracy(1e-5)}) {
            const Problem problem{.m = 700, .n = 700, .k = k, .accuracy = accuracy};
            Plan plan;
            ASSERT_TRUE(try_plan(problem, {.device = "cpu"}, plan)) << k;
            EXPECT_LE(certificate(*plan.kernel, k), promise(accuracy, Type::f32, k))
                << plan.kernel_name() << ", k " << k;
        }
    Plan plan;
    EXPECT_TRUE(try_plan({.m = 700, .n = 700, .k = 1024, .accuracy = 2e-7}, {.device = "cpu"}, plan));
    EXPECT_FALSE(try_plan({.m = 700, .n = 700, .k = 1024, .accuracy = 1e-8}, {.device = "cpu"}, plan));
}

// n / 2^24 / (1 - n / 2^24) is negative from there on, which is below every promise. Without vector instructions a row
// of few partial sums has 1.00003.
TEST(Choose, KnowsThatRoundingsBeyond2To24HaveNoBound) {
    using namespace tw;
    for (const int power : {24, 25, 30}) {
        const std::int64_t k = std::int64_t{1} << power;
        Plan plan;
        ASSERT_TRUE(try_plan({.m = 100, .n = 100, .k = k}, {.device = "cpu"}, plan)) << k;
        const double bound = certificate(*plan.kernel, k);
        EXPECT_TRUE(bound > 0 && bound < 1.01) << plan.kernel_name() << ": " << bound;
        EXPECT_FALSE(try_plan({.m = 100, .n = 100, .k = k, .accuracy = 1e-6}, {.device = "cpu"}, plan))
            << plan.kernel_name();
    }
}

// gamma(k + 2) of 10^5 terms is more than rounding each operand to bf16 loses. Whoever asks for an f32 product means
// none of those.
TEST(Choose, TakesNoOperandsRoundedOnceForAnF32ProductHoweverLongItIs) {
    using namespace tw;
    int rounded = 0;
    for (const BackendSource& source : backends())
        for (const Kernel* kernel : source().ladder) {
            if (kernel->in != Type::f32 || kernel->scheme->parts != 1 || kernel->scheme->split_loss == 0) continue;
            ++rounded;
            for (const Accuracy accuracy : {Accuracy(), fp32, fp32_elementwise})
                for (const int power : {14, 17, 20, 23})
                    EXPECT_FALSE(keeps_promise(
                        *kernel, {.m = 700, .n = 700, .k = std::int64_t{1} << power, .accuracy = accuracy}))
                        << kernel->name << ", k 2^" << power;
        }
    EXPECT_GT(rounded, 0);
}

/// A backend that no machine has: what a record may and may not change is a row each.
struct Recorded {
    static constexpr tw::Tile tiles[] = {{8, 8, 8}, {16, 16, 16}};
    static constexpr tw::Kernel row(const char* name, double loss_of_a_sum(std::int64_t), int order,
                                    tw::Features needs = 0) {
        return {.name = name,
                .rung = {},
                .in = tw::Type::f32,
                .out = tw::Type::f32,
                .sum = tw::Type::f32,
                .scheme = &tw::plain_f32,
                .needs = needs,
                .tiles = tiles,
                .sum_bound = loss_of_a_sum,
                .order = order};
    }
    static double little(std::int64_t) { return 1e-7; }
    static double much(std::int64_t) { return 1e-3; }

    const tw::Kernel chosen = row("played.chosen", little, 7), like_it = row("played.like_it", little, 7),
                     other_order = row("played.other_order", little, 8),
                     coarse_of_its_order = row("played.coarse", much, 7),
                     absent = row("played.absent", little, 7, tw::Features{1}),
                     of_no_order = row("played.of_no_order", little, 0), also = row("played.also", little, 0),
                     coarse_of_none = row("played.coarse_of_none", much, 0);
    const tw::Kernel* const ladder[8] = {&chosen, &like_it,     &other_order, &coarse_of_its_order,
                                         &absent, &of_no_order, &also,        &coarse_of_none};
    const tw::Backend backend{.name = "played",
                              .place = tw::Place::host,
                              .ladder = ladder,
                              .feature_names = {},
                              .features = [] { return tw::Features{}; },
                              .devices = [] { return 1; },
                              .absence = [] { return ""; }};
    const tw::Problem problem{.m = 40, .n = 50, .k = 60, .accuracy = 1e-5};

    /// Whether the plan for that kernel, with four threads, becomes the recorded one.
    bool follows(const tw::Kernel& planned, const char* name, tw::Tile tile = tiles[1],
                 bool reproducible = false) const {
        tw::Plan plan;
        plan.backend = &backend, plan.kernel = &planned, plan.tile = tiles[0], plan.threads = 4;
        plan.options.reproducible = reproducible;
        tw::follow_record({.kernel = name, .tile = tile, .threads = 3}, problem, plan);
        const bool followed = plan.kernel->name == std::string_view(name) && plan.tile == tile && plan.threads == 3;
        EXPECT_TRUE(followed || (plan.kernel == &planned && plan.tile == tiles[0] && plan.threads == 4)) << name;
        return followed;
    }
};

TEST(Choose, ARecordChangesNeitherBitsNorWhatIsPromised) {
    const Recorded played;
    EXPECT_TRUE(played.follows(played.chosen, "played.like_it"));
    EXPECT_TRUE(played.follows(played.of_no_order, "played.also"));
    EXPECT_FALSE(played.follows(played.chosen, "played.other_order")) << "other bits";
    EXPECT_FALSE(played.follows(played.chosen, "played.also")) << "bits that may be other ones";
    EXPECT_FALSE(played.follows(played.of_no_order, "played.also", Recorded::tiles[1], true))
        << "bits that are not the same each time";
    EXPECT_FALSE(played.follows(played.chosen, "played.coarse")) << "less than was promised";
    EXPECT_FALSE(played.follows(played.of_no_order, "played.coarse_of_none")) << "less than was promised";
    EXPECT_FALSE(played.follows(played.chosen, "played.absent")) << "a feature that is not there";
    EXPECT_FALSE(played.follows(played.chosen, "played.like_it", {9, 9, 9})) << "a tile that it does not have";
    EXPECT_FALSE(played.follows(played.chosen, "played.nowhere"));
}

}  // namespace
