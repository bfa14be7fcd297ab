// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A call's C for kernels that finish it element by element, whatever its steps.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"

namespace tw::cuda {

/// Of a batch: the first product's.
inline Output output_of(const Call& call) {
    return {.data = call.c.data,
            .row_step = call.c.row_step,
            .col_step = call.c.col_step,
            .rows = static_cast<int>(call.m()),
            .cols = static_cast<int>(call.n()),
            .alpha = static_cast<float>(call.alpha),
            .beta = static_cast<float>(call.beta),
            .wide = call.c.type == Type::f32,
            .by_row = false,
            .by_box = false,
            .fused = fused(call.epilogue)};
}

/// C and the residual of a block's own product.
__device__ inline void move_to_product(Output& out, const Places& places) {
    out.data = places.c(static_cast<char*>(out.data));
    out.fused.residual = places.residual(out.fused.residual);
}

}  // namespace tw::cuda
