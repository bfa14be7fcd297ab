// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A warp's sums on their way to C. What threads hold in registers lies here and there in C: stored from
// there, each 4 bytes would be a write of their own to the second-level cache.
#pragma once

#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {

/// What a thread stores of its sums: one by one, four of a row, or by way of shared memory.
enum class Store { ones, fours, slices };

/// As Product::store() has it.
__device__ inline float combined(const Product<float>& p, float sum, const float& before) {
    return p.beta == 0 ? p.alpha * sum : p.alpha * sum + p.beta * before;
}

/// Four neighbours of a row, at once where that is possible.
__device__ inline void store_four(const Product<float>& p, std::int64_t i, std::int64_t j, float4 sum) {
    if (i >= p.c.rows()) return;
    float* to = &p.c(i, j);
    if (p.c.layout.col_step == 1 && reinterpret_cast<std::uintptr_t>(to) % 16 == 0 && j + 3 < p.c.cols()) {
        float4& four = *reinterpret_cast<float4*>(to);
        four = make_float4(combined(p, sum.x, four.x), combined(p, sum.y, four.y), combined(p, sum.z, four.z),
                           combined(p, sum.w, four.w));
    } else {
        p.store(i, j, sum.x), p.store(i, j + 1, sum.y), p.store(i, j + 2, sum.z), p.store(i, j + 3, sum.w);
    }
}

/// A warp's slice of C, neighbours by neighbouring threads: 16 bytes at once where all of C allows it.
template <int slice_rows, int width, int pitch>
__device__ void store_slice(const Product<float>& p, const float* slice, int row, int col) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int rows = min(static_cast<int>(p.c.rows()) - row, slice_rows);
    const std::int64_t row_step = p.c.layout.row_step;
    const auto address = reinterpret_cast<std::uintptr_t>(p.c.data);
    if (p.c.layout.col_step == 1 && (address | static_cast<std::uintptr_t>(row_step * 4)) % 16 == 0 &&
        col + width <= static_cast<int>(p.c.cols())) {
        constexpr int across = width / 4;
        const int first = lane / across, x = lane % across * 4;
        float* to = p.c.data + (row + first) * row_step + col + x;
#pragma unroll 4
        for (int i = first; i < rows; i += 32 / across, to += 32 / across * row_step) {
            const float4 sum = *reinterpret_cast<const float4*>(slice + i * pitch + x);
            float4& four = *reinterpret_cast<float4*>(to);
            four = make_float4(combined(p, sum.x, four.x), combined(p, sum.y, four.y), combined(p, sum.z, four.z),
                               combined(p, sum.w, four.w));
        }
        return;
    }
#pragma unroll 1
    for (int x = lane; x < width && col + x < static_cast<int>(p.c.cols()); x += 32) {
        float* to = &p.c(row, col + x);
#pragma unroll 4
        for (int i = 0; i < rows; ++i, to += row_step) *to = combined(p, slice[i * pitch + x], *to);
    }
}

}  // namespace tw::cuda
