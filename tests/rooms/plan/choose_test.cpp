// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "plan/eligibility.hpp"
#include "plan/registry.hpp"
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
                    differ += right != before.kernel;
                }
    EXPECT_GT(differ, 0) << "no wish here asks for another kernel";
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

}  // namespace
