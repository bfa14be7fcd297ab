// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tw::effort {

/// Copies `count` pieces of bytes, `from_step` apart at the source and `to_step` apart at the target.
inline void copy_pieces(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                        std::int64_t bytes, std::int64_t count) noexcept {
    for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * to_step, from + i * from_step, static_cast<std::size_t>(bytes));
}

}  // namespace tw::effort
