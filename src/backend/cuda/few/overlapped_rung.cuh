// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// As core_rung.cuh launches, for kernels that begin while the one in front ends: they wait for it by themselves. It is
// a microsecond of each short product.
#pragma once

#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/spread.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {

/// overlaps: the kernel waits so.
template <class T, class S, bool overlaps, class... More>
Status launch_overlapped(void (*kernel)(Product<T>, TileGrid, More...), const Call& call,
                         const More&... more) noexcept {
    const auto [grid, blocks] = tiling(call, S::BM, S::BN);
    const auto products = static_cast<unsigned>(products_of(call));
    const Launch how{.blocks = blocks,
                     .threads = S::threads,
                     .shared = overlaps ? shared_when_spread(S::shared, std::int64_t{blocks} * products) : S::shared,
                     .products = products,
                     .overlaps = overlaps};
    return launch(kernel, how, call.stream, product_of<T>(call), grid, more...);
}

}  // namespace tw::cuda
