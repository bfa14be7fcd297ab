// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A network's pass with the effort dial, from the public face down to the table of calls: how many launches it is. The
// doors that the core library has to libtilewright_cuda are here those to the objects beside this file, so the runtime
// can be replaced.
#include <gtest/gtest.h>

#include <vector>

#include "backend/cuda/backend.hpp"
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/replays.hpp"
#include "backend/cuda/loading_contest/loaders.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"
#include "tilewright/effort.hpp"

extern "C" const tw::Backend* tilewright_cuda_backend(unsigned long long stamp) noexcept;

namespace tw::cuda {

const Backend& backend() noexcept { return *tilewright_cuda_backend(contract_stamp); }
const LoadersDoor* loaders() noexcept { return nullptr; }
const DeviceLinks* links() noexcept { return nullptr; }
const ProductSums* product_sums() noexcept { return nullptr; }
const SlabProducts* slab_products() noexcept { return nullptr; }
const Replays* replays() noexcept { return nullptr; }
bool may_own() noexcept { return true; }
bool owns(const void* memory) noexcept { return backend().owns(memory); }
std::span<const std::byte> allocation(const void*) noexcept { return {}; }

}  // namespace tw::cuda

namespace {

using namespace tw;

class CudaPass : public test::OnFakeRuntime {};

EffortMatrix made(std::int64_t outputs, std::int64_t inputs, int experts = 1) {
    std::vector<float> values(static_cast<std::size_t>(outputs * inputs), 1.f);
    const std::vector<Matrix> all(static_cast<std::size_t>(experts),
                                  Matrix{values.data(), Type::f32, outputs, inputs, inputs, 1});
    return build_effort(all, {.dense = DenseCopy::kept});
}

/// The products of one layer: query, key and value stacked; what mixes them; and two experts of a gated network.
struct Layer {
    EffortMatrix heads = made(96, 32), mixed = made(32, 32), up = made(128, 32, 4), down = made(32, 64, 4);
    std::vector<float> v = std::vector<float>(2 * 64), y = std::vector<float>(2 * 128);

    Status pass(Budget budget) {
        const std::vector<int> chosen = {3, 1};
        const EffortOptions options{.device = "cuda"};
        EffortReport report;
        for (const EffortMatrix* one : {&heads, &mixed}) {
            const auto inputs = static_cast<std::size_t>(one->inputs()),
                       outputs = static_cast<std::size_t>(one->outputs());
            if (const Status bad = try_matvec(*one, {v.data(), inputs}, {y.data(), outputs}, budget, options, report);
                !bad)
                return bad;
        }
        const Status bad = try_matvec_experts(up, chosen, {v.data(), 1, 32}, {y.data(), 2, 128}, budget, options, {});
        return bad ? try_matvec_experts(down, chosen, {v.data(), 2, 64}, {y.data(), 2, 32}, budget, options, {}) : bad;
    }
};

TEST_F(CudaPass, AProductIsTwoLaunchesAtMostWhateverSharesItsInput) {
    constexpr int products_of_layer = 4;
    std::vector<Layer> layers(3);
    for (const auto& [effort, most_of_product] : {std::pair{.25, 2}, {1., 1}}) {
        for (Layer& layer : layers) ASSERT_TRUE(layer.pass(Budget::effort(effort)));  // the first brings the weights
        const int before = test::launches(), live = test::live_allocations();
        for (Layer& layer : layers) ASSERT_TRUE(layer.pass(Budget::effort(effort)));
        const int launches = test::launches() - before, products = products_of_layer * static_cast<int>(layers.size());
        EXPECT_GE(launches, products) << effort;
        EXPECT_LE(launches, most_of_product * products) << effort;
        EXPECT_EQ(test::live_allocations(), live) << "a captured pass may allocate nothing";
    }
}

/// Where the budget is an error the host chooses: as for the CPU, and the notes reach the device.
TEST_F(CudaPass, ABudgetOfErrorIsChosenAsForTheCpu) {
    const EffortMatrix m = made(96, 32);
    std::vector<float> v(32), y(96);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 1.f / static_cast<float>(1 + i);
    const auto rows_read = [&](const char* device, DenseSwitch dense) {
        EffortReport report;
        const EffortOptions options{.dense = dense, .device = device};
        EXPECT_TRUE(try_matvec(m, v, y, Budget::error(.4), options, report));
        EXPECT_FALSE(report.dense);
        EXPECT_STREQ(report.kernels, *device ? "cuda" : report.kernels);
        return report.rows_read;
    };
    test::memory_is_the_hosts(true);
    const std::int64_t on_cpu = rows_read("", DenseSwitch::never);
    EXPECT_GT(on_cpu, 0);
    EXPECT_LT(on_cpu, m.rows());
    EXPECT_EQ(rows_read("cuda", DenseSwitch::never), on_cpu);
    EXPECT_EQ(rows_read("cuda:0", DenseSwitch::when_quicker), on_cpu) << "by error nothing is switched there";
    test::memory_is_the_hosts(false);
}

TEST_F(CudaPass, DevicesAndSetsThatAreNotThereAreRefused) {
    const EffortMatrix m = made(96, 32);
    std::vector<float> v(32), y(96);
    EffortReport report;
    for (const char* device : {"cuda:99", "cuda:x", "cuda:-1", "cpu-check", "moon"})
        EXPECT_EQ(try_matvec(m, v, y, Budget::effort(.5), {.device = device}, report).code, Code::no_device) << device;
    EXPECT_EQ(try_matvec(m, v, y, Budget::effort(.5), {.device = "cuda", .kernels = "avx2"}, report).code,
              Code::unsupported);
    EXPECT_EQ(try_place_effort(m, "cuda:99").code, Code::no_device);
    EXPECT_TRUE(try_place_effort(m, "cuda:0"));
}

}  // namespace
