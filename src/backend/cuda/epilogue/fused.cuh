// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The epilogue in the pass that completes C. One branch a tile chooses the activation, the same for every thread, so
// that a kernel has it once and not once for each kind.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backend/contract.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/epilogue/activation.cuh"
#include "backend/cuda/operands/batched.hpp"

namespace tw::cuda {

/// Where a thread's four sums of a group of 8 columns lie: rows lane / 4 and + 8, columns 2 * (lane % 4) and + 1.
struct FragmentPlace {
    int row, col;  ///< of sum 0, inside the warpgroup's 64 rows

    __device__ explicit FragmentPlace(int thread) : row(thread / 32 * 16 + thread % 32 / 4), col(thread % 4 * 2) {}
};

/// An epilogue whose bias is of f32 or of the operands' type, and whose residual is of C's.
struct Fused {
    float scale;
    Activation activation;
    bool empty, wide_bias;
    const void* bias;
    const void* residual;
    std::int64_t row_step, col_step;  ///< the residual's

    /// Of an f32 C.
    __device__ float residual_at(std::int64_t i, std::int64_t j) const {
        return static_cast<const float*>(residual)[i * row_step + j * col_step];
    }
    /// What becomes of x at (i, j), for kernels that finish one at a time: f32 all over.
    __device__ float of(float x, std::int64_t i, std::int64_t j) const {
        x = fmaf(x, scale, bias ? static_cast<const float*>(bias)[j] : -0.0f);
        x = activated(activation, x);
        return residual ? __fadd_rn(x, residual_at(i, j)) : x;
    }
};

inline bool can_fuse(const Epilogue& epilogue, Type in, Type out) noexcept {
    return (!epilogue.bias || epilogue.bias_type == Type::f32 || epilogue.bias_type == in) &&
           (!epilogue.residual.data || epilogue.residual.type == out);
}
/// For kernels whose products each have blocks of their own.
inline bool takes_batch(const Call& call) noexcept {
    return call.batch->size <= most_products && can_fuse(call.epilogue, call.a.type, call.c.type);
}
inline Fused fused(const Epilogue& epilogue) noexcept {
    return {static_cast<float>(epilogue.scale),
            epilogue.activation,
            epilogue.is_empty(),
            epilogue.bias_type == Type::f32,
            epilogue.bias,
            epilogue.residual.data,
            epilogue.residual.row_step,
            epilogue.residual.col_step};
}

/// The epilogue in a pass of its own behind run(call).
template <class Run>
Status finished_behind(const Call& call, const Run& run) {
    Call plain = call;
    plain.epilogue = {};
    const Status done = run(plain);
    return done ? finish(call.c, 1, 0, call.epilogue, call.stream) : done;
}

/// run(call) by a kernel that fuses epilogues of its own types.
template <class Run>
Status with_epilogue(const Call& call, const Run& run) {
    return can_fuse(call.epilogue, call.a.type, call.c.type) ? run(call) : finished_behind(call, run);
}

/// Scale and bias of a consumer's 64 x N sums. T: the operands' type.
template <class T, int N>
__device__ void add_bias(float (&sums)[N / 2], const Fused& by, int cols, int first_col, int thread) {
    const int col = first_col + FragmentPlace(thread).col;
    const auto add = [&](const auto& value_of) {
#pragma unroll
        for (int g = 0; g < N / 8; ++g) {
            const float left = value_of(min(col + 8 * g, cols - 1)), right = value_of(min(col + 8 * g + 1, cols - 1));
#pragma unroll
            for (int i = 0; i < 4; ++i) sums[4 * g + i] = fmaf(sums[4 * g + i], by.scale, i % 2 ? right : left);
        }
    };
    if (!by.bias) {
        if (by.scale != 1) add([](int) { return -0.0f; });  // changes no sign
    } else if (by.wide_bias) {
        add([&](int j) { return static_cast<const float*>(by.bias)[j]; });
    } else {
        add([&](int j) { return static_cast<float>(static_cast<const T*>(by.bias)[j]); });
    }
}

template <int N, class F>
__device__ void each_sum(float (&sums)[N / 2], const F& f) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) sums[i] = f(sums[i]);
}

/// All but the residual.
template <class T, int N>
__device__ void apply(float (&sums)[N / 2], const Fused& by, int cols, int first_col, int thread) {
    if (by.empty) return;
    add_bias<T, N>(sums, by, cols, first_col, thread);
    constexpr bool exact = std::is_same_v<T, float>;
    switch (by.activation) {
        case Activation::none: break;
        case Activation::relu: each_sum<N>(sums, [](float x) { return relu_of(x); }); break;
        case Activation::gelu: each_sum<N>(sums, [](float x) { return gelu_of<exact>(x); }); break;
        case Activation::silu: each_sum<N>(sums, [](float x) { return silu_of<exact>(x); }); break;
    }
}

}  // namespace tw::cuda
