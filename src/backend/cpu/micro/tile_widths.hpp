// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How large tiles may be so that their sums, and what a step along k needs besides, stay in registers.
#pragma once

#include <algorithm>
#include <bit>

namespace tw::cpu {
namespace {

/// How many vectors wide a tile of `rows` is, when at most `budget` registers hold sums: one step along k wants
/// registers besides, for a vector of each row or of each column, whichever are fewer, and one more.
constexpr int vectors_wide(int rows, int budget) {
    const int registers = static_cast<int>(std::bit_ceil(static_cast<unsigned>(budget + 1)));
    int wide = budget / rows < 8 ? budget / rows : 8;
    while (wide > 1 && rows * wide + std::min(rows, wide) + 1 > registers) --wide;
    return wide;
}

constexpr int most_addresses = 12;  // that a processor has registers for

/// How many rows of an A that is not packed a tile of so many vectors has at most; 0: no tile is so wide.
constexpr int highest(int vectors, int mr, int budget) {
    if (vectors == 1) return mr + 2 < budget ? mr + 2 : budget;
    int rows = std::min(mr, most_addresses);
    while (rows > 0 && vectors_wide(rows, budget) < vectors) --rows;
    return rows;
}

}  // namespace
}  // namespace tw::cpu
