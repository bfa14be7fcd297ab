// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A tile of C by a matrix unit, where its panels may be trusted: an element whose row of A or column of B is marked in
// its panel's header gets the sum that FMA makes of the operands themselves. Which elements those are follows from that
// row and that column alone, so neighbours never change a result's bits.
#pragma once

#include "backend/cpu/hierarchy.hpp"
#include "backend/cpu/matrix_unit.hpp"

namespace tw::cpu {

/// Terms that the path by FMA adds up before it rounds into a longer sum.
inline constexpr std::int64_t guarded_chunk = 64;

void multiply_guarded(void (*meet)(const UnitResult&), void (*multiply)(const UnitTile&), const PanelTile& tile) noexcept;

/// The tile that waits in the state meets C.
void settle_guarded(void (*meet)(const UnitResult&), TileState& state) noexcept;

/// A block of an operand as packing wants it; columns of B come as rows of its transpose.
PanelSource panel_source(const Matrix& rows) noexcept;

}  // namespace tw::cpu
