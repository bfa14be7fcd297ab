// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where a tile of planes has its arrays, and what is asked for ahead. For files with extra instructions: everything here is inlined.
#pragma once

#include "backend/cpu/effort.hpp"

#define TW_INSIDE [[gnu::always_inline]] static inline

namespace tw::cpu {

struct PlaneRows {
    const std::byte* rows;
    std::int64_t step;  ///< bytes from one input's row to the next
};

struct PlanesTileRows {
    PlaneRows scales, a, b, c;
    std::int64_t width;  ///< quarters: half a row of A or B has 16 bytes times this
};

TW_INSIDE std::int64_t up_to_line(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

TW_INSIDE PlanesTileRows rows_of(const EffortTile& call) {
    const std::int64_t width = call.width, n = call.inputs;
    PlanesTileRows tile;
    tile.width = width;
    tile.scales = {call.rows, 8 * width};
    tile.a = {call.rows + up_to_line(n * 8 * width), 32 * width};
    tile.b = {tile.a.rows + up_to_line(n * 32 * width), 32 * width};
    tile.c = {tile.b.rows + up_to_line(n * 32 * width), 64 * width};
    return tile;
}

TW_INSIDE void prefetch_row(const PlaneRows& plane, std::int64_t input) {
    for (std::int64_t at = 0; at < plane.step; at += 64) __builtin_prefetch(plane.rows + input * plane.step + at);
}

/// All that an entry of the next chunk reads, asked for while this chunk's v d are rounded. Measured: spread evenly over the
/// multiplications instead, or brought to the second cache only, the products take up to a third longer.
TW_INSIDE void prefetch_entry(const PlanesTileRows& tile, const EffortEntry& entry) {
    prefetch_row(tile.scales, entry.input);
    prefetch_row(tile.a, entry.input);
    if (entry.units > 1) prefetch_row(tile.b, entry.input);
    if (entry.units > 2) prefetch_row(tile.c, entry.input);
}

}  // namespace tw::cpu
