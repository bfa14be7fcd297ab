// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tiers: the 16 weights that an input has in a bucket of 16 neighbouring outputs, in four tiers of four: the four
// largest by size, the next four, and so on (of equals, the lower output first). Values are kept as they were given:
// lossless.
//
// Outputs are cut into tiles of 512, 32 buckets each; the last tile has the smallest even number of buckets, and zeros
// past the last output. With P buckets in the tile and values of S bytes (2 or 4), input i has 4 units of (2 + 4
// S) P bytes:
//   unit u of input i begins at byte (4 i + u) (2 + 4 S) P of the tile, and is
//   masks   P x u16      bit p set: output p of the bucket is in this tier; four bits of each mask are set
//   values  P x 4 x S    the four values of each bucket in the order of their positions
// A tile is rounded up to 64 bytes. The four masks of a bucket have no bit in common.
#pragma once

#include <cstdint>

#include "formats/memory.hpp"
#include "tilewright/types.hpp"

namespace tw::effort {

struct TiersTile {
    static constexpr std::int64_t outputs = 512, outputs_of_bucket = 16;

    std::int64_t inputs;
    int buckets;
    int value_bytes;

    static constexpr int buckets_for(std::int64_t outputs_left) noexcept {
        return outputs_left >= outputs ? 32 : static_cast<int>((outputs_left + 31) / 32 * 2);
    }
    constexpr std::int64_t unit_bytes() const noexcept { return (2 + 4 * value_bytes) * buckets; }
    constexpr std::int64_t bytes() const noexcept { return up_to_line(inputs * 4 * unit_bytes()); }
};

/// Writes the rows of one input in one tile: `w` has the weights as f32, `bits` as they were given, both with zeros
/// past the last output. Adds the squares of each tier to squares[0..3].
void encode_tiers(const float* w, const std::byte* bits, const TiersTile& tile, std::int64_t input, std::byte* rows,
                  double* squares) noexcept;

}  // namespace tw::effort
