// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "formats/unit_scale.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tw::effort {

float unit_scale(const float* v, std::int64_t count) noexcept {
    std::uint32_t most = 0;
    for (std::int64_t i = 0; i < count; ++i) most = std::max(most, std::bit_cast<std::uint32_t>(v[i]) & 0x7fffffffu);
    if (most >= 0x7f800000u) return 0;
    return most == 0 ? 1.f : std::ldexp(1.f, std::min(126, -std::ilogb(std::bit_cast<float>(most))));
}

}  // namespace tw::effort
