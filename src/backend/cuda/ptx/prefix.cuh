// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sums over the lanes of a warp, in their order.
#pragma once

namespace tw::cuda::ptx {

/// Of what the lanes up to this one have, its own included.
template <class Number>
__device__ Number prefix_of_warp(Number x) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const Number other = __shfl_up_sync(~0u, x, step);
        if (static_cast<int>(threadIdx.x) % 32 >= step) x += other;
    }
    return x;
}

}  // namespace tw::cuda::ptx
