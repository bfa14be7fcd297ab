// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Batches without a device: which a kernel takes, where it says that their products lie, and how many launches they
// are.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

namespace {

using namespace tw;

class CudaBatches : public test::OnFakeRuntime {};

/// Products of one shape on memory that stands for a device's.
struct Products {
    std::int64_t n;
    alignas(4096) std::array<std::byte, 1 << 16> memory{};
    std::vector<std::byte> scratch = std::vector<std::byte>(1 << 20);
    std::vector<const void*> pointers;
    Batch batch;
    Call call;

    Products(const Kernel& kernel, std::int64_t size, std::int64_t extent, std::int64_t step) : n(extent) {
        batch = {.size = size, .a_step = step, .b_step = step, .c_step = step};
        const auto square = [&](Type type) { return Matrix{memory.data(), type, n, n, n}; };
        call = {.a = square(kernel.in),
                .b = square(kernel.in),
                .c = square(kernel.out),
                .scratch = scratch,
                .batch = &batch};
    }
    void by_pointers(std::int64_t bytes_apart) {
        for (std::int64_t i = 0; i < batch.size; ++i)
            pointers.push_back(memory.data() + (i * 7 + 3) % batch.size * bytes_apart);
        batch.a = batch.b = pointers.data();
        batch.c = const_cast<void* const*>(pointers.data());
    }
};

TEST_F(CudaBatches, ByStepsAreOneMapAndSharedOperandsDoNotMove) {
    const Matrix m{reinterpret_cast<void*>(0x1000), Type::bf16, 8, 8, 8};
    cuda::Depth depth;
    ASSERT_TRUE(cuda::depth_of({m, nullptr, 64, 10}, depth));
    EXPECT_EQ(depth.extent, 10);
    EXPECT_EQ(depth.bytes, 128);
    ASSERT_TRUE(cuda::depth_of({m, nullptr, 0, 10}, depth));
    EXPECT_EQ(depth.extent, 1);
    EXPECT_FALSE(cuda::depth_of({m, nullptr, 65, 10}, depth)) << "not a multiple of 16 bytes";
    EXPECT_FALSE(cuda::depth_of({m, nullptr, -64, 10}, depth)) << "backwards";
    EXPECT_TRUE(cuda::depth_of({m, nullptr, 65, 1}, depth)) << "one product has no step";
}

TEST_F(CudaBatches, ByPointersAreOneMapOfTheLargestStepThatMeetsThemAll) {
    const auto at = [](std::uintptr_t address) { return reinterpret_cast<const void*>(address); };
    const Matrix m{nullptr, Type::bf16, 8, 8, 8};
    const std::vector<const void*> mixed{at(0x9000), at(0x3000), at(0x5000)}, close{at(0x3010), at(0x3000)},
        odd{at(0x3000), at(0x3008)};
    cuda::Depth depth;
    ASSERT_TRUE(cuda::depth_of({m, mixed.data(), 0, 3}, depth));
    EXPECT_EQ(depth.first, at(0x3000));
    EXPECT_EQ(depth.bytes, 0x2000);
    EXPECT_EQ(depth.extent, 4);
    ASSERT_TRUE(cuda::depth_of({m, close.data(), 0, 2}, depth));
    EXPECT_EQ(depth.bytes, 16);
    EXPECT_FALSE(cuda::depth_of({m, odd.data(), 0, 2}, depth));
    const std::vector<const void*> far{at(0x1000), at(0x1000 + (std::uintptr_t{1} << 41))},
        same{at(0x7000), at(0x7000)};
    ASSERT_TRUE(cuda::depth_of({m, far.data(), 0, 2}, depth));
    EXPECT_LT(depth.bytes, std::int64_t{1} << 40);
    EXPECT_EQ(depth.extent, (std::int64_t{1} << 41) / depth.bytes + 1);
    ASSERT_TRUE(cuda::depth_of({m, same.data(), 0, 2}, depth));
    EXPECT_EQ(depth.extent, 1);
}

TEST_F(CudaBatches, RowsSayWhichTheyTake) {
    const Kernel &pipeline = cuda::r9_async_pipeline_bf16, &unit = cuda::r8_matrix_unit_bf16;
    const auto takes = [](const Kernel& kernel, const Products& p) { return kernel.batching->takes(p.call); };
    EXPECT_TRUE(takes(pipeline, {pipeline, 5, 8, 64}));
    EXPECT_TRUE(takes(pipeline, {pipeline, 5, 8, 65})) << "products 130 bytes apart are copied";
    EXPECT_TRUE(takes(pipeline, {pipeline, 5, 7, 64})) << "rows of 14 bytes are, too";
    EXPECT_TRUE(takes(unit, {unit, 5, 7, 65}));
    Products columns(pipeline, 5, 8, 64);
    columns.call.c = columns.call.c.transposed();
    EXPECT_FALSE(takes(pipeline, columns));
    EXPECT_TRUE(takes(unit, columns));
    Products strange(unit, 5, 8, 64);
    strange.call.epilogue = {.bias = strange.memory.data(), .bias_type = Type::f64, .bias_size = 8};
    EXPECT_FALSE(takes(unit, strange)) << "an epilogue for a pass of its own";
}

TEST_F(CudaBatches, AreOneLaunchByStepsAndAsManyMoreAsPointersFill) {
    for (const Kernel* kernel :
         {&cuda::r7_hierarchical_f32, &cuda::r8_matrix_unit_f16, &cuda::r9_async_pipeline_f16_f32}) {
        Products steps(*kernel, 100, 8, 64);
        ASSERT_TRUE(kernel->run(steps.call, {}).is_ok()) << kernel->name;
        EXPECT_EQ(test::launches(), 1) << kernel->name;
        test::fail_call(0, cudaSuccess);
        Products many(*kernel, 1500, 8, 64);
        many.by_pointers(32);
        const Problem problem{.m = 8, .n = 8, .k = 8, .in = kernel->in, .out = kernel->out};
        ASSERT_LE(kernel->batching->scratch_bytes(problem, {}, many.batch), many.scratch.size());
        ASSERT_TRUE(kernel->run(many.call, {}).is_ok()) << kernel->name;
        const int pieces = kernel->rung == Rung::async_pipeline
                               ? 1
                               : 2;  // of 30720 bytes: 4500 coordinates, or addresses, twice as long
        EXPECT_EQ(test::launches(), 1 + pieces) << kernel->name;
        test::fail_call(0, cudaSuccess);
    }
}

TEST_F(CudaBatches, AFewByPointersAreNamedByParameters) {
    const Kernel& kernel = cuda::r9_async_pipeline_f16;
    for (const auto& [size, launches] : {std::pair{20, 1}, {128, 1}, {129, 2}}) {
        Products products(kernel, size, 8, 64);
        products.by_pointers(128);
        test::fail_call(0, cudaSuccess);
        ASSERT_TRUE(kernel.run(products.call, {}).is_ok());
        EXPECT_EQ(test::launches(), launches) << size;
    }
}

TEST_F(CudaBatches, EveryFailingCallIsReported) {
    for (const Kernel* kernel : {&cuda::r7_hierarchical_f32, &cuda::r9_async_pipeline_bf16}) {
        const auto run = [&] {
            Products products(*kernel, 200, 8, 64);  // more than a kernel's parameters name
            products.by_pointers(128);
            return kernel->run(products.call, {});
        };
        ASSERT_TRUE(run().is_ok());
        const int calls = test::calls_made();
        int reported = 0;
        for (int j = 1; j <= calls; ++j) {
            cuda::revive();
            test::fail_call(j, cudaErrorLaunchFailure);
            reported += !run().is_ok();
        }
        EXPECT_GE(reported, 2) << kernel->name << " hides a failed launch";
        cuda::revive();
        test::fail_call(0, cudaSuccess);
    }
}

}  // namespace
