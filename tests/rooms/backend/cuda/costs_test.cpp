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
    const Kernel& cheapest(const Shape& shape, Type type, Accuracy accuracy = {}) const {
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
            if (can_run(backend, *kernel, problem) && keeps_promise(*kernel, problem) &&
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

// Their elements would be gathered one by one: 33 us for what r9, with a copy, does in a third of that.
TEST_F(Costs, FewLongRowsThatStartAnywhereGoToR9) {
    EXPECT_TRUE(is_of(cheapest({16, 1068, 3022, by_columns}, Type::f16), "r9_async_pipeline"));
}

// On an H100 remainders win from about 2300 on, and lose where C or the conversion costs more than the product.
TEST_F(Costs, LargeProductsOfDoublesGoByRemainders) {
    for (const Shape& shape : {Shape{2560, 2560, 2560}, {4096, 4096, 4096, by_columns}, {16384, 16384, 16384}})
        EXPECT_TRUE(is_of(cheapest(shape, Type::f64), "r10_split_remainders")) << shape.m;
    for (const Shape& shape :
         {Shape{1024, 1024, 1024}, {2048, 2048, 2048}, {8192, 8192, 128}, {64, 8192, 8192}, {512, 512, 65600}})
        EXPECT_FALSE(is_of(cheapest(shape, Type::f64), "r10_split_remainders")) << shape.m << 'x' << shape.k;
}

TEST_F(Costs, RowsThatAreAskedForByNameAreNotChosen) {
    for (const Type type : {Type::f32, Type::f16, Type::bf16})
        for (const Accuracy accuracy : {fp32, fp32_elementwise})
            for (const std::int64_t few : {1, 3, 16})
                for (const std::int64_t many : {1, 100, 50000})
                    for (const std::int64_t k : {1, 1000, 1 << 24})
                        for (const Form b : {Form::row_major, by_columns, Form::strided})
                            for (const Shape& shape : {Shape{few, many, k, b}, {many, few, k, b}}) {
                                const Kernel& kernel = cheapest(shape, type, accuracy);
                                EXPECT_FALSE(is_of(kernel, "few_rows_fma") || is_of(kernel, "few_rows_turned"))
                                    << kernel.name << ' ' << shape.m << 'x' << shape.n << 'x' << shape.k;
                            }
}

}  // namespace
