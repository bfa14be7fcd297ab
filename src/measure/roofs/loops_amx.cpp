// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The matrix unit alone. The tiles hold random numbers: zeros draw less power, which raises the clock.
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/cpu_features.hpp"
#include "measure/roofs/loops.hpp"

namespace tw::measure {
namespace {

struct alignas(64) TileShapes {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t bytes_per_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

struct alignas(64) Tile1k {
    std::uint8_t bytes[1024];
};

constexpr int chains = 4;                     // accumulators in tiles 0 to 3
constexpr int bf16_flops = 2 * 16 * 16 * 32;  // of one instruction
constexpr int int8_flops = 2 * 16 * 16 * 64;

std::uint32_t next_random(std::uint32_t& state) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

void load_operands(Tile1k& tile, bool as_bf16) {
    std::uint32_t state = 1;
    for (int i = 0; i < 1024; i += 2) {
        const std::uint32_t bits = next_random(state);
        // bf16: sign and mantissa at random, the exponent of [1/2, 1)
        const std::uint32_t value = as_bf16 ? (bits & 0x807fu) | 0x3f00u : bits & 0xffffu;
        tile.bytes[i] = static_cast<std::uint8_t>(value);
        tile.bytes[i + 1] = static_cast<std::uint8_t>(value >> 8);
    }
    static const TileShapes shapes;
    _tile_loadconfig(&shapes);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_loadd(4, tile.bytes, 64);
    _tile_loadd(5, tile.bytes, 64);
    _tile_loadd(6, tile.bytes, 64);
    _tile_loadd(7, tile.bytes, 64);
}

/// All four chains have multiplied the same numbers: how many of their bytes are not 0, NaN where they differ.
double finish() {
    Tile1k sums[chains];
    _tile_stored(0, sums[0].bytes, 64);
    _tile_stored(1, sums[1].bytes, 64);
    _tile_stored(2, sums[2].bytes, 64);
    _tile_stored(3, sums[3].bytes, 64);
    _tile_release();
    for (const Tile1k& other : sums)
        if (std::memcmp(&other, sums, sizeof other) != 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(std::ranges::count_if(sums[0].bytes, [](std::uint8_t byte) { return byte != 0; }));
}

double bf16(std::int64_t passes) {
    Tile1k tile;
    load_operands(tile, true);
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    return finish();
}

double int8(std::int64_t passes) {
    Tile1k tile;
    load_operands(tile, false);
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        _tile_dpbssd(0, 4, 6);
        _tile_dpbssd(1, 4, 7);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
    return finish();
}

constexpr ComputeLoop loops[] = {
    {"AMX", "bf16", cpu_feature::amx_bf16, true, bf16_flops, chains, bf16},
    {"AMX", "int8", cpu_feature::amx_int8, true, int8_flops, chains, int8},
};

}  // namespace

ComputeLoops amx_compute_loops() { return {loops, 2}; }

}  // namespace tw::measure
