// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>
#include <cstring>

#include "base/rounding.hpp"
#include "tilewright/types.hpp"

namespace tw::effort {

/// Converts values back to the narrower type that they came from, so exactly.
inline void narrow(const float* values, std::int64_t count, Type type, std::byte* to) noexcept {
    for (std::int64_t o = 0; o < count; ++o) {
        const std::uint16_t bits = type == Type::f16 ? to_float16(values[o]).bits : to_bfloat16(values[o]).bits;
        if (type != Type::f32) std::memcpy(to + 2 * o, &bits, 2);
    }
    if (type == Type::f32) std::memcpy(to, values, static_cast<std::size_t>(count) * sizeof(float));
}

}  // namespace tw::effort
