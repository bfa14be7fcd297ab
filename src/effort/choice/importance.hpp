// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// By what rows are put in order. What a unit of an input brings for its bytes is known from what is left after it: a
// number for every row. But those of one input fall from unit to unit much as those of any other do, so one number an
// input and one fall a unit say the same: errors at equal bytes are within a hundredth or so of what all the numbers
// give, and a choice looks at each input once.
#pragma once

#include <cstdint>

#include "formats/body.hpp"

namespace tw::effort {

/// Falls are counted in these: 128 from a power of 2 to the next.
inline constexpr int fall_shift = 16;
/// The fall of a unit that brings nothing anywhere: 30 powers of 2.
inline constexpr std::uint32_t most_fall = 30 << (23 - fall_shift);

/// What a row is worth, from the bits of |v| times the importance of its input.
inline std::uint32_t worth_of(std::uint32_t key, std::uint32_t fall) noexcept {
    const std::uint32_t lower = fall << fall_shift;
    return key > lower ? key - lower : 0;
}

/// Fills in body.importance, which is allocated, and body.falls.
void weigh_inputs(EffortBody& body) noexcept;

}  // namespace tw::effort
