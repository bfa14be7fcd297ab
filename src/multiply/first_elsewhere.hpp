// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

namespace tw {

/// The first product of which an operand is not there, -1 when all are. Of operands in one block of memory (no array of
/// pointers) the first and the last are asked for.
template <class Pointer, class IsThere>
std::int64_t first_elsewhere(const Pointer* array, std::int64_t size, IsThere is_there) noexcept {
    const std::int64_t step = array || size == 1 ? 1 : size - 1;
    for (std::int64_t i = 0; i < size; i += step)
        if (!is_there(i)) return i;
    return -1;
}

}  // namespace tw
