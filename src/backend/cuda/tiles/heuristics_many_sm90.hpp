// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Batches of many small products: when r9 takes tiles of 64 x 64, and when their blocks stay.
#pragma once

#include "backend/cuda/tiles/async_shapes_sm90.hpp"
#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda::sm90 {

/// Tiles of 64 x 64 of a batch by blocks that stay, four on a multiprocessor, and take tile after tile: more of them
/// than would begin together anyhow, which are two where k is long.
constexpr bool r9_are_very_many(const Sizes& s) {
    return s.products > 1 && s.tiles(64, 64) > (s.k > 128 ? 2 : 4) * std::int64_t{s.multiprocessors};
}

/// Of many small products that are over in two steps of k four blocks share a multiprocessor: 48 x 128 x 96, 948 times,
/// takes an H200 17.1 us instead of 24.3; but 256 x 256 x 64, 200 times, 23.0 instead of 14.5.
constexpr bool async_is_many(const Sizes& s, const R9Operands& o) {
    // Blocks that stay: 384 x 64 x 64, 881 times, by 128 x 64 46 us, 31 by these.
    if (!o.is_f32 && !o.a_across && !o.adds && s.n <= 64 && s.k <= 192 && r9_are_very_many(s)) return true;
    // 96 x 96 x 32, 662 times: 19.4 us, 12.2 by 128 x 128, of which four tiles of 64 x 64 would be half.
    const bool half_empty = !o.is_f32 && s.m > 64 && s.n > 64 && s.m * s.n < 100 * 128;
    return s.products > 1 && s.k <= (o.is_f32 ? 64 : 128) && s.m <= 128 && s.n <= 128 && s.n > 32 && !half_empty;
}

}  // namespace tw::cuda::sm90
