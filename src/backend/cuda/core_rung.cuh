// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the rungs of the CUDA cores, r1 to r7, are launched.
#pragma once

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {

/// A block of `threads` for each BM x BN results; those of a batch lie behind one another in the grid's second
/// dimension.
template <class T, int BM, int BN, int threads, std::size_t shared = 0, class... More>
Status launch_over(void (*kernel)(Product<T>, TileGrid, More...), const Call& call, const More&... more) noexcept {
    const auto [grid, blocks] = tiling(call, BM, BN);
    const Launch how{
        .blocks = blocks, .threads = threads, .shared = shared, .products = static_cast<unsigned>(products_of(call))};
    return launch(kernel, how, call.stream, product_of<T>(call), grid, more...);
}

}  // namespace tw::cuda
