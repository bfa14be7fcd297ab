// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where the sums of few_rows_anywhere's tiles go; what an Inf, or a number near the largest or the least, made of f32's
// is computed anew.
#pragma once

#include "backend/cuda/few/anywhere_tile.cuh"
#include "backend/cuda/tiles/sum_anew.cuh"
#include "tilewright/layout.hpp"

namespace tw::cuda::anywhere {

/// What the parts of an Inf made of an element, plainly.
template <bool holds_all>
__device__ float again(const Tensor<const float>& few, const Tensor<const float>& weights, int i, int j, int from,
                       int end) {
    if constexpr (holds_all)
        return sum_anew(from, min(end, static_cast<int>(few.cols())),
                        [&](int k, float sum) { return fmaf(few(i, k), weights(j, k), sum); });
    float sum = 0;
    for (int k = from; k < min(end, static_cast<int>(few.cols())); ++k) sum = fmaf(few(i, k), weights(j, k), sum);
    return sum;
}

template <class C>
__device__ void store(const float (&sums)[C::N / 2], const Work& work, const Item& item, const Stage& stage,
                      const Rows<C>& rows, const Tensor<const float>& few, const Tensor<const float>& weights) {
    float* const to = work.sums + item.part * work.apart;
    const int first = item.across * C::N + static_cast<int>(threadIdx.x) % 4 * 2;
    const auto each = [&](int x, const auto& f) {
        const int row = item.tile * stage.height + (x / 2 % 2 ? rows.row[1] : rows.row[0]),
                  col = first + x / 4 * 8 + x % 2;
        if (row < work.rows && col < work.few) f(to[col * work.few_step + row * work.rows_step], col, row);
    };
    bool finite = true;
#pragma unroll
    for (int x = 0; x < C::N / 2; ++x) each(x, [&](float& at, int, int) { at = sums[x], finite &= isfinite(sums[x]); });
    if constexpr (C::cuts) {
        if (finite) return;
#pragma unroll 1
        for (int x = 0; x < C::N / 2; ++x)
            each(x, [&](float& at, int col, int row) {
                if (!isfinite(at))
                    at = again<C::holds_all>(few, weights, col, row, item.from * C::deep, item.end * C::deep);
            });
    }
}

}  // namespace tw::cuda::anywhere
