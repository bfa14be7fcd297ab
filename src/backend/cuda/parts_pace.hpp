// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What parts of k cost that the rows of tiles multiply, r7 and r8_dmma, for real and complex numbers.
#pragma once

#include <algorithm>
#include <span>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/heuristics_parts.hpp"
#include "tilewright/types.hpp"

namespace tw::cuda::parts {

/// A tile's side, and nanoseconds of a step of k: alone on a multiprocessor, and of each of several.
struct Pace {
    int side;
    double alone, of_many;
};
inline constexpr Pace of_f64[] = {{64, 34, 25}, {32, 12, 9}}, of_c64[] = {{64, 140, 100}, {32, 36, 29}},
                      of_c128[] = {{64, 125, 105}, {32, 30, 24}}, of_f32[] = {{64, 38, 34}};
constexpr std::span<const Pace> paces_of(Type sums) {
    switch (sums) {
        case Type::f64: return of_f64;
        case Type::c64: return of_c64;
        case Type::c128: return of_c128;
        default: return of_f32;
    }
}

struct TimeOfTiles {
    double nanoseconds;
    int side;
};
/// Where C is small, the smaller tiles multiply less that is not there; elsewhere they would read too much (5473 x 15 x
/// 12979 of f64 took 259 us of 227).
inline TimeOfTiles time_of_tiles(Type sums, std::int64_t m, std::int64_t n, std::int64_t length, int count) {
    TimeOfTiles best{};
    for (const Pace& by : paces_of(sums)) {
        if (by.side < 64 && m * n > 128 * 128) continue;
        const std::int64_t tiles = tiles_over(m, by.side) * tiles_over(n, by.side) * count;
        const auto busiest = static_cast<double>(tiles_over(tiles, chip));
        const double all = static_cast<double>(length) * std::max(by.alone, by.of_many * busiest);
        if (best.side == 0 || all < best.nanoseconds) best = {all, by.side};
    }
    // Sums of complex numbers are more bytes than adding() counts.
    const std::int64_t more = is_complex(sums) ? 2 * static_cast<std::int64_t>(size_of(sums)) - 8 : 0;
    best.nanoseconds += launch_nanoseconds + static_cast<double>(m * n * count * more) / 2500;
    return best;
}

}  // namespace tw::cuda::parts
