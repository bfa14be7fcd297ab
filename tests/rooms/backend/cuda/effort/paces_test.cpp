// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which products are given to the dense copy on a CUDA device: what its rows say they cost, no times.
#include "backend/cuda/effort/paces.hpp"

#include <gtest/gtest.h>

#include "backend/cuda/effort/effort.hpp"
#include "formats/body.hpp"
#include "plan/choose_effort.hpp"

namespace tw::cuda {
namespace {

EffortProblem problem_of(EffortLayout layout, std::int64_t outputs, std::int64_t inputs, Type type = Type::f16) {
    EffortBody body;
    body.format = tw::effort::format_of(layout), body.bucket = 16, body.type = type;
    body.outputs = outputs, body.inputs = inputs;
    EffortProblem problem = effort_problem(body, tw::effort::bytes_of_all(body));
    problem.dense_bytes = tw::effort::dense_tiling_of(body).bytes;
    return problem;
}

EffortProblem with(EffortProblem problem, std::int64_t bytes, int products = 1, bool of_one_expert = true) {
    problem.bytes = bytes, problem.products = products, problem.of_one_expert = of_one_expert;
    return problem;
}

constexpr effort::Pace of_buckets = {5, 0, .5}, of_tiers = {0, 0, .25}, of_planes = {10, 1, .5}, of_dense = {2, 0, .25};

bool is_dense(const effort::Pace& pace, const EffortProblem& problem) {
    return effort::nanoseconds_of_rows(pace, problem) > effort::nanoseconds_of_dense(of_dense, problem);
}

TEST(CudaPaces, AreAddedUpForWhatIsRead) {
    const EffortProblem planes = problem_of(EffortLayout::planes, 4096, 4096);  // dense: 2 + 33.55 / 4 = 10.4
    EXPECT_TRUE(is_dense(of_planes, with(planes, 0)));                          // 10 + 4.1
    const EffortProblem buckets = problem_of(EffortLayout::buckets, 4096, 4096);
    EXPECT_FALSE(is_dense(of_buckets, with(buckets, 10'700'000)));  // 5 + 5.35
    EXPECT_TRUE(is_dense(of_buckets, with(buckets, 10'900'000)));   // 5 + 5.45
    EXPECT_FALSE(is_dense(of_buckets, with(problem_of(EffortLayout::buckets, 4096, 4096, Type::f32), 10'900'000)));
    EXPECT_FALSE(is_dense(of_tiers, with(problem_of(EffortLayout::tiers, 16, 16), 100)));
}

TEST(CudaPaces, ABatchReadsItsDenseCopyOnceForFourVectorsAndExpertsEachTheirOwn) {
    const EffortProblem buckets = problem_of(EffortLayout::buckets, 4096, 4096);
    const std::int64_t bytes = 5'000'000;  // 5 + 2.5 for each
    EXPECT_FALSE(is_dense(of_buckets, with(buckets, bytes)));
    EXPECT_TRUE(is_dense(of_buckets, with(buckets, bytes, 3)));          // 12.5 beside 10.4
    EXPECT_FALSE(is_dense(of_buckets, with(buckets, bytes, 3, false)));  // beside 27.2
    EXPECT_FALSE(is_dense(of_buckets, with(buckets, bytes, 5)));         // 17.5 beside two reads, 18.8
}

/// A plan of this backend's rows, of which nothing was tuned.
EffortPlan plan_for(EffortLayout layout) {
    EffortPlan plan;
    for (const EffortKernel* row : effort_rows) {
        if (row->is_dense) plan.dense = row;
        else if (row->layout == layout) plan.kernel = row;
    }
    return plan;
}

/// A small network's layers begin longer than they read, at any effort; of large ones it pays to read a tenth, where
/// choosing takes no longer.
TEST(CudaPaces, OfAnH200GiveSmallMatricesToTheDenseCopyAndLargeOnesToTheDial) {
    const std::int64_t small[][2] = {{1152, 384}, {384, 384}, {1536, 384}, {384, 1536}, {1024, 1024}};
    const auto share_of = [](const EffortProblem& all, double share) {
        return with(all, static_cast<std::int64_t>(share * static_cast<double>(all.bytes)));
    };
    for (const EffortLayout layout : {EffortLayout::buckets, EffortLayout::tiers, EffortLayout::planes}) {
        const EffortPlan plan = plan_for(layout);
        for (const auto& [outputs, inputs] : small)
            for (const double share : {.01, .25, .9})
                EXPECT_TRUE(dense_is_quicker(plan, share_of(problem_of(layout, outputs, inputs), share)))
                    << outputs << " x " << inputs << ", " << share;
        const EffortProblem large = problem_of(layout, 14336, 4096);
        EXPECT_FALSE(dense_is_quicker(plan, share_of(large, .1))) << name_of(layout);
        bool was_dense = false;
        for (double share = .05; share < 1; share += .05) {
            const bool is_dense = dense_is_quicker(plan, share_of(large, share));
            EXPECT_TRUE(is_dense || !was_dense) << share;
            was_dense = is_dense;
        }
    }
    const EffortProblem planes = problem_of(EffortLayout::planes, 4096, 14336);
    EXPECT_FALSE(dense_is_quicker(plan_for(EffortLayout::planes), share_of(planes, .9)));
}

TEST(CudaRows, RefuseWhatTheirCountersCantHold) {
    for (const EffortKernel* row : effort_rows) {
        EffortProblem problem = problem_of(EffortLayout::planes, 64, 64);
        EXPECT_TRUE(row->takes(problem)) << row->name;
        problem.inputs = 1 << 21;
        EXPECT_FALSE(row->takes(problem)) << row->name;
    }
}

}  // namespace
}  // namespace tw::cuda
