// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What parts of k cost that the rows of tiles multiply, r7 and r8_dmma, for real and complex numbers.
#pragma once

#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/heuristics_parts.hpp"
#include "tilewright/types.hpp"

namespace tw::cuda::parts {

/// A tile's side, and nanoseconds of a step of k: alone on a multiprocessor, and of each of several.
struct Pace {
    int side;
    double alone, of_many;
};
constexpr Pace pace_of(Type sums) {
    switch (sums) {
        case Type::f64: return {64, 34, 25};
        case Type::c64: return {64, 140, 100};
        case Type::c128: return {64, 125, 105};
        default: return {64, 38, 34};
    }
}

inline double time_of_tiles(Type sums, std::int64_t m, std::int64_t n, std::int64_t length, int count) {
    const Pace by = pace_of(sums);
    const std::int64_t tiles = tiles_over(m, by.side) * tiles_over(n, by.side) * count;
    const auto busiest = static_cast<double>(tiles_over(tiles, chip));
    // Sums of complex numbers are more bytes than adding() counts.
    const std::int64_t more = is_complex(sums) ? 2 * static_cast<std::int64_t>(size_of(sums)) - 8 : 0;
    return launch_nanoseconds + static_cast<double>(length) * std::max(by.alone, by.of_many * busiest) +
           static_cast<double>(m * n * count * more) / 2500;
}

}  // namespace tw::cuda::parts
