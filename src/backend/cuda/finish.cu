// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The last pass over C for kernels that fuse no epilogue: bandwidth-bound, one read and one write of each element.
#include "backend/cuda/device.hpp"
#include "backend/cuda/elements.cuh"
#include "backend/cuda/launch.hpp"

namespace tw::cuda {
namespace {

constexpr int threads = 256;

__device__ double activate(Activation activation, double x) {
    switch (activation) {
        case Activation::none: break;
        case Activation::relu: return x < 0 ? 0 : x;  // a NaN stays
        case Activation::gelu: return 0.5 * x * (1 + erf(x * 0.70710678118654752440));
        case Activation::silu: return x / (1 + exp(-x));
    }
    return x;
}

__global__ void __launch_bounds__(threads) finish_elements(Matrix c, double beta, Epilogue epilogue) {
    const Matrix bias{const_cast<void*>(epilogue.bias), epilogue.bias_type, 1, c.cols, 0, 1};
    const std::int64_t count = c.rows * c.cols, step = std::int64_t{gridDim.x} * threads;
    for (std::int64_t at = blockIdx.x * std::int64_t{threads} + threadIdx.x; at < count; at += step) {
        const std::int64_t i = at / c.cols, j = at % c.cols;
        double x = beta == 0 ? 0 : beta * load(c, i, j);
        x *= epilogue.scale;
        if (bias.data) x += load(bias, 0, j);
        x = activate(epilogue.activation, x);
        if (epilogue.residual.data) x += load(epilogue.residual, i, j);
        store(c, i, j, x);
    }
}

}  // namespace

Status finish(const Matrix& c, double beta, const Epilogue& epilogue, void* stream) noexcept {
    if (const Status dead = alive(); !dead) return dead;
    if ((beta == 1 && epilogue.is_empty()) || c.rows == 0 || c.cols == 0) return {};
    const std::int64_t wanted = (c.rows * c.cols + threads - 1) / threads, most = 16 * std::int64_t{multiprocessors()};
    const auto blocks = static_cast<unsigned>(wanted < most ? wanted : most);
    return launch(finish_elements, {.blocks = blocks, .threads = threads}, stream, c, beta, epilogue);
}

}  // namespace tw::cuda
