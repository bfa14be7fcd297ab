// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The last pass over C for kernels that fuse no epilogue: bandwidth-bound, one read and one write of each element.
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/elements.cuh"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/activation.cuh"

namespace tw::cuda {
namespace {

constexpr int threads = 256;

/// Sum: f64 for a C of f64, else f32, as kernels that fuse an epilogue have it.
template <class Sum>
__global__ void __launch_bounds__(threads) finish_elements(Matrix c, double beta, Epilogue epilogue) {
    const Matrix bias{const_cast<void*>(epilogue.bias), epilogue.bias_type, 1, c.cols, 0, 1};
    const std::int64_t count = c.rows * c.cols, step = std::int64_t{gridDim.x} * threads;
    for (std::int64_t at = blockIdx.x * std::int64_t{threads} + threadIdx.x; at < count; at += step) {
        const std::int64_t i = at / c.cols, j = at % c.cols;
        auto x = static_cast<Sum>(beta == 0 ? 0 : beta * load(c, i, j));
        x = fma(x, static_cast<Sum>(epilogue.scale), static_cast<Sum>(bias.data ? load(bias, 0, j) : -0.0));
        x = activated(epilogue.activation, x);
        if (epilogue.residual.data) x += static_cast<Sum>(load(epilogue.residual, i, j));
        store(c, i, j, x);
    }
}

/// In f64, as the host has it: a real beta scales each part by itself.
__global__ void __launch_bounds__(threads) finish_complex(Matrix c, double2 beta, double scale, Matrix residual) {
    const std::int64_t count = c.rows * c.cols, step = std::int64_t{gridDim.x} * threads;
    const bool reads = beta.x != 0 || beta.y != 0;
    for (std::int64_t at = blockIdx.x * std::int64_t{threads} + threadIdx.x; at < count; at += step) {
        const std::int64_t i = at / c.cols, j = at % c.cols;
        const double2 old = reads ? load_complex(c, i, j) : double2{};
        double2 x{__dmul_rn(beta.x, old.x), __dmul_rn(beta.x, old.y)};
        if (beta.y != 0) x = {__dsub_rn(x.x, __dmul_rn(beta.y, old.y)), __dadd_rn(x.y, __dmul_rn(beta.y, old.x))};
        x = {__dmul_rn(x.x, scale), __dmul_rn(x.y, scale)};
        if (residual.data) {
            const double2 more = load_complex(residual, i, j);
            x = {__dadd_rn(x.x, more.x), __dadd_rn(x.y, more.y)};
        }
        store_complex(c, i, j, x);
    }
}

}  // namespace

Status finish(const Matrix& c, double beta, double beta_imag, const Epilogue& epilogue, void* stream) noexcept {
    if (const Status dead = alive(); !dead) return dead;
    if ((beta == 1 && beta_imag == 0 && epilogue.is_empty()) || c.rows == 0 || c.cols == 0) return {};
    const std::int64_t wanted = (c.rows * c.cols + threads - 1) / threads, most = 16 * std::int64_t{multiprocessors()};
    const auto blocks = static_cast<unsigned>(wanted < most ? wanted : most);
    const Launch how{.blocks = blocks, .threads = threads};
    if (is_complex(c.type))
        return launch(finish_complex, how, stream, c, double2{beta, beta_imag}, epilogue.scale, epilogue.residual);
    if (c.type == Type::f64) return launch(finish_elements<double>, how, stream, c, beta, epilogue);
    return launch(finish_elements<float>, how, stream, c, beta, epilogue);
}

}  // namespace tw::cuda
