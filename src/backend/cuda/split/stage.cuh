// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a consumer of r10 does with one stage of the ring, and where its results wait for TMA.
#pragma once

#include "backend/cuda/ptx/wgmma.cuh"
#include "backend/cuda/split/split.hpp"

namespace tw::cuda {

/// The products of one stage, smallest first. A part is an offset of 16-k steps in the tile's rows, or a sub-tile.
template <Parts parts, class P, class Add>
__device__ void multiply_stage(const P& pipe, int stage, int consumer, const Add& add) {
    const auto a = [&](int part) {
        return ptx::tile_descriptor<P::row_bytes>(pipe.a_tile(stage, part) + consumer * 64 * P::row_bytes);
    };
    const auto b = [&](int part) { return ptx::tile_descriptor<P::row_bytes>(pipe.b_tile(stage, part)); };
    constexpr int step = 32 >> 4;  // 16 of k, as descriptors count
    if constexpr (parts == Parts::fp16x1) {
#pragma unroll
        for (int q = 0; q < 4; ++q) add(a(0) + q * step, b(0) + q * step);
    } else if constexpr (parts == Parts::fp16x3) {
#pragma unroll
        for (int pair = 0; pair < 3; ++pair)  // the second part of A, of B, of neither
#pragma unroll
            for (int q = 0; q < 2; ++q) add(a(0) + ((pair == 0) * 2 + q) * step, b(0) + ((pair == 1) * 2 + q) * step);
    } else {
        constexpr int pairs[6][2] = {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
#pragma unroll
        for (const auto& pair : pairs)
#pragma unroll
            for (int q = 0; q < 2; ++q) add(a(pair[0]) + q * step, b(pair[1]) + q * step);
    }
}

/// Where a consumer's results wait for TMA: a ring of boxes of 64 rows. Its columns' notes, and eight words more, lie
/// behind.
template <int BN>
struct Staging {
    static constexpr int row_bytes = BN == 128 ? 128 : 64, ring = BN == 128 ? 2 : 3, boxes = ring * 64 * row_bytes;
    static constexpr int of_columns = 4 * BN + 32, of_consumer = boxes + of_columns;
};

}  // namespace tw::cuda
