// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A tile of C by a matrix unit, where its panels may be trusted: an element whose row of A or column of B is marked in
// its panel's header gets the sum that FMA makes of the operands themselves. Which elements those are follows from that
// row and that column alone, so neighbours never change a result's bits.
#pragma once

#include "backend/cpu/panels/macro_kernel.hpp"
#include "backend/cpu/unit/matrix_unit.hpp"

namespace tw::cpu {

/// Terms that the path by FMA adds up before it rounds into a longer sum, and before that one goes into a block's.
inline constexpr std::int64_t guarded_chunk = 64, guarded_group = 256;

/// Roundings on the longest path through one block of k, of k terms at most.
constexpr double guarded_roundings(std::int64_t k, std::int64_t block) noexcept {
    const std::int64_t terms = k < block ? k : block, in_group = terms < guarded_group ? terms : guarded_group;
    const std::int64_t in_chunk = terms < guarded_chunk ? terms : guarded_chunk;
    const std::int64_t additions = in_chunk + (in_group - 1) / guarded_chunk + (terms - 1) / guarded_group;
    return static_cast<double>(additions);
}

void multiply_guarded(void (*add_to_c)(const UnitResult&), void (*multiply)(const UnitTile&),
                      const PanelTile& tile) noexcept;

/// Adds the tile that waits in the state to C.
void finish_waiting_guarded(void (*add_to_c)(const UnitResult&), TileState& state) noexcept;

/// A block of an operand as packing wants it; columns of B come as rows of its transpose.
PanelSource panel_source(const Matrix& rows, std::size_t room) noexcept;

}  // namespace tw::cpu
