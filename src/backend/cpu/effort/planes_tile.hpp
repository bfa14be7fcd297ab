// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where a tile of planes has its arrays, and what is asked for ahead. For files with extra instructions: everything
// here is inlined.
#pragma once

#include "backend/cpu/effort/kernels.hpp"

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

TW_INSIDE PlanesTileRows rows_of(const std::byte* rows, std::int64_t n, std::int64_t width) {
    PlanesTileRows tile;
    tile.width = width;
    tile.scales = {rows, 8 * width};
    tile.a = {rows + up_to_line(n * 8 * width), 32 * width};
    tile.b = {tile.a.rows + up_to_line(n * 32 * width), 32 * width};
    tile.c = {tile.b.rows + up_to_line(n * 32 * width), 64 * width};
    return tile;
}

/// What is read for C where it is left out: every code is 8.
struct Middle {
    alignas(64) unsigned char bytes[256];
    constexpr Middle() : bytes{} {
        for (unsigned char& byte : bytes) byte = 0x88;
    }
};
static constexpr Middle middle;

TW_INSIDE PlanesTileRows rows_of(const EffortWholeTile& call) {
    PlanesTileRows tile = rows_of(call.rows, call.inputs, call.width);
    if (call.planes == 2) tile.c = {reinterpret_cast<const std::byte*>(middle.bytes), 0};
    return tile;
}

TW_INSIDE PlanesTileRows rows_of(const EffortTile& call) { return rows_of(call.rows, call.inputs, call.width); }

TW_INSIDE void ask_for(const std::byte* line) { __builtin_prefetch(line, 0, 2); }

/// All of an input that is read to the end.
TW_INSIDE void ask_for_row(const PlanesTileRows& tile, std::int64_t input, bool has_c = true) {
    const std::byte *a = tile.a.rows + input * tile.a.step, *b = tile.b.rows + input * tile.b.step;
    const std::byte* c = tile.c.rows + input * tile.c.step;
    const std::int64_t half = 16 * tile.width;
    ask_for(tile.scales.rows + input * tile.scales.step);
    for (int h = 0; h < 2; ++h) ask_for(a + h * half), ask_for(b + h * half);
    for (int q = 0; q < 4 && has_c; ++q) ask_for(c + q * half);
}

/// Entries of the next chunk, of which everything that will be read is asked for while this chunk is rounded and
/// multiplied, one entry at each step, into L2: so the memory is never idle. No branch depends on an
/// entry: rows that are not wanted are the first plane's again. Measured: asked for all together, a product at .28 of
/// the bytes takes a quarter longer.
inline constexpr int entries_a_step = 4;

struct Ahead {
    PlanesTileRows tile;
    const EffortEntry *next, *end;
};

TW_INSIDE void ask_for_one(Ahead& ahead) {
    if (ahead.next == ahead.end) return;
    const EffortEntry& entry = *ahead.next++;
    const PlanesTileRows& tile = ahead.tile;
    const std::int64_t half = 16 * tile.width, quarter_of_c = entry.units > 2 ? half : 0;
    const std::byte* a = tile.a.rows + entry.input * tile.a.step;
    const std::byte* b = entry.units > 1 ? tile.b.rows + entry.input * tile.b.step : a;
    const std::byte* c = entry.units > 2 ? tile.c.rows + entry.input * tile.c.step : a;
    ask_for(tile.scales.rows + entry.input * tile.scales.step);
    ask_for(a), ask_for(a + half), ask_for(b), ask_for(b + half);
    for (int q = 0; q < 4; ++q) ask_for(c + q * quarter_of_c);
}

}  // namespace tw::cpu
