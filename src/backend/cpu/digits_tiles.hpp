// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of digits by the Tiles that the including file has included before.
#pragma once

#include "backend/cpu/digits.hpp"

namespace tw::cpu {
namespace {

struct Digits {
    template <class Pairs>
    static void add_up(const Pairs& pairs, std::int64_t steps, const std::byte* a, const std::byte* b, std::int32_t* sums) {
        const std::int64_t digit = steps * 2048;
        Tiles::zero_sums();
        for (int pair = 0; pair < pairs.count; ++pair) {
            const std::byte* tile_a = a + sizeof(DigitHeader) + pairs.a[pair] * digit;
            const std::byte* tile_b = b + sizeof(DigitHeader) + pairs.b[pair] * digit;
            for (std::int64_t s = 0; s < steps; ++s, tile_a += 2048, tile_b += 2048) {
                Tiles::load_a(tile_a), Tiles::load_b(tile_b), Tiles::dot_int8();
            }
        }
        Tiles::store_sums(sums);
    }
};

}  // namespace
}  // namespace tw::cpu
