// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What few_steps takes: by shape alone.
#pragma once

#include <cstdint>

#include "backend/cuda/device/device.hpp"

namespace tw::cuda::steps {

inline constexpr std::int64_t most_k = 192;

/// Tiles of the busiest multiprocessor, one behind the other. An H200 takes 65.6, 80.8 and 108 us for 4096 x 4096 x 64,
/// 96 and 128, 8.2 for 500 x 500 x 100; 87 where rows begin anywhere (3723 x 4233 x 58). C by columns is written
/// element by element.
inline double nanoseconds(const Problem& p) {
    const auto busiest =
        static_cast<double>(tiles_over(tiles_over(p.m, 64) * tiles_over(p.n, 128), multiprocessors_for_costs()));
    const double by_columns = p.c == Form::row_major ? 1 : 2;
    return 3000 + by_columns * busiest * (1200 + 41 * static_cast<double>(p.k)) * (p.n % 4 == 0 ? 1 : 1.45);
}

}  // namespace tw::cuda::steps
