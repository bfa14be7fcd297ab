// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a product takes whose operands are split before it.
#pragma once

#include <algorithm>
#include <cmath>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/heuristics_parts.hpp"

namespace tw::cuda {

/// Splitting reads and writes 8 bytes an element, across k at half the pace (10 x 22994 x 6632 NN: 823 us), and so
/// where lines of a small operand begin anywhere (1777 x 355 x 1266 NN by fp16x1: 37 us; 3866 cubed TN 325, of which
/// 206 are the product's). Few tiles of 128 x 128 take 14 ns of k at fp16x3 (17 x 16 x 13661: 199 us), less than at the
/// rate that the chip's power allows many. C is written behind it all: 8577 x 1111 x 67 took 91 us by fp16x1. tera:
/// that rate, in TFLOP/s of the f32 product.
inline double split_nanoseconds(const Problem& p, double tera) {
    const auto k = static_cast<double>(p.k);
    const auto split = [&](std::int64_t rows, bool along) {
        const double all = static_cast<double>(rows) * k,
                     pace = (along ? 3800 : 1800) * ((along ? p.k : rows) % 4 == 0 || all > 12e6 ? 1 : .5);
        return 8 * all / pace;
    };
    const auto tiles = static_cast<double>(tiles_over(p.m, 128) * tiles_over(p.n, 128));
    // A batch is done one by one: its shapes are priced as if waves took twice as long.
    const double of_wave = parts::may_be_many(p.m, p.n, p.k) ? 29 : 14;
    const double at_full_rate = tiles * 2 * 128 * 128 * k / (tera * 1e3),
                 in_waves = std::ceil(tiles / multiprocessors_for_costs()) * of_wave * k * 225 / tera;
    const double writing = 4 * static_cast<double>(p.m) * static_cast<double>(p.n) / (p.n % 4 == 0 ? 3000 : 1000);
    // Up to 1024 of k both operands are cut by one launch, in 16 rows at a time (576 cubed NN: 19.7 us).
    const bool across = p.a != Form::row_major || p.b != Form::col_major;
    return 2 * launch_nanoseconds + (across && p.k <= 1024 ? 2500 : 0) + writing + split(p.m, p.a == Form::row_major) +
           split(p.n, p.b == Form::col_major) + std::max(at_full_rate, in_waves);
}

}  // namespace tw::cuda
