// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of digits one by one: what the others are compared with.
#include "backend/cpu/digits.hpp"

namespace tw::cpu {
namespace {

struct Digits {
    /// Signed by signed: nothing is to be made up for.
    static void sum_up(const std::byte*, std::int64_t, std::int32_t (&)[3][unit_side]) {}

    template <class Pairs, class Step>
    static void add_up(const Pairs& pairs, const DigitTiles& tiles, const Step& step, std::int32_t* sums) {
        for (std::int64_t s = 0; s < pairs.count * tiles.steps; ++s) step();
        const std::int64_t digit = tiles.steps * 2048;
        for (int i = 0; i < unit_side; ++i)
            for (int j = 0; j < unit_side; ++j) {
                std::int32_t sum = 0;
                for (int pair = 0; pair < pairs.count; ++pair) {
                    const std::byte* row = tiles.a + pairs.a[pair] * digit + i / 16 * 1024 + i % 16 * 64;
                    const std::byte* col = tiles.b + pairs.b[pair] * digit + j / 16 * 1024 + j % 16 * 4;
                    for (std::int64_t s = 0; s < tiles.steps; ++s, row += 2048, col += 2048)
                        for (int p = 0; p < 64; ++p)
                            sum += static_cast<std::int8_t>(row[p]) * static_cast<std::int8_t>(col[p / 4 * 64 + p % 4]);
                }
                sums[i * unit_side + j] = sum;
            }
    }
};

}  // namespace
}  // namespace tw::cpu

#include "backend/cpu/digit_lanes_portable.hpp"
#include "backend/cpu/digit_panels.hpp"

namespace tw::cpu {

constinit const DigitUnit digits_portable = digit_unit(nullptr, nullptr);

}  // namespace tw::cpu
