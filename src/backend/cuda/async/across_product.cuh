// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// C and its operands, as those see them that multiply an operand across k.
#pragma once

#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/operands/depths.hpp"
#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {

/// C, element by element: rows of the first operand, columns of the second, whichever of them are contiguous.
struct Elements {
    float* data;
    std::int64_t row_step, col_step;
    int rows, cols;
    float alpha, beta;
    Fused fused;
    bool bias_down;
    Tensor<const float> first, second;                            ///< rows along k
    bool by_box = false, boxes_down = false;                      ///< TMA stores C; along the rows of the first operand
    std::int64_t c_bytes = 0, first_bytes = 0, second_bytes = 0;  ///< from one matrix of a batch to the next
};

/// One product's of them.
struct OfProduct {
    const Elements& all;
    Deep deep;
    float* data;

    __device__ OfProduct(const Elements& elements, const Deep& its)
        : all(elements),
          deep(its),
          data(reinterpret_cast<float*>(reinterpret_cast<char*>(elements.data) + its.c * elements.c_bytes)) {}
    __device__ float* at(int row, int col) const { return data + row * all.row_step + col * all.col_step; }
};

}  // namespace tw::cuda
