// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What is read for one vector. The worth of a row (unit u of input i) is the bits of |v_i| * importance[i] minus the
// unit's fall (importance.hpp). An input's worths fall from unit to unit, so a choice is a number of units for each
// input: those worth more than a cutoff. Rows at the cutoff are taken in the order of (unit, input) until the budget is
// spent. It runs on one thread and counts in integers, so the result is always the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/unit_scale.hpp"

namespace tw::effort {

struct Question {
    const float* v;
    std::int64_t inputs;
    int units;
    const float* importance;     ///< [inputs]
    const std::uint32_t* falls;  ///< [units], at most most_fall
    const float* left;           ///< [units + 1][inputs]
    std::int64_t unit_bytes[32];
};

struct Selection {
    std::uint8_t* units;  ///< [inputs]
    std::int64_t rows = 0, bytes = 0;
    double cutoff = 0;
    double left = 0, all = 0;  ///< sum of v^2 * left, of what was chosen and of nothing
};

/// Bytes of scratch that a selection needs.
std::size_t selection_bytes(std::int64_t inputs) noexcept;

/// The most valuable rows that fit into `bytes`.
Selection select_by_bytes(const Question& question, std::int64_t bytes, std::span<std::byte> scratch) noexcept;

/// The fewest of the most valuable rows that leave at most this share of sum v^2 w^2.
Selection select_by_error(const Question& question, double square_of_error, std::span<std::byte> scratch) noexcept;

/// Fills in rows, bytes, left and all of a selection from its units.
void tally(const Question& question, Selection& selection) noexcept;

}  // namespace tw::effort
