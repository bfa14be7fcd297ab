// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the files that multiply int8 digits share with everybody else: plain data.
#pragma once

#include "backend/cpu/unit/matrix_unit.hpp"

namespace tw::cpu {

/// A block of k: so many products of first digits have a sum that f32 holds, and the digits of 16 columns lie in half
/// of L1.
inline constexpr std::int64_t digits_block = 512;

/// A tile is 16 rows by 64 of k; those of the three digits of a step lie behind one another, then comes the next step.
inline constexpr std::int64_t digit_tile_bytes = 1024, digit_step_bytes = 3 * digit_tile_bytes;

struct DigitHeader {
    PanelHeader panel;
    float weight[unit_side];         ///< of a row's first digit
    std::int32_t sum[3][unit_side];  ///< of each row's digits, for instructions that take A unsigned
};
static_assert(sizeof(DigitHeader) % 64 == 0);

struct DigitUnit {
    void (*begin)();  ///< null: nothing to set up
    void (*end)();
    int rows, columns;  ///< of C at a time
    bool walks_rows;    ///< from one tile of C to the next
    struct {
        UnitPanels panels;
        void (*add_to_c)(const UnitResult&);
    } eight, six;  ///< by the number of products
};

extern const DigitUnit digits_portable, digits_avx2, digits_vnni, digits_amx, digits_emulated;

}  // namespace tw::cpu
