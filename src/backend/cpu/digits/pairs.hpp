// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Two panels of digits as their multipliers see them, and which products have one weight. For files that are compiled
// with extra instruction sets, too.
//
//   x * 2^s = d0 * 2^16 + d1 * 2^8 + d2           weights:  2^32: d0 d0'            2^24: d0 d1' + d1 d0'
//                                                           2^16: d0 d2' + d1 d1' + d2 d0'     2^8: d1 d2' + d2 d1'
#pragma once

#include "backend/cpu/digits/digits.hpp"

namespace tw::cpu {
namespace {

struct DigitTiles {
    std::int64_t steps;      ///< of 64
    const std::byte *a, *b;  ///< their tiles: all of the first 16 rows (or columns), then those of the next
    const std::int32_t (*b_sum)[unit_side];

    const std::byte* rows(int strip, int digit) const {
        return a + strip * steps * digit_step_bytes + digit * digit_tile_bytes;
    }
    const std::byte* cols(int strip, int digit) const {
        return b + strip * steps * digit_step_bytes + digit * digit_tile_bytes;
    }
};

/// Pairs of digits whose products have one weight.
struct DigitPairs {
    int count;
    int a[3], b[3];
};
constexpr DigitPairs digit_pairs[4] = {
    {1, {0}, {0}}, {2, {1, 0}, {0, 1}}, {3, {0, 1, 2}, {2, 1, 0}}, {2, {1, 2}, {2, 1}}};

template <int products>
constexpr int digit_weights = products == 8 ? 4 : 3;

/// What the Digits have in common that add up one weight after another: `Self::add_up_pairs` gives all 32 x 32 sums of
/// one. They multiply signed by signed digits, unless they say otherwise.
template <class Self>
struct DigitsByWeight {
    static constexpr int rows = unit_side, columns = unit_side;
    static constexpr bool walks_rows = false;

    /// Where sums j, j + 1 ... j + 15 of row i are, of one weight.
    static constexpr std::ptrdiff_t at(int i, int j) { return i * columns + j; }

    /// Nothing is to be made up for.
    static void sum_up(const std::byte*, std::int64_t, std::int32_t (&)[3][unit_side]) {}

    static std::int64_t steps(const DigitTiles& tiles) { return tiles.steps; }

    /// `step` is taken before any sum is stored.
    template <int products, class Step>
    static void add_up(const DigitTiles& tiles, const Step& step, std::int32_t* sums) {
        for (std::int64_t s = 0; s < tiles.steps; ++s) step();
        for (int weight = 0; weight < digit_weights<products>; ++weight)
            Self::add_up_pairs(digit_pairs[weight], tiles, sums + weight * unit_side * unit_side);
    }
};

}  // namespace
}  // namespace tw::cpu
