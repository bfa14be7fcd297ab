// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the files that multiply int8 digits share with everybody else: plain data.
#pragma once

#include "backend/cpu/matrix_unit.hpp"

namespace tw::cpu {

struct DigitHeader {
    PanelHeader panel;
    double weight[unit_side];          ///< of a row's last digit, times 2^4: those of two rows make the 2^8 of the last weight
    std::int32_t sum[3][unit_side];    ///< of each row's digits, for instructions that take one side unsigned
};
static_assert(sizeof(DigitHeader) % 64 == 0);

struct DigitUnit {
    void (*begin)();                   ///< null: nothing to set up
    void (*end)();
    UnitPanels eight, six;             ///< by the number of products
    void (*meet)(const UnitResult&);
};

extern const DigitUnit digits_portable, digits_avx2, digits_vnni, digits_amx, digits_emulated;

}  // namespace tw::cpu
