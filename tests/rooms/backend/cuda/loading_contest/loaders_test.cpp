// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The microbenchmark of loaders without a device: what counts as right, what counts as time, and that launches report.
#include "backend/cuda/loading_contest/loaders.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/failure.hpp"
#include "rooms/backend/cuda/fake_runtime.hpp"

extern "C" const tw::cuda::LoadersDoor* tilewright_cuda_loaders(unsigned long long stamp) noexcept;

namespace {

using namespace tw;
using cuda::LoaderForm;

constexpr int blocks = 2, tiles = 3, fills = 4;

std::vector<float> some_tiles() {
    std::vector<float> from(tiles * cuda::loaders_tile_floats);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i + 1);
    return from;
}

/// What a device that makes no mistake leaves.
std::vector<std::uint64_t> right_results(const std::vector<float>& from) {
    std::vector<std::uint64_t> to(static_cast<std::size_t>(cuda::loaders_results(blocks)));
    for (int block = 0; block < blocks; ++block)
        for (int thread = 0; thread < cuda::loaders_threads; ++thread)
            for (int fill = 0; fill < fills; ++fill) {
                const int tile = (fill * blocks + block) % tiles, element = thread * 32 + 31 - thread % 32;
                to[static_cast<std::size_t>(block * cuda::loaders_threads + thread)] ^= std::bit_cast<std::uint32_t>(
                    from[static_cast<std::size_t>(tile * cuda::loaders_tile_floats + element)]);
            }
    return to;
}

TEST(CudaLoaders, AWrongOrMissingElementIsSeen) {
    const std::vector<float> from = some_tiles();
    std::vector<std::uint64_t> to = right_results(from);
    const cuda::LoadersTask task{.from = nullptr, .to = nullptr, .tiles = tiles, .fills = fills, .loaders = 1};
    EXPECT_TRUE(cuda::are_loaded_right(task, from, to, blocks));
    to[300] ^= 1;
    EXPECT_FALSE(cuda::are_loaded_right(task, from, to, blocks));
    to[300] ^= 1;
    to[0] = 0;
    EXPECT_FALSE(cuda::are_loaded_right(task, from, to, blocks));
}

TEST(CudaLoaders, TimeIsFromTheFirstStartToTheLastEnd) {
    std::vector<std::uint64_t> to(static_cast<std::size_t>(cuda::loaders_results(blocks)));
    const std::size_t times = to.size() - 2 * blocks;
    to[times] = 5000, to[times + 1] = 9000, to[times + 2] = 4000, to[times + 3] = 7000;
    EXPECT_DOUBLE_EQ(cuda::loaders_seconds(to, blocks), 5e-6);
}

TEST(CudaLoaders, EveryFormReportsAFailedLaunch) {
    test::use_fake_runtime();
    const cuda::LoadersDoor* door = tilewright_cuda_loaders(cuda::contract_stamp);
    ASSERT_NE(door, nullptr);
    EXPECT_EQ(tilewright_cuda_loaders(cuda::contract_stamp + 1), nullptr);
    for (const auto form : {LoaderForm::plain, LoaderForm::async, LoaderForm::bulk}) {
        test::fail_call(0, cudaSuccess);
        cuda::revive();
        EXPECT_TRUE(door->has(form)) << "the device that is played is a Hopper";
        EXPECT_EQ(door->blocks(), 132);
        EXPECT_TRUE(door->launch(form, {.tiles = tiles, .fills = fills, .loaders = 2}, blocks));
        test::fail_call(1, cudaErrorInvalidValue);
        EXPECT_FALSE(door->launch(form, {.tiles = tiles, .fills = fills, .loaders = 2}, blocks));
    }
    test::fail_call(0, cudaSuccess);
    cuda::revive();
}

}  // namespace
