// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the files that multiply int8 digits share with everybody else: plain data.
#pragma once

#include "backend/cpu/matrix_unit.hpp"

namespace tw::cpu {

/// A block of k: so many products of first digits have a sum that f32 holds.
inline constexpr std::int64_t digits_block = 1024;

struct DigitHeader {
    PanelHeader panel;
    float weight[unit_side];           ///< of a row's first digit
    std::int32_t sum[3][unit_side];    ///< of each row's digits, for instructions that take A unsigned
};
static_assert(sizeof(DigitHeader) % 64 == 0);

/// The tiles of two panels.
struct DigitTiles {
    std::int64_t steps;                ///< of 64
    const std::byte *a, *b;            ///< their tiles: those of one digit behind those of another
    const std::int32_t (*b_sum)[unit_side];
};

struct DigitUnit {
    void (*begin)();                   ///< null: nothing to set up
    void (*end)();
    struct {
        UnitPanels panels;
        void (*meet)(const UnitResult&);
    } eight, six;                      ///< by the number of products
};

extern const DigitUnit digits_portable, digits_avx2, digits_vnni, digits_amx, digits_emulated;

}  // namespace tw::cpu
