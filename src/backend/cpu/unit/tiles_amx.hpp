// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The tile registers of AMX. For bf16 they are named by what they hold: sums<i, j> += a<i> * b<j> for two tiles of A,
// two of B and four of sums; products of digits name them one by one. tiles_emulated.hpp has the same names. For files
// that are compiled with the AMX flags.
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

struct AmxTiles {
    static void configure() { _tile_loadconfig(&tile_shapes); }
    static void release() { _tile_release(); }

    // The instructions take their registers as literals: sums in 0 to 3, A in 4 and 5, B in 6 and 7.
    static void zero_sums() {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    /// Both halves of a step of A: rows 0 to 15, and 16 to 31 behind them. Those that stream are not needed again soon,
    /// and shall not push those of B out of L1.
    template <bool streams>
    static void load_a(const std::byte* tiles) {
        if constexpr (streams) {
            _tile_stream_loadd(4, tiles, 64);
            _tile_stream_loadd(5, tiles + 1024, 64);
        } else {
            _tile_loadd(4, tiles, 64);
            _tile_loadd(5, tiles + 1024, 64);
        }
    }
    template <bool streams>
    static void load_b(const std::byte* tiles) {
        if constexpr (streams) {
            _tile_stream_loadd(6, tiles, 64);
            _tile_stream_loadd(7, tiles + 1024, 64);
        } else {
            _tile_loadd(6, tiles, 64);
            _tile_loadd(7, tiles + 1024, 64);
        }
    }
    /// f32 sums of products of bf16 pairs.
    static void dot_bf16() {
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    /// The sums so far are stored, and those of other products begun.
    static void store_and_dot_bf16(void* to) {
        auto* const bytes = static_cast<std::byte*>(to);
        _tile_stored(0, bytes, 128);
        _tile_zero(0);
        _tile_dpbf16ps(0, 4, 6);
        _tile_stored(1, bytes + 64, 128);
        _tile_zero(1);
        _tile_dpbf16ps(1, 4, 7);
        _tile_stored(2, bytes + 16 * 128, 128);
        _tile_zero(2);
        _tile_dpbf16ps(2, 5, 6);
        _tile_stored(3, bytes + 16 * 128 + 64, 128);
        _tile_zero(3);
        _tile_dpbf16ps(3, 5, 7);
        asm volatile("" ::: "memory");
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

    // The intrinsics want literals; these take constants.
    template <int tile>
    static void zero() {
        asm volatile("tilezero %%tmm%c0" ::"i"(tile));
    }
    template <int tile>
    static void load(const std::byte* from) {
        asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(std::int64_t{64}), "i"(tile));
    }
    /// The same of what is not needed again soon: it does not push others out of L1.
    template <int tile>
    static void stream(const std::byte* from) {
        asm volatile("tileloaddt1 (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(std::int64_t{64}), "i"(tile));
    }
    template <int tile>
    static void store(std::byte* to) {
        asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(std::int64_t{64}), "i"(tile) : "memory");
    }
    /// int32 sums of products of four signed bytes.
    template <int sums, int a, int b>
    static void dot_int8() {
        asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(sums), "i"(a), "i"(b));
    }
};

}  // namespace
}  // namespace tw::cpu
