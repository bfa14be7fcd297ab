// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of digits by tiles, AMX's or emulated ones: 16 x 16 of C at a time, the sums of all
// weights at once.
//
// What a tile's product waits for is its operands. Were the weights added up one after another, each product would load
// a tile of its own, most of them from L2. So the eight products of a step share the six tiles that its
// digits are, which makes six loads; a panel of 16 rows of A stays in L1, and each tile of B streams past
// it once.
//
//   tile 0: d0 d0'    1: d0 d1' + d1 d0'    2: d0 d2' + d1 d1' + d2 d0'    3: d1 d2' + d2 d1'    4, 5: of A    6, 7: of
//   B
#pragma once

#include "backend/cpu/digits/pairs.hpp"

namespace tw::cpu {
namespace {

template <class Tiles>
struct DigitsOnTiles {
    static constexpr int rows = 16, columns = 32;
    static constexpr bool walks_rows = true;

    /// 16 x 16 sums of the left columns, then those of the right ones.
    static constexpr std::ptrdiff_t at(int i, int j) { return (j / 16 * rows + i) * 16; }

    /// Signed by signed: nothing is to be made up for.
    static void sum_up(const std::byte*, std::int64_t, std::int32_t (&)[3][unit_side]) {}

    static std::int64_t steps(const DigitTiles& tiles) { return 2 * tiles.steps; }

    /// The columns on the right come first, as do those of the previous tile that are added to C.
    template <int products, class Step>
    [[gnu::always_inline]] static void add_up(const DigitTiles& tiles, const Step& step, std::int32_t* sums) {
        for (int strip = 1; strip >= 0; --strip) {
            const std::byte *a = tiles.rows(0, 0), *b = tiles.cols(strip, 0);
            Tiles::template zero<0>(), Tiles::template zero<1>(), Tiles::template zero<2>(), Tiles::template zero<3>();
            for (std::int64_t s = 0; s < tiles.steps; ++s, a += digit_step_bytes, b += digit_step_bytes) {
                step();
                one_step<products>(a, b);
            }
            auto* const to = reinterpret_cast<std::byte*>(sums) + strip * digit_tile_bytes;
            Tiles::template store<0>(to), Tiles::template store<1>(to + of_a_weight),
                Tiles::template store<2>(to + 2 * of_a_weight);
            if constexpr (products == 8) Tiles::template store<3>(to + 3 * of_a_weight);
        }
    }

private:
    static constexpr std::ptrdiff_t of_a_weight = 2 * digit_tile_bytes;

    template <int products>
    [[gnu::always_inline]] static void one_step(const std::byte* a, const std::byte* b) {
        constexpr std::ptrdiff_t d1 = digit_tile_bytes, d2 = 2 * digit_tile_bytes;
        Tiles::template load<4>(a), Tiles::template stream<6>(b), Tiles::template dot_int8<0, 4, 6>();
        Tiles::template stream<7>(b + d1), Tiles::template dot_int8<1, 4, 7>();
        Tiles::template load<5>(a + d2);
        if constexpr (products == 8) Tiles::template dot_int8<3, 5, 7>();
        Tiles::template dot_int8<2, 5, 6>();
        Tiles::template load<5>(a + d1), Tiles::template dot_int8<1, 5, 6>();
        Tiles::template stream<6>(b + d2), Tiles::template dot_int8<2, 5, 7>();
        if constexpr (products == 8) Tiles::template dot_int8<3, 5, 6>();
        Tiles::template dot_int8<2, 4, 6>();
    }
};

}  // namespace
}  // namespace tw::cpu
