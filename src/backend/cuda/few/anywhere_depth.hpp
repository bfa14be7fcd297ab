// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How wide and how deep few_rows_anywhere's stages are, for its kernel and its costs.
#pragma once

#include <cstdint>

namespace tw::cuda::anywhere {

/// Of the few rows, beside one another in the unit. size: of an element. 160 of f32 where 128 twice, or thrice, would
/// be more, but where the least numbers are looked for.
constexpr int columns_of(std::int64_t few, int size, bool holds_all) {
    if (size == 4 && !holds_all && few > 128 && (few + 159) / 160 * 160 < (few + 127) / 128 * 128) return 160;
    return few <= 32 ? 32 : size == 4 && few <= 64 ? 64 : 128;
}

/// Times 128 bytes of k of a stage. Along k lines of 144 bytes take TMA 5.4 ns each, whatever the memory gives; but few
/// stages would have room for twice 128 rows of f32 and of what rounding left.
constexpr int halves_of(bool along, int columns, int size) { return along && !(size == 4 && columns >= 128) ? 2 : 1; }

}  // namespace tw::cuda::anywhere
