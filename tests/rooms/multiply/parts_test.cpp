// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Parts of the front doors by themselves, where what they are for takes a device: which operand of a batch lies
// elsewhere, what a kernel's packing is told and says, and the plan that a verification falls back to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "carry/slabs.hpp"
#include "multiply/first_elsewhere.hpp"
#include "multiply/packed_parts.hpp"
#include "multiply/verify.hpp"
#include "plan/choose.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"

namespace {

using namespace tw;

TEST(FirstElsewhere, AsksForTheFirstAndTheLastOfABlockAndForEachPointer) {
    for (const std::int64_t size : {1, 2, 5})
        for (const bool by_pointers : {false, true})
            for (std::int64_t wrong = -1; wrong < size; ++wrong) {
                std::vector<std::int64_t> asked, expected;
                const float* array[5] = {};
                const std::int64_t found = first_elsewhere(by_pointers ? array : nullptr, size, [&](std::int64_t i) {
                    asked.push_back(i);
                    return i != wrong;
                });
                for (std::int64_t i = 0; i < size; ++i)
                    if (by_pointers || i == 0 || i == size - 1) expected.push_back(i);
                const auto at = std::find(expected.begin(), expected.end(), wrong);
                EXPECT_EQ(found, at == expected.end() ? -1 : wrong) << size << ' ' << by_pointers;
                expected.erase(at == expected.end() ? at : at + 1, expected.end());
                EXPECT_EQ(asked, expected) << size << ' ' << by_pointers << ' ' << wrong;
            }
}

/// What a played kernel's packing was told.
struct Told {
    Matrix operand;
    bool on_left;
    int threads;
    const Executor* executor;
    void* stream;
    std::byte* to;
};
std::vector<Told> told;
Status says;
int waits = 0;

std::size_t bytes_of(Type type, std::int64_t width, std::int64_t k, bool) {
    return size_of(type) * static_cast<std::size_t>(width * k);
}
void pack(const Matrix& operand, bool on_left, const Call& settings, std::byte* to) {
    told.push_back({operand, on_left, settings.threads, settings.executor, settings.stream, to});
    if (!says) std::memcpy(settings.scratch.data(), &says, sizeof says);
}

TEST(PackSlabs, ToldWhereEachLiesAndWhatFails) {
    static constexpr Packing packing{.bytes = bytes_of, .pack = pack};
    const Backend& cpu = *find_backend("cpu");
    Kernel kernel = *cpu.ladder.front();
    kernel.packing = &packing;
    Backend device = cpu;
    device.wait = [](void*) { return ++waits, Status{}; };
    const Executor executor{};
    float elements[6 * 32] = {};
    std::vector<std::byte> memory(4096);
    int stream = 0;
    Plan plan;
    plan.backend = &device, plan.kernel = &kernel, plan.threads = 3;
    plan.options.executor = &executor, plan.options.stream = &stream;
    plan.problem.k = 32;
    for (const int slabs : {0, 4})
        for (const bool is_a : {false, true})
            for (const bool on_left : {false, true}) {
                plan.options.slabs = slabs;
                const Matrix operand =
                    is_a ? Matrix{elements, Type::f32, 6, 32, 32} : Matrix{elements, Type::f32, 32, 6, 6};
                const PackedPanels where{.is_a = is_a, .on_left = on_left, .type = Type::f32};
                told.clear(), says = {}, waits = 0;
                ASSERT_TRUE(pack_slabs(plan, operand, where, memory.data()));
                EXPECT_EQ(waits, 1);
                const int count = std::max(1, slabs);
                ASSERT_EQ(told.size(), static_cast<std::size_t>(count));
                for (int s = 0; s < count; ++s) {
                    const Told& one = told[static_cast<std::size_t>(s)];
                    const std::int64_t length = 32 / count;
                    const Matrix slab =
                        is_a ? operand.block(0, s * length, 6, length) : operand.block(s * length, 0, length, 6);
                    const Matrix as = is_a != on_left ? slab.transposed() : slab;
                    EXPECT_EQ(one.operand.data, as.data);
                    EXPECT_EQ(one.operand.rows, as.rows);
                    EXPECT_EQ(one.operand.cols, as.cols);
                    EXPECT_EQ(one.operand.row_step, as.row_step);
                    EXPECT_EQ(one.operand.col_step, as.col_step);
                    EXPECT_EQ(one.on_left, on_left);
                    EXPECT_EQ(one.threads, 3);
                    EXPECT_EQ(one.executor, &executor);
                    EXPECT_EQ(one.stream, &stream);
                    EXPECT_EQ(one.to, memory.data() + packed_slab_at(packing, Type::f32, 6, 32, count, on_left, s));
                }
                says = {Code::device_failed, Argument::none, "no room for a line of it"};
                const Status failed = pack_slabs(plan, operand, where, memory.data());
                EXPECT_EQ(failed.code, Code::device_failed);
                EXPECT_STREQ(failed.text, "no room for a line of it");
                EXPECT_EQ(waits, 1) << "a device that has failed is not waited for";
            }
}

Problem square(Type type) { return {.m = 40, .n = 40, .k = 40, .in = type, .out = type, .accuracy = Accuracy(1e-2)}; }

TEST(SecondPlan, IsTheNaiveKernelOfTheDeviceOrTheHosts) {
    for (const char* device : {"", "cpu", "cpu-check", "metal-check"}) {
        Plan plan, second;
        const Options options{.verify = true, .device = device};
        if (!try_plan(square(Type::f32), options, plan)) continue;  // metal-check takes a clang
        ASSERT_TRUE(plan_second(plan, second)) << device;
        const auto is_naive = [](const Kernel* row) { return std::string(row->name).find(".r1_naive.") < 20; };
        EXPECT_TRUE(is_naive(second.kernel)) << second.kernel->name;
        const bool is_here = std::ranges::any_of(plan.backend->ladder, is_naive);
        EXPECT_EQ(second.backend, is_here ? plan.backend : find_backend("cpu")) << device;
        EXPECT_EQ(second.options.kernel, second.kernel->name) << "as any plan's options name its kernel";
        EXPECT_EQ(second.problem.accuracy, Accuracy{}) << "the type's own";
    }
}

TEST(SecondPlan, OfReproducibleOnesIsThePlainestOfTheSameOrder) {
    for (const Type type : {Type::f32, Type::f64, Type::bf16}) {
        Plan plan, second;
        ASSERT_TRUE(try_plan(square(type), {.reproducible = true, .verify = true}, plan));
        ASSERT_TRUE(plan_second(plan, second));
        EXPECT_EQ(second.kernel->order, plan.kernel->order);
        EXPECT_EQ(second.options.kernel, second.kernel->name);
        EXPECT_EQ(second.tile, second.kernel == plan.kernel   ? plan.tile
                               : second.kernel->tiles.empty() ? Tile{}
                                                              : second.kernel->tiles.front());
    }
}

}  // namespace
