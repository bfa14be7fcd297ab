// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A batch as TMA sees it: one map of many matrices, and which of them each product has.
#pragma once

namespace tw::cuda {

/// One product's.
struct Deep {
    int a, b, c;
};

struct Depths {
    const int* coordinates = nullptr;  ///< those of all A, all B, all C; null: the product's own number, or 0
    int size = 1;
    bool a_moves = false, b_moves = false, c_moves = false;

#ifdef __CUDACC__
    __device__ Deep of(int product) const {
        return {one(product, 0, a_moves), one(product, 1, b_moves), one(product, 2, c_moves)};
    }

private:
    __device__ int one(int product, int operand, bool moves) const {
        if (coordinates) return coordinates[operand * size + product];
        return moves ? product : 0;
    }
#endif
};

}  // namespace tw::cuda
