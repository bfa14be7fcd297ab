// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A tile of the old C on its way to L2 while its sums are added up, so that nobody waits for memory at their end.
#pragma once

#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {

template <class Shape, class T>
__device__ void fetch_old_tile(const Product<T>& p, int first_row, int first_col) {
    constexpr int line = 128 / sizeof(T);
    const bool across = p.c.layout.col_step == 1;
    const int lines = (across ? Shape::BN : Shape::BM) / line;
    const T* c = p.c.data;
    asm volatile("" : "+l"(c));  // or what is counted here would stay in registers until C is written
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < Shape::BM * Shape::BN / line; i += Shape::threads) {
        const int x = i % lines * line, y = i / lines;
        const int row = first_row + (across ? y : x), col = first_col + (across ? x : y);
        if (row < p.c.rows() && col < p.c.cols())
            asm volatile("prefetch.global.L2 [%0];" ::"l"(c + p.c.layout(row, col)));
    }
}

}  // namespace tw::cuda
