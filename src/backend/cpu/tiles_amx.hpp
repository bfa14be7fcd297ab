// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The tile registers of AMX, named by what they hold: sums<i, j> += a<i> * b<j> for two tiles of A, two of B and four of
// sums. tiles_emulated.hpp has the same names. For files that are compiled with the AMX flags.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace tw::cpu {
namespace {

/// Eight tiles of 16 rows x 64 bytes.
struct alignas(64) TileShapes {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t bytes_per_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileShapes tile_shapes;

struct Tiles {
    static void configure() { _tile_loadconfig(&tile_shapes); }
    static void release() { _tile_release(); }

    // The instructions take their registers as literals: sums in 0 to 3, A in 4 and 5, B in 6 and 7.
    static void zero_sums() {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    /// Both halves of a step of A: rows 0 to 15, and 16 to 31 behind them.
    static void load_a(const std::byte* tiles) {
        _tile_loadd(4, tiles, 64);
        _tile_loadd(5, tiles + 1024, 64);
    }
    static void load_b(const std::byte* tiles) {
        _tile_loadd(6, tiles, 64);
        _tile_loadd(7, tiles + 1024, 64);
    }
    /// f32 sums of products of bf16 pairs.
    static void dot_bf16() {
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    /// int32 sums of products of four signed bytes.
    static void dot_int8() {
        _tile_dpbssd(0, 4, 6);
        _tile_dpbssd(1, 4, 7);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
    /// 32 x 32 sums of 4 bytes, row by row.
    static void store_sums(void* to) {
        auto* const bytes = static_cast<std::byte*>(to);
        _tile_stored(0, bytes, 128);
        _tile_stored(1, bytes + 64, 128);
        _tile_stored(2, bytes + 16 * 128, 128);
        _tile_stored(3, bytes + 16 * 128 + 64, 128);
        asm volatile("" ::: "memory");
    }
};

}  // namespace
}  // namespace tw::cpu
