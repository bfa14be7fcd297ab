// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the forms of the loaders' microbenchmark have in common: fill, wait, read, again.
#pragma once

#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/loading_contest/loaders.hpp"
#include "backend/cuda/ptx/clock.cuh"

namespace tw::cuda {

/// Form: start(tile, from, loaders) by every thread, then wait(), after which the tile may be read.
template <class Form>
__device__ void fill_again_and_again(const LoadersTask& task, float* tile, Form& form) {
    const int thread = static_cast<int>(threadIdx.x), blocks = static_cast<int>(gridDim.x),
              block = static_cast<int>(blockIdx.x);
    const std::uint64_t started = ptx::nanoseconds();
    std::uint32_t bits = 0;
    for (int fill = 0; fill < task.fills; ++fill) {
        const std::int64_t place = (std::int64_t{fill} * blocks + block) % task.tiles;
        form.start(tile, task.from + place * loaders_tile_floats, task.loaders);
        form.wait();
        bits ^= __float_as_uint(tile[loaders_element(thread)]);
        __syncthreads();
    }
    task.to[block * loaders_threads + thread] = bits;
    if (thread != 0) return;
    std::uint64_t* times = task.to + std::int64_t{blocks} * loaders_threads + 2 * block;
    times[0] = started, times[1] = ptx::nanoseconds();
}

/// This thread's share of a tile, in pieces of 16 bytes: from begin() to end(), every 32nd.
struct LoadersShare {
    int begin, end;

    __device__ explicit LoadersShare(int loaders) {
        constexpr int pieces = loaders_tile_floats / 4;
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        begin = warp < loaders ? pieces * warp / loaders + lane : pieces;
        end = warp < loaders ? pieces * (warp + 1) / loaders : pieces;
    }
};

Status launch_bulk_loaders(const LoadersTask& task, int blocks) noexcept;

}  // namespace tw::cuda
