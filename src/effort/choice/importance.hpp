// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How rows are ranked. The gain of each row (unit u of input i) is known: the error that it removes per byte. From unit
// to unit the gain falls by nearly the same factor for every input, so one importance for each input and one fall for
// each unit are enough: at equal bytes the error is within about 1 % of what all the gains would give, and choosing
// looks at each input once.
#pragma once

#include <cstdint>

#include "formats/body.hpp"

namespace tw::effort {

/// Falls are counted in steps of 2^16 of a float's bits: 128 steps from one power of 2 to the next.
inline constexpr int fall_shift = 16;
/// The fall of a unit that gains nothing for any input: 30 powers of 2.
inline constexpr std::uint32_t most_fall = 30 << (23 - fall_shift);

/// The worth of a row, from the bits of |v| times the importance of its input.
inline std::uint32_t worth_of(std::uint32_t key, std::uint32_t fall) noexcept {
    const std::uint32_t lower = fall << fall_shift;
    return key > lower ? key - lower : 0;
}

/// Fills in body.importance, which is allocated already, and body.falls.
void weigh_inputs(EffortBody& body) noexcept;

}  // namespace tw::effort
