// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From sums in shared memory to C by all threads of a block.
#pragma once

#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/ptx/shared_load.cuh"

namespace tw::cuda {

struct FromShared {
    Output out;
    bool takes_fours;  ///< C's rows, four at once
    bool turned;       ///< C is seen from its other side
};

/// alpha * sums + beta * C and the epilogue, along C's rows, four at once where they take that. T: the operands' type.
template <class S, class T, class C>
__device__ void store_tile(std::uint32_t sums, const FromShared& result, int first_row, int first_col) {
    struct alignas(4 * sizeof(C)) Four {
        C of[4];
    };
    constexpr int across = S::BN / 4, down = S::threads / across;
    const Output& c = result.out;
    const int thread = static_cast<int>(threadIdx.x), col = thread % across * 4, left = c.cols - first_col - col;
    const int rows = min(S::BM, c.rows - first_row);
    if (left <= 0) return;
    int row = thread / across;
    C* to = static_cast<C*>(c.data) + (first_row + row) * c.row_step + (first_col + col) * c.col_step;
#pragma unroll 2
    for (; row < rows; row += down, to += down * c.row_step) {
        const float4 four = ptx::load_4(sums + row * S::sums_pitch + col * 4);
        float x[4] = {four.x, four.y, four.z, four.w};
        if (!c.fused.empty) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
                if (i < left) finish_element<T, C>(x[i], c, first_row + row, first_col + col + i, result.turned);
            continue;
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) x[i] *= c.alpha;
        if (result.takes_fours && left >= 4) {
            Four finished;
            if (c.beta != 0) {
                const Four old = *reinterpret_cast<const Four*>(to);
#pragma unroll
                for (int i = 0; i < 4; ++i) x[i] += c.beta * static_cast<float>(old.of[i]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) finished.of[i] = static_cast<C>(x[i]);
            *reinterpret_cast<Four*>(to) = finished;
        } else {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                if (i >= left) break;
                C& element = to[i * c.col_step];
                if (c.beta != 0) x[i] += c.beta * static_cast<float>(element);
                element = static_cast<C>(x[i]);
            }
        }
    }
}

}  // namespace tw::cuda
