// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From a sum to one element of C, with the roundings of finish_tile(): the same bits, however the tiles lie.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"

namespace tw::cuda {

/// All but the residual. T: the operands' type. `place`: of the bias's element.
template <class T>
__device__ float fused_element(float x, const Fused& by, int place) {
    if (by.bias) {
        const float bias = by.wide_bias ? static_cast<const float*>(by.bias)[place]
                                        : static_cast<float>(static_cast<const T*>(by.bias)[place]);
        x = fmaf(x, by.scale, bias);
    } else {
        x = __fmul_rn(x, by.scale);
    }
    constexpr bool exact = std::is_same_v<T, float>;
    switch (by.activation) {
        case Activation::none: break;
        case Activation::relu: return relu_of(x);
        case Activation::gelu: return gelu_of<exact>(x);
        case Activation::silu: return silu_of<exact>(x);
    }
    return x;
}

/// C: of C's elements. `turned`: C is seen from its other side, so that the bias goes along i.
template <class T, class C>
__device__ void finish_element(float sum, const Output& out, int i, int j, bool turned) {
    C& to = static_cast<C*>(out.data)[i * out.row_step + j * out.col_step];
    float x = __fmul_rn(sum, out.alpha);
    if (out.beta != 0) x = fmaf(out.beta, static_cast<float>(to), x);
    if (!out.fused.empty) {
        x = fused_element<T>(x, out.fused, turned ? i : j);
        if (const auto* const old = static_cast<const C*>(out.fused.residual))
            x = __fadd_rn(x, static_cast<float>(old[i * out.fused.row_step + j * out.fused.col_step]));
    }
    to = narrow<C>(x);
}

}  // namespace tw::cuda
