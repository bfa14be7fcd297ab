// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The one place of the activations, for the pass of its own and for kernels that fuse it: in f64 for an f64 C, else in
// f32, every operation rounded by itself, so that a value has the same bits wherever it is computed.
#pragma once

#include <type_traits>

#include "backend/cuda/ptx/special.cuh"
#include "tilewright/epilogue.hpp"

namespace tw::cuda {

__device__ inline float relu_of(float x) { return x < 0 ? 0 : x; }  // a NaN stays

/// x times the normal distribution's weight below x. The weight of a tail is 2^(-z^2 log2(e) / 2) times a polynomial in
/// t = 1 / (1 + 0.35 z), which is within 3.2e-8 of it for every z up to 16; what lies beyond is 0 in f32.
/// `exact` also makes up for the rounding of the exponent, 1e-6 of a value at z = 4: sums of f32 products deserve it.
template <bool exact>
__device__ float gelu_of(float x) {
    constexpr float fit[] = {0.14397366344928741f, -0.25571826100349426f, 0.15917862951755524f, -0.023112842813134193f,
                             0.10550924390554428f, 0.11983256042003632f,  0.13986191153526306f, 0.13962140679359436f};
    constexpr float half_log2e = 0.72134752044448170368f;
    constexpr auto rest_of_half_log2e = static_cast<float>(0.72134752044448170368 - double{half_log2e});
    const float z = fminf(fabsf(x), 16), t = ptx::reciprocal(fmaf(0.35f, z, 1));
    float p = -0.029146339744329453f;
#pragma unroll
    for (const float c : fit) p = fmaf(p, t, c);
    const float square = __fmul_rn(z, z), exponent = __fmul_rn(square, -half_log2e);
    float tail = __fmul_rn(ptx::power_of_two(exponent), __fmul_rn(p, t));
    if constexpr (exact) {
        const float of_square = fmaf(z, z, -square), of_exponent = fmaf(square, -half_log2e, -exponent);
        const float lost = fmaf(of_square, -half_log2e, fmaf(square, -rest_of_half_log2e, of_exponent));
        tail = fmaf(tail, __fmul_rn(lost, 0.69314718f), tail);
    }
    return __fmul_rn(x, x > 0 ? __fsub_rn(1, tail) : tail);
}

template <bool exact>
__device__ float silu_of(float x) {
    const float power = exact ? expf(-x) : ptx::power_of_two(__fmul_rn(x, -1.44269504f));
    return __fmul_rn(x, ptx::reciprocal(__fadd_rn(1, power)));
}

__device__ inline float activated(Activation activation, float x) {
    switch (activation) {
        case Activation::none: break;
        case Activation::relu: return relu_of(x);
        case Activation::gelu: return gelu_of<true>(x);
        case Activation::silu: return silu_of<true>(x);
    }
    return x;
}

__device__ inline double activated(Activation activation, double x) {
    switch (activation) {
        case Activation::none: break;
        case Activation::relu: return x < 0 ? 0 : x;
        case Activation::gelu: return 0.5 * x * (1 + erf(x * 0.70710678118654752440));
        case Activation::silu: return x / (1 + exp(-x));
    }
    return x;
}

}  // namespace tw::cuda
