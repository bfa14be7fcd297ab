// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of digits by the Tiles that the including file has included before.
#pragma once

#include "backend/cpu/digits.hpp"

namespace tw::cpu {
namespace {

struct Digits {
    /// Signed by signed: nothing is to be made up for.
    static void sum_up(const std::byte*, std::int64_t, std::int32_t (&)[3][unit_side]) {}

    template <class Pairs, class Step>
    [[gnu::always_inline]] static void add_up(const Pairs& pairs, const DigitTiles& tiles, const Step& step, std::int32_t* sums) {
        const std::int64_t digit = tiles.steps * 2048;
        Tiles::zero_sums();
        for (int pair = 0; pair < pairs.count; ++pair) {
            const std::byte* tile_a = tiles.a + pairs.a[pair] * digit;
            const std::byte* tile_b = tiles.b + pairs.b[pair] * digit;
            for (std::int64_t s = 0; s < tiles.steps; ++s, tile_a += 2048, tile_b += 2048) {
                step();
                Tiles::load_a(tile_a), Tiles::load_b(tile_b), Tiles::dot_int8();
            }
        }
        Tiles::store_sums(sums);
    }
};

}  // namespace
}  // namespace tw::cpu
