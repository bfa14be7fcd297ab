// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Scratch of the caller's: it may begin at any address, and what a plan asks for is enough wherever that is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/contract.hpp"
#include "base/element.hpp"
#include "plan/registry.hpp"
#include "support/guarded_matrix.hpp"
#include "tilewright/batch.hpp"
#include "tilewright/plan.hpp"

namespace {

constexpr std::int64_t m = 37, n = 50, k = 41;

struct Operands {
    explicit Operands(tw::Type in, tw::Type out)
        : a_bytes(size(in, m * k)), b_bytes(size(in, k * n)), c_bytes(size(out, m * n)) {
        a = {a_bytes.data(), in, m, k, k}, b = {b_bytes.data(), in, k, n, n}, c = {c_bytes.data(), out, m, n, n};
        fill(a), fill(b);
    }
    static std::vector<std::byte> size(tw::Type type, std::int64_t count) {
        return std::vector<std::byte>(static_cast<std::size_t>(count) * tw::size_of(type));
    }
    static void fill(const tw::Matrix& x) {
        for (std::int64_t i = 0; i < x.rows; ++i)
            for (std::int64_t j = 0; j < x.cols; ++j)
                tw::store_element(x, i, j, static_cast<double>((i * 7 + j * 3) % 11 - 5));
    }
    std::vector<std::byte> a_bytes, b_bytes, c_bytes;
    tw::Matrix a, b, c;
};

/// Types that every kernel is asked for: its own, and those that are widened for it.
std::vector<tw::Type> types_for(const tw::Kernel& kernel) {
    if (kernel.in == tw::Type::f32) return {tw::Type::f32, tw::Type::bf16, tw::Type::f16};
    return {kernel.in};
}

TEST(CallersScratch, MayBeginAnywhereWhateverTheKernel) {
    int kernels = 0;
    for (const tw::Kernel* kernel : tw::find_backend("cpu")->ladder)
        for (const tw::Type type : types_for(*kernel)) {
            Operands p(type, type == kernel->in ? kernel->out : type);
            tw::Options options{.accuracy = tw::Accuracy(1e9), .threads = 2, .kernel = kernel->name};
            tw::Plan plan;
            if (!tw::try_plan(tw::problem_of(p.a, p.b, p.c, options), options, plan)) continue;
            ASSERT_TRUE(plan.try_run(p.a, p.b, p.c)) << kernel->name;
            const std::vector<std::byte> right = p.c_bytes;
            const std::size_t bytes = plan.scratch_bytes();
            kernels += bytes > 0;
            for (const std::size_t offset :
                 std::initializer_list<std::size_t>{1, 2, 4, 8, 16, 32, 48, 63, 64, 65, 100, 127, 128}) {
                // The page behind the scratch is out of bounds: `offset` is what lies between, so that all are tried.
                const tw::test::GuardedPages pages(bytes + 256);
                const auto memory = pages.bytes();
                plan.options.scratch = memory.subspan(256 - offset, bytes);
                std::ranges::fill(p.c_bytes, std::byte{0xff});
                ASSERT_TRUE(plan.try_run(p.a, p.b, p.c)) << kernel->name << " at " << offset;
                EXPECT_EQ(p.c_bytes, right) << kernel->name << " at " << offset;
                const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
                const auto before = memory.first(256 - offset), behind = memory.last(offset);
                EXPECT_TRUE(std::ranges::all_of(before, is_zero) && std::ranges::all_of(behind, is_zero))
                    << kernel->name << " wrote beside its scratch at " << offset;
            }
        }
    EXPECT_GT(kernels, 5);
}

/// How much of the memory a product by the plan wrote to.
std::size_t written(tw::Plan plan, const Operands& p, std::span<std::byte> scratch) {
    std::ranges::fill(scratch, std::byte{0xa5});
    plan.options.scratch = scratch;
    EXPECT_TRUE(plan.try_run(p.a, p.b, p.c));
    return static_cast<std::size_t>(std::ranges::count_if(scratch, [](std::byte b) { return b != std::byte{0xa5}; }));
}

TEST(CallersScratch, ServesWhenItIsEnoughAndNotWhenAByteIsMissing) {
    const Operands p(tw::Type::f32, tw::Type::f32);
    const tw::Options options{.threads = 1, .kernel = "r7_hierarchical"};
    tw::Plan plan;
    ASSERT_TRUE(tw::try_plan(tw::problem_of(p.a, p.b, p.c, options), options, plan));
    const std::size_t bytes = plan.scratch_bytes();
    ASSERT_GT(bytes, 0u);
    std::vector<std::byte> memory(bytes + 512);
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + 255) / 256 * 256 + 1;  // the worst place
    const std::span<std::byte> worst{reinterpret_cast<std::byte*>(begin), bytes};
    EXPECT_GT(written(plan, p, worst), 0u);
    EXPECT_EQ(written(plan, p, worst.first(bytes - 1)), 0u) << "the library's own is used instead";
}

/// Of C in one block, however many such blocks C has.
TEST(SlabScratch, IsOfABlockOfC) {
    const auto bytes = [](std::int64_t rows, std::int64_t cols, std::int64_t depth, int slabs, double beta = 0) {
        tw::Plan plan;
        EXPECT_TRUE(tw::try_plan({.m = rows, .n = cols, .k = depth},
                                 {.beta = beta, .slabs = slabs, .threads = 1, .kernel = "r7_hierarchical"}, plan));
        return plan.scratch_bytes();
    };
    EXPECT_EQ(bytes(2048, 6144, 4096, 8), bytes(2048, 2048, 4096, 8));
    EXPECT_EQ(bytes(4096, 2048, 4096, 8), bytes(2048, 2048, 4096, 8));
    EXPECT_EQ(bytes(3840, 10240, 256, 4, 1), bytes(384, 1024, 256, 4, 1)) << "what comes after the tree has its passes";
    EXPECT_EQ(bytes(3840, 10240, 256, 4), bytes(3840, 10240, 256, 1)) << "a tile's slabs take no memory";
}

TEST(CallersScratch, OfABatchMayBeginAnywhere) {
    constexpr std::int64_t products = 20;
    std::vector<float> a(products * m * k, 1), b(products * k * n, 2), c(products * m * n);
    std::vector<std::byte> memory(std::size_t{4} << 20);
    const tw::Matrix am{a.data(), tw::Type::f32, m, k, k}, bm{b.data(), tw::Type::f32, k, n, n};
    const tw::Matrix cm{c.data(), tw::Type::f32, m, n, n};
    for (const char* kernel : {"r5_register_block", "r7_hierarchical", "int8x6", "int8x8"})
        for (const std::size_t offset : std::initializer_list<std::size_t>{1, 4, 16, 32, 65}) {
            std::ranges::fill(c, -1);
            const tw::Options options{.accuracy = tw::Accuracy(1e9),
                                      .threads = 3,
                                      .scratch = std::span(memory).subspan(offset),
                                      .kernel = kernel};
            const tw::Batch batch{.size = products, .a_step = m * k, .b_step = k * n, .c_step = m * n};
            const tw::Status status = tw::try_multiply_batch(am, bm, cm, batch, options);
            if (status.code == tw::Code::unsupported) continue;  // not on this processor
            ASSERT_TRUE(status) << kernel;
            EXPECT_EQ(c, std::vector<float>(c.size(), 2 * k)) << kernel << " at " << offset;
        }
}

}  // namespace
