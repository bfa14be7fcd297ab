// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The dense copy: the weights as given. Outputs are cut into tiles of 256; the last tile's width W is rounded up to a
// multiple of 16, with zeros past the last output. The weight of input i and output o of the tile is element W i + o of
// the tile. A tile is rounded up to 64 bytes.
#pragma once

#include <cstdint>

#include "formats/memory.hpp"

namespace tw::effort {

struct DenseTile {
    static constexpr std::int64_t outputs = 256;

    std::int64_t inputs;
    int width;
    int value_bytes;

    static constexpr int width_for(std::int64_t outputs_left) noexcept {
        return outputs_left >= outputs ? 256 : static_cast<int>((outputs_left + 15) / 16 * 16);
    }
    constexpr std::int64_t bytes() const noexcept { return up_to_line(inputs * width * value_bytes); }
};

}  // namespace tw::effort
