// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The loops behind two roofs: FMA on registers, in chains that do not wait for each other, and reading memory once from
// end to end. What they compute is written only where it has a value that it can't have, so that nothing is left out.
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/roofs.hpp"

namespace tw::cuda {
namespace {

constexpr int threads = 256, chains = 16;
constexpr unsigned blocks_a_multiprocessor = 4;  // fit everywhere, with the registers that they need

template <class T>
__global__ void __launch_bounds__(threads) multiply_and_add(int steps, T factor, T* never) {
    T sums[chains];
    for (int i = 0; i < chains; ++i) sums[i] = static_cast<T>(threadIdx.x + i);
    for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int i = 0; i < chains; ++i) sums[i] = sums[i] * factor + factor;
    T sum = 0;
    for (int i = 0; i < chains; ++i) sum += sums[i];
    if (sum == T(-1)) *never = sum;
}

__global__ void __launch_bounds__(threads) read(const float4* from, std::int64_t count, float* never) {
    const std::int64_t all = std::int64_t{gridDim.x} * threads;
    float sum = 0;
#pragma unroll 8
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += all) {
        const float4 four = from[i];
        sum += (four.x + four.y) + (four.z + four.w);
    }
    if (sum == -1.5f) *never = sum;
}

Launch on_the_whole_device() {
    return {.blocks = blocks_a_multiprocessor * static_cast<unsigned>(multiprocessors()), .threads = threads};
}

}  // namespace

Status launch_fma(bool is_f64, int steps, double& flops) noexcept {
    const Launch how = on_the_whole_device();
    flops = 2.0 * steps * chains * threads * how.blocks;
    return is_f64 ? launch(multiply_and_add<double>, how, nullptr, steps, 0.5, nullptr)
                  : launch(multiply_and_add<float>, how, nullptr, steps, 0.5f, nullptr);
}

Status launch_reading(const float* from) noexcept {
    return launch(read, on_the_whole_device(), nullptr, reinterpret_cast<const float4*>(from), roof_floats / 4,
                  nullptr);
}

}  // namespace tw::cuda
