// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tf32: TMA rounds to the nearest, and what lies above the largest tf32 becomes infinite. A sum that is not finite is
// made once more, element by element, of operands that are cut there: slow, right, and rare.
#pragma once

#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/operands/depths.hpp"
#include "backend/cuda/ptx/tf32.cuh"

namespace tw::cuda {

/// Rows along k of one product's operands, or of a batch's first.
struct AgainFrom {
    const float *a, *b;
    std::int64_t a_step, b_step, a_bytes, b_bytes;  ///< elements between rows; from one matrix of a map to the next
    int m, n, k;

    __device__ AgainFrom of(const Deep& deep) const {
        AgainFrom one = *this;
        one.a = reinterpret_cast<const float*>(reinterpret_cast<const char*>(a) + deep.a * a_bytes);
        one.b = reinterpret_cast<const float*>(reinterpret_cast<const char*>(b) + deep.b * b_bytes);
        return one;
    }
};

template <int N>
__device__ void make_again(float (&sums)[N / 2], const AgainFrom& from, int first_row, int first_col, int thread) {
    float odd = 0;
#pragma unroll
    for (int i = 0; i < N / 2; ++i) odd += sums[i] * 0;
    if (odd == 0) return;
    const FragmentPlace at(thread);
    each_slice<N, 8>(sums, [&](auto& slice, int slice_col) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int row = first_row + at.row + i / 2 * 8, col = first_col + slice_col + at.col + i % 2;
            if (slice[i] * 0 == 0 || row >= from.m || col >= from.n) continue;
            const float *a = from.a + row * from.a_step, *b = from.b + col * from.b_step;
            float sum = 0;
#pragma unroll 1
            for (int k = 0; k < from.k; ++k) sum = fmaf(ptx::round_to_tf32(a[k]), ptx::round_to_tf32(b[k]), sum);
            slice[i] = sum;
        }
    });
}

}  // namespace tw::cuda
