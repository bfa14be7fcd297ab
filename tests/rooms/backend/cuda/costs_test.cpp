// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the costs choose on an H200 on paper, for shapes of docs/results/h200/survey.md where they once chose badly.
#include <gtest/gtest.h>

#include <string_view>

#include "backend/cuda/device/entry.hpp"
#include "plan/eligibility.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

extern "C" const tw::Backend* tilewright_cuda_backend(unsigned long long stamp) noexcept;

namespace {

using namespace tw;

struct Shape {
    std::int64_t m, n, k;
    Form b = Form::row_major;
};
constexpr Form by_columns = Form::col_major;

class Costs : public test::OnFakeRuntime {
protected:
    /// order: that of the rows that may be taken; 0: any.
    const Kernel& cheapest(const Shape& shape, Type type, Accuracy accuracy = {}, int order = 0) const {
        const Problem problem{.m = shape.m,
                              .n = shape.n,
                              .k = shape.k,
                              .in = type,
                              .out = type,
                              .place = Place::cuda,
                              .accuracy = accuracy,
                              .b = shape.b};
        const Kernel* best = nullptr;
        for (const Kernel* kernel : backend.ladder)
            if ((order == 0 || kernel->order == order) && can_run(backend, *kernel, problem) &&
                keeps_promise(*kernel, problem) &&
                (!best || kernel->nanoseconds(problem, 1) < best->nanoseconds(problem, 1)))
                best = kernel;
        return *best;
    }
    bool is_of(const Kernel& kernel, std::string_view file) const {
        return std::string_view(kernel.name).substr(5).starts_with(file);
    }
    const Backend& backend = *tilewright_cuda_backend(cuda::contract_stamp);
};

// One block of r3 or r4 has nobody to hide its waits: r7 was quicker in all of these.
TEST_F(Costs, FewTilesOfF32AreNotForTheLowerRungs) {
    for (const Shape& shape : {Shape{44, 25, 68092},
                               {32, 1024, 4096, by_columns},
                               {102, 415, 3006, by_columns},
                               {448, 128, 1152},
                               {36, 1024, 1024, by_columns},
                               {35, 1262, 1128},
                               {320, 320, 320, by_columns},
                               {730, 730, 730},
                               {1500, 1500, 1500}})
        for (const Accuracy accuracy : {fp32, fp32_elementwise}) {
            const Kernel& kernel = cheapest(shape, Type::f32, accuracy);
            EXPECT_GE(kernel.rung, Rung::hierarchical) << kernel.name << ' ' << shape.m << 'x' << shape.n;
        }
}

TEST_F(Costs, FewRowsAlongKGoToTheKernelThatStreamsThem) {
    for (const std::int64_t m : {1, 8, 16})
        for (const Shape& shape : {Shape{m, 8192, 8192, by_columns}, {m, 14336, 4096, by_columns}}) {
            EXPECT_TRUE(is_of(cheapest(shape, Type::bf16), "few_rows")) << m << 'x' << shape.n;
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, fp32), "few_rows")) << m << 'x' << shape.n;
        }
}

// few_rows would gather their elements one by one: 33 us were seen.
TEST_F(Costs, FewLongRowsThatStartAnywhereAreNotGathered) {
    const Kernel& kernel = cheapest({16, 1068, 3022, by_columns}, Type::f16);
    EXPECT_TRUE(is_of(kernel, "r9_async_pipeline") || is_of(kernel, "few_rows_fma")) << kernel.name;
}

// One wave of r10's tiles takes half as long as one of r7's.
TEST_F(Costs, FewTilesOfALongProductOfF32AreSplit) {
    for (const Shape& shape :
         {Shape{32, 1024, 4096, by_columns}, {32, 2369, 3384, by_columns}, {36, 1024, 1024, by_columns}})
        EXPECT_EQ(cheapest(shape, Type::f32, fp32).rung, Rung::split) << shape.m << 'x' << shape.n;
    EXPECT_EQ(cheapest({22, 50257, 768}, Type::f32, fp32).rung, Rung::hierarchical) << "splitting B would take longer";
}

// Whichever way the weights lie, and whatever starts where; f32 in plain f32 where its parts would be made in memory.
TEST_F(Costs, FewRowsHaveTheirKernelsHoweverTheWeightsLie) {
    for (const std::int64_t m : {1, 4, 16}) {
        for (const Shape& shape : {Shape{m, 14336, 4096}, {m, 4096, 14336}, {m, 8192, 28672}, {28672, m, 8192}}) {
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, fp32), "few_rows_fma")) << m << " of " << shape.n;
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, fp32_elementwise), "few_rows_fma")) << m << " of " << shape.n;
        }
        for (const Shape& shape : {Shape{m, 10465, 2511}, {m, 8192, 6541, by_columns}, {m, 4096, 4096, Form::strided}})
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, fp32), "few_rows_fma")) << m << " of " << shape.n;
    }
    EXPECT_TRUE(is_of(cheapest({2, 1024, 1024, by_columns}, Type::f32, fp32_elementwise), "few_rows_fma"));
}

// A row of A has the bits of a large product's, at the pace of few rows.
TEST_F(Costs, ReproducibleFewRowsHaveARowOfR9sOrder) {
    const auto order = cheapest({4096, 4096, 4096}, Type::bf16).order;
    EXPECT_NE(order, 0);
    for (const std::int64_t m : {1, 16})
        for (const Form b : {Form::row_major, by_columns}) {
            const Kernel& kernel = cheapest({m, 4096, 4096, b}, Type::bf16, {}, order);
            EXPECT_TRUE(is_of(kernel, "few_rows_turned")) << kernel.name << ' ' << m;
        }
}

}  // namespace
