// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Operands that expose faults. The same seed gives the same values, whatever the steps of the matrix.
#pragma once

#include <cstdint>

#include "tilewright/view.hpp"

namespace tw::reference {

enum class Fill : std::uint8_t {
    integers,      ///< small whole numbers: every partial sum is exact, so a result is the very answer or wrong
    normal,        ///< N(0, 1)
    symmetric,     ///< U(-1, 1)
    uniform,       ///< U(0, 1): nothing cancels
    exponents_10,  ///< +-2^U(-10, 10)
    exponents_30,  ///< +-2^U(-30, 30)
    exponents_60,  ///< +-2^U(-60, 60)
    cancellation,  ///< x and -x, shuffled along k, and a tail of 2^-20 that is all that remains
    subnormals,    ///< A below the least normal number, B's columns by turns above 1 and small enough to stay there
    huge,          ///< A alternates around the largest finite numbers; B is so small that no sum may overflow
    overflowing,   ///< A alternates around the largest finite numbers and B is +-1: finite results must still be right
    ties,          ///< half-way between two neighbours in bf16, tf32 and f16, and the ends of f16
};

inline constexpr Fill every_fill[] = {
    Fill::integers,     Fill::normal,       Fill::symmetric,  Fill::uniform, Fill::exponents_10, Fill::exponents_30,
    Fill::exponents_60, Fill::cancellation, Fill::subnormals, Fill::huge,    Fill::overflowing,  Fill::ties,
};

const char* name_of(Fill fill) noexcept;

/// A (m x k) and B (k x n) of one product.
void fill_operands(const Matrix& a, const Matrix& b, Fill how, std::uint64_t seed);

/// A matrix by itself, as if it were A.
void fill(const Matrix& matrix, Fill how, std::uint64_t seed);

/// Every element.
void fill_with(const Matrix& matrix, double value);

}  // namespace tw::reference
