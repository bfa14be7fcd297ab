// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

namespace tw {

/// How a matrix with an effort dial is stored. Each input (a column of the weights) is cut into units, the most
/// important first: a product reads the first few units of each input, as many as pay.
enum class EffortLayout : std::uint8_t {
    buckets,  ///< 16 outputs a bucket, sorted by size, the position in the low bits of an f16; a unit is one rank
    tiers,    ///< 16 outputs a bucket in four tiers of four, a mask for the positions, the values untouched: lossless
    planes,   ///< nested bit planes of 2.5, 2 and 4 bits a weight: the best answer for the bytes read
};

constexpr const char* name_of(EffortLayout layout) noexcept {
    return layout == EffortLayout::buckets ? "buckets" : layout == EffortLayout::tiers ? "tiers" : "planes";
}

}  // namespace tw
