// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of digits one by one: what the others are compared with.
#include "backend/cpu/digits/digit_lanes_portable.hpp"
#include "backend/cpu/digits/digit_panels.hpp"
#include "backend/cpu/digits/pairs.hpp"

namespace tw::cpu {
namespace {

struct Digits : DigitsByWeight<Digits> {
    static void add_up_pairs(const DigitPairs& pairs, const DigitTiles& tiles, std::int32_t* sums) {
        for (int i = 0; i < unit_side; ++i)
            for (int j = 0; j < unit_side; ++j) {
                std::int32_t sum = 0;
                for (int pair = 0; pair < pairs.count; ++pair) {
                    const std::byte* row = tiles.rows(i / 16, pairs.a[pair]) + i % 16 * 64;
                    const std::byte* col = tiles.cols(j / 16, pairs.b[pair]) + j % 16 * 4;
                    for (std::int64_t s = 0; s < tiles.steps; ++s, row += digit_step_bytes, col += digit_step_bytes)
                        for (int p = 0; p < 64; ++p)
                            sum += static_cast<std::int8_t>(row[p]) * static_cast<std::int8_t>(col[p / 4 * 64 + p % 4]);
                }
                sums[i * unit_side + j] = sum;
            }
    }
};

}  // namespace

constinit const DigitUnit digits_portable = DigitPanels<Digits, PortableDigitLanes>::digit_unit(nullptr, nullptr);

}  // namespace tw::cpu
