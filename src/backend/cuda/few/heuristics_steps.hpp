// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What few_steps takes: by shape alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cuda/device/device.hpp"
#include "scheme/scheme.hpp"

namespace tw::cuda::steps {

inline constexpr std::int64_t most_k = 192;

/// Rows of C, or of an operand, that begin anywhere are moved 4 bytes at a time (6831 x 1056 x 81 NT: 56 us).
inline double by_words(const Problem& p) {
    const bool along = p.a == Form::row_major || p.b == Form::col_major;
    return p.n % 4 != 0 ? 1.45 : along && p.k % 4 != 0 ? 1.2 : 1;
}

/// Attention's heads, of which there are many: what is around a single one does not count. 512 x 512 x 64, 12 times,
/// takes 15.5 us, r7 18.1; 512 x 512 x 80 18.8 and 22.1. Their rows begin at 16 bytes (511 x 878 x 72, one: 7.6 us, r7
/// 5.1).
inline bool are_heads(const Problem& p) {
    constexpr double of_tf32 = 1e-4;  // with tf32's accuracy r9 takes half the time
    return p.m % 4 == 0 && p.n % 4 == 0 && p.k % 4 == 0 && std::min(p.m, p.n) >= 384 && std::max(p.m, p.n) <= 2048 &&
           p.k <= 128 && promise(p.accuracy, p.in, p.k) < of_tf32;
}

/// Tiles of the busiest multiprocessor, one behind the other. An H200 takes 65.6, 80.8 and 108 us for 4096 x 4096 x 64,
/// 96 and 128, 8.2 for 500 x 500 x 100; 87 where rows begin anywhere (3723 x 4233 x 58). Beyond 128 of k no two blocks
/// share a multiprocessor (668 x 3744 x 169 35 us, r7 28). C by columns is written element by element.
inline double nanoseconds(const Problem& p) {
    const auto busiest =
        static_cast<double>(tiles_over(tiles_over(p.m, 64) * tiles_over(p.n, 128), multiprocessors_for_costs()));
    const double by_columns = p.c == Form::row_major ? 1 : 2, alone = p.k > 128 && busiest > 1 ? 1.3 : 1;
    const double around = are_heads(p) ? 0 : 3000;
    return around + by_columns * busiest * (1200 + 41 * static_cast<double>(p.k)) * by_words(p) * alone;
}

}  // namespace tw::cuda::steps
