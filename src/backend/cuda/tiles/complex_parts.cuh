// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Real and imaginary parts of a thread's complex numbers, apart in registers, and their products by FMA.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/shared_load.cuh"

namespace tw::cuda {

/// Of a thread's rows or columns.
template <int count>
struct Parts {
    float re[count], im[count];
};

/// Groups of neighbours, `apart` from one to the next.
template <int group, int apart, int count>
__device__ void read_groups_of(float (&to)[count], std::uint32_t from) {
#pragma unroll
    for (int g = 0; g < count; g += group) {
        if constexpr (group == 4) {
            const float4 four = ptx::load_4(from + g / 4 * apart * 4);
            to[g] = four.x, to[g + 1] = four.y, to[g + 2] = four.z, to[g + 3] = four.w;
        } else {
            const float2 two = ptx::load_2(from + g / 2 * apart * 4);
            to[g] = two.x, to[g + 1] = two.y;
        }
    }
}

/// In add_product()'s order for each sum, there and back: each product has an operand of the last one.
template <bool conj_b, int TM, int TN>
__device__ void add_products(Parts<TN> (&sums)[TM], const Parts<TM>& down, const Parts<TN>& across) {
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const float re = down.re[i], im = down.im[i];
        Parts<TN>& sum = sums[i];
#pragma unroll
        for (int j = 0; j < TN; ++j) sum.re[j] = fmaf(re, across.re[j], sum.re[j]);
#pragma unroll
        for (int j = TN - 1; j >= 0; --j) sum.im[j] = fmaf(conj_b ? -re : re, across.im[j], sum.im[j]);
#pragma unroll
        for (int j = 0; j < TN; ++j) sum.re[j] = fmaf(conj_b ? im : -im, across.im[j], sum.re[j]);
#pragma unroll
        for (int j = TN - 1; j >= 0; --j) sum.im[j] = fmaf(im, across.re[j], sum.im[j]);
    }
}

/// A sum of 0 has no sign to lose.
template <int TM, int TN>
__device__ void conjugate(Parts<TN> (&sums)[TM]) {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i].im[j] = 0 - sums[i].im[j];
}

}  // namespace tw::cuda
