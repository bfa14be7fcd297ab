// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The tile registers of tiles_amx.hpp in plain C++, with AMX's arithmetic to the bit, so that the kernels above them
// are executed and judged on any machine:
//
//   bf16: for each result two chains of fused multiply-adds from zero, one over the even k of the tile and one over the
//         odd, then even + odd, then that onto the sum. Every operation rounds to nearest even, takes subnormals for
//         zeros and gives zeros for them, whatever the mode of the processor.
//   int8: exact, modulo 2^32.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tw::cpu {
namespace {

struct EmulatedTiles {
    static void configure() { state.is_configured = true; }
    static void release() { state.is_configured = false; }

    static void zero_sums() { std::memset(state.sums, state.is_configured ? 0 : 0xff, sizeof state.sums); }
    template <bool>
    static void load_a(const std::byte* tiles) {
        std::memcpy(state.a, tiles, sizeof state.a);
    }
    template <bool>
    static void load_b(const std::byte* tiles) {
        std::memcpy(state.b, tiles, sizeof state.b);
    }

    template <int tile>
    static void zero() {
        std::memset(state.tile[tile], state.is_configured ? 0 : 0xff, sizeof state.tile[tile]);
    }
    template <int tile>
    static void load(const std::byte* from) {
        std::memcpy(state.tile[tile], from, sizeof state.tile[tile]);
    }
    template <int tile>
    static void stream(const std::byte* from) {
        load<tile>(from);
    }
    template <int tile>
    static void store(std::byte* to) {
        std::memcpy(to, state.tile[tile], sizeof state.tile[tile]);
    }
    template <int sums, int a, int b>
    static void dot_int8() {
        for (int m = 0; m < 16; ++m)
            for (int n = 0; n < 16; ++n) {
                std::uint32_t sum = word(state.tile[sums], m, n);
                for (int p = 0; p < 64; ++p)
                    sum += static_cast<std::uint32_t>(signed_byte(state.tile[a], m, p) *
                                                      signed_byte(state.tile[b], p / 4, 4 * n + p % 4));
                std::memcpy(state.tile[sums] + 64 * m + 4 * n, &sum, sizeof sum);
            }
    }

    static void dot_bf16() {
        for (int j = 0; j < 2; ++j) {
            // Exact in f64, and f64 is wide enough that a sum rounded to it and then to f32 is a fused sum rounded
            // once.
            double b[32][16];
            for (int q = 0; q < 16; ++q)
                for (int n = 0; n < 16; ++n) {
                    const std::uint32_t pair = word(state.b[j], q, n);
                    b[2 * q][n] = from_bf16(pair << 16);
                    b[2 * q + 1][n] = from_bf16(pair & 0xffff0000u);
                }
            for (int i = 0; i < 2; ++i)
                for (int m = 0; m < 16; ++m) add_row(i, j, m, b);
        }
    }

    static void store_and_dot_bf16(void* to) {
        store_sums(to);
        zero_sums();
        dot_bf16();
    }
    static void store_sums(void* to) {
        for (int row = 0; row < 32; ++row)
            for (int j = 0; j < 2; ++j)
                std::memcpy(static_cast<std::byte*>(to) + 128 * row + 64 * j, state.sums[row / 16][j][row % 16], 64);
    }

private:
    struct State {
        std::uint32_t sums[2][2][16][16];
        std::byte a[2][1024], b[2][1024];
        std::byte tile[8][1024];
        bool is_configured = false;  // without it, sums are NaN: the instructions would end the program
    };
    static thread_local State state;

    static std::uint32_t word(const std::byte* tile, int row, int n) {
        std::uint32_t bits;
        std::memcpy(&bits, tile + 64 * row + 4 * n, sizeof bits);
        return bits;
    }
    static int signed_byte(const std::byte* tile, int row, int p) {
        return static_cast<std::int8_t>(tile[64 * row + p]);
    }

    static std::uint32_t flushed(std::uint32_t bits) { return bits & 0x7f800000u ? bits : bits & 0x80000000u; }
    static float flushed(float x) { return std::bit_cast<float>(flushed(std::bit_cast<std::uint32_t>(x))); }
    static double from_bf16(std::uint32_t bits) { return static_cast<double>(std::bit_cast<float>(flushed(bits))); }

    /// One row of tile (i, j) of the sums.
    static void add_row(int i, int j, int m, const double (&b)[32][16]) {
        float chains[2][16] = {};
        for (int p = 0; p < 32; ++p) {
            const std::uint32_t pair = word(state.a[i], m, p / 2);
            const double a = from_bf16(p % 2 ? pair & 0xffff0000u : pair << 16);
            float(&chain)[16] = chains[p % 2];
            for (int n = 0; n < 16; ++n)
                chain[n] = flushed(static_cast<float>(static_cast<double>(chain[n]) + a * b[p][n]));
        }
        std::uint32_t(&sums)[16] = state.sums[i][j][m];
        for (int n = 0; n < 16; ++n) {
            const float pairs = flushed(chains[0][n] + chains[1][n]);
            sums[n] = std::bit_cast<std::uint32_t>(flushed(std::bit_cast<float>(flushed(sums[n])) + pairs));
        }
    }
};
thread_local EmulatedTiles::State EmulatedTiles::state;

}  // namespace
}  // namespace tw::cpu
