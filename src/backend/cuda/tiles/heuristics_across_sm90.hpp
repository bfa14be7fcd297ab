// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tf32 where an operand lies across k: whether it is read so, by which tile, and what that takes.
#pragma once

#include <cstdint>

#include "backend/cuda/tiles/heuristics_async_sm90.hpp"

namespace tw::cuda::sm90 {

inline constexpr Widths across_widths{6, {64, 96, 128, 160, 192, 256}};

/// Of 128 rows of the operand that goes through registers by `width` of the other, two blocks side by side sharing
/// these. A step took an H200 364 ns by 96, 415 by 128, 460 by 160, 550 by 192 and 733 by 256 (639 x 8192 x 28672):
/// shared memory, which the words and the unit's other operand come out of, is as busy as the unit.
constexpr double across_time(const Sizes& s, int width) {
    const std::int64_t tiles = s.tiles(256, width), fit = r9_clusters(s.multiprocessors),
                       waves = (tiles + fit - 1) / fit;
    // By 64 columns 784 cubed TN took 18.1 us, by 96 15.2.
    const double steps = static_cast<double>((s.k + 31) / 32), step = width > 64 ? 110 + 2.42 * width : 450;
    const double ends = 1500 + 128 * width * .06, bytes = 4 * static_cast<double>(s.m * s.k + s.n * s.k + s.m * s.n);
    const double time = static_cast<double>(waves) * (steps * step + ends), memory = bytes / r9_costs.memory;
    return r9_costs.launch + 1000 + (time > memory ? time : memory);
}

constexpr int across_width(const Sizes& s) {
    int best = 0;
    double least = 0;
    for (int i = 0; i < across_widths.count; ++i) {
        const double time = across_time(s, across_widths.of[i]);
        if (best == 0 || time < least) best = across_widths.of[i], least = time;
    }
    return best;
}

enum class FirstAcross { none, a, b };

/// The operand that is read across k, by shape and forms; of two the larger one. None: what lies so is copied first, as
/// where products are small.
constexpr FirstAcross first_across(const Sizes& s, Form a, Form b) {
    const bool of_a = a == Form::col_major, of_b = b == Form::row_major;
    if ((!of_a && !of_b) || s.m < 64 || s.n < 64 || s.k < 32) return FirstAcross::none;
    const bool is_a = of_a && (!of_b || s.m >= s.n);
    const Sizes seen{is_a ? s.m : s.n, is_a ? s.n : s.m, s.k, 1, s.multiprocessors};
    constexpr double copying = 1100;  // bytes a nanosecond
    const auto turned = [&](std::int64_t rows) { return 2000 + 4 * static_cast<double>(rows * s.k) / copying; };
    const double time = across_time(seen, across_width(seen)) + (of_a && of_b ? turned(seen.n) : 0);
    constexpr R9Operands along{.is_f32 = true};
    const double copied =
        r9_time(s, r9_tile(s, along, false), along) + (of_a ? turned(s.m) : 0) + (of_b ? turned(s.n) : 0);
    return time > copied ? FirstAcross::none : is_a ? FirstAcross::a : FirstAcross::b;
}

}  // namespace tw::cuda::sm90
