// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of digits with AVX-512 VNNI: vpdpbusd adds up four products of an unsigned and a signed byte. A's digits are
// made unsigned by adding 128, and 128 times the sum of B's digits, which the panel's header has, is where the sums
// start from.
#include <immintrin.h>

#include <cstring>

#include "backend/cpu/digits/digit_lanes_avx512.hpp"
#include "backend/cpu/digits/digit_panels.hpp"
#include "backend/cpu/digits/pairs.hpp"

namespace tw::cpu {
namespace {

constexpr int rows_at_a_time = 8;

struct Digits : DigitsByWeight<Digits> {
    /// Per row, what A's digits have too much when they are taken for unsigned.
    static void sum_up(const std::byte* tiles, std::int64_t steps, std::int32_t (&sum)[3][unit_side]) {
        const DigitTiles of{steps, nullptr, tiles, nullptr};
        for (int digit = 0; digit < 3; ++digit)
            for (int half = 0; half < 2; ++half) {
                __m512i sums = _mm512_setzero_si512();
                for (std::int64_t s = 0; s < steps; ++s)
                    for (int q = 0; q < 16; ++q)
                        sums = _mm512_dpbusd_epi32(
                            sums, _mm512_set1_epi8(1),
                            _mm512_load_si512(of.cols(half, digit) + digit_step_bytes * s + 64 * q));
                _mm512_storeu_si512(sum[digit] + 16 * half, sums);
            }
    }

    static void add_up_pairs(const DigitPairs& pairs, const DigitTiles& tiles, std::int32_t* sums) {
        for (int i = 0; i < unit_side; i += rows_at_a_time) some_rows(pairs, tiles, i, sums + i * unit_side);
    }

private:
    static __m512i unsigned_four(const std::byte* from) {
        std::uint32_t four;
        std::memcpy(&four, from, sizeof four);
        return _mm512_set1_epi32(static_cast<int>(four ^ 0x80808080u));
    }

    static void some_rows(const DigitPairs& pairs, const DigitTiles& tiles, int i, std::int32_t* sums) {
        __m512i start[2] = {};
        for (int pair = 0; pair < pairs.count; ++pair)
            for (int half = 0; half < 2; ++half)
                start[half] = _mm512_sub_epi32(
                    start[half], _mm512_slli_epi32(_mm512_loadu_si512(tiles.b_sum[pairs.b[pair]] + 16 * half), 7));
        __m512i sum[rows_at_a_time][2];
        for (auto& row : sum) row[0] = start[0], row[1] = start[1];
        for (int pair = 0; pair < pairs.count; ++pair) {
            const std::byte* rows = tiles.rows(i / 16, pairs.a[pair]) + i % 16 * 64;
            const std::byte* cols = tiles.cols(0, pairs.b[pair]);
            const std::ptrdiff_t other_half = tiles.steps * digit_step_bytes;
            for (std::int64_t s = 0; s < tiles.steps; ++s, rows += digit_step_bytes, cols += digit_step_bytes)
                for (int q = 0; q < 16; ++q) {
                    const __m512i left = _mm512_load_si512(cols + 64 * q),
                                  right = _mm512_load_si512(cols + other_half + 64 * q);
#pragma GCC unroll 8
                    for (int r = 0; r < rows_at_a_time; ++r) {
                        const __m512i x = unsigned_four(rows + 64 * r + 4 * q);
                        sum[r][0] = _mm512_dpbusd_epi32(sum[r][0], x, left);
                        sum[r][1] = _mm512_dpbusd_epi32(sum[r][1], x, right);
                    }
                }
        }
        for (int r = 0; r < rows_at_a_time; ++r)
            for (int half = 0; half < 2; ++half) _mm512_store_si512(sums + r * unit_side + 16 * half, sum[r][half]);
    }
};

}  // namespace

constinit const DigitUnit digits_vnni = DigitPanels<Digits, Avx512DigitLanes>::digit_unit(nullptr, nullptr);

}  // namespace tw::cpu
