// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// planes: three nested bit planes for each input; a product reads the first one, two or three of an input, or none.
//
// Outputs are cut into tiles of 512, and a tile into blocks of 32 neighbours. The last tile is 128 Q outputs wide, with
// the smallest Q = 1..4 that is enough (a whole tile has Q = 4), and zeros past the last output. A tile is four arrays,
// one after the other, each rounded up to 64 bytes; row i of each belongs to input i:
//   scales   inputs x  8 Q bytes    f16 d for each of the 4 Q blocks: d = max |w| of the block / 7.5
//   plane A  inputs x 32 Q bytes    2 bits an output
//   plane B  inputs x 32 Q bytes    2 bits an output
//   plane C  inputs x 64 Q bytes    4 bits an output
// Unit 0 of an input is its scales and plane A, unit 1 plane B, unit 2 plane C: 2.5, 2 and 4 bits an output.
//
// The code of a weight is F = floor(16 w / d) + 128, held within 0..255: bits 7-6 are in A, bits 5-4 in B, bits 3-0 in
// C. Read back with mid-point reconstruction, with a = F >> 6, b = (F >> 4) & 3, c = F & 15:
//   A alone  w = d (64 a - 96) / 16            A and B  w = d (64 a + 16 b - 120) / 16
//   A, B, C  w = d (64 a + 16 b + c - 127.5) / 16
// A matrix may be without C: an input then has two units, and effort 1 reads A and B (EffortBody::bucket is 2).
// times the input's gain for that number of units (EffortBody::gains), times 2^-exponent.
//
// Where output o of a tile lies: block l = o / 32 = 4 q + j (q = 0..Q-1, j = 0..3); within it n = o % 32 = 16 h + 4 t +
// k (h = 0..1, t, k = 0..3):
//   A and B  byte 16 Q h + 16 q + 4 t + j of the row, bits 2 k and 2 k + 1
//   C        byte 32 Q h + 16 Q (k & 1) + 16 q + 4 t + j, the low four bits when k < 2, else the high ones
// So four inputs' rows, interleaved byte by byte within 16 bytes, have in each 32-bit lane four inputs of one output,
// and lane l belongs to block l: one vector of (v_i d) serves all of a tile.
#pragma once

#include <cstdint>

#include "formats/memory.hpp"

namespace tw {
struct EffortBody;
}

namespace tw::effort {

struct PlanesTile {
    static constexpr std::int64_t outputs = 512, outputs_of_quarter = 128, outputs_of_block = 32;
    static constexpr int chunk = 128;  ///< inputs for which products round v d to one step

    std::int64_t inputs;
    int quarters;
    int planes = 3;  ///< 2: C is left out

    static constexpr int quarters_for(std::int64_t outputs_left) noexcept {
        return outputs_left >= outputs ? 4
                                       : static_cast<int>((outputs_left + outputs_of_quarter - 1) / outputs_of_quarter);
    }
    constexpr std::int64_t scales_at() const noexcept { return 0; }
    constexpr std::int64_t a_at() const noexcept { return up_to_line(inputs * 8 * quarters); }
    constexpr std::int64_t b_at() const noexcept { return a_at() + up_to_line(inputs * 32 * quarters); }
    constexpr std::int64_t c_at() const noexcept { return b_at() + up_to_line(inputs * 32 * quarters); }
    constexpr std::int64_t bytes() const noexcept {
        return planes == 3 ? c_at() + up_to_line(inputs * 64 * quarters) : c_at();
    }
};

/// Sums over the tiles of one input, from which its gains and `left` are computed.
struct PlanesSums {
    double square = 0;                            ///< sum of w^2
    double product[3] = {}, read_square[3] = {};  ///< sums of w r and r^2, where r is read back from 1, 2, 3 planes
    double scale_square = 0;                      ///< sum of d^2, over blocks that hold an output
    std::int64_t blocks = 0;

    float gain(int planes) const noexcept;   ///< the factor with the least error; planes = 1..3
    double left(int planes) const noexcept;  ///< sum of squared errors with that gain; planes = 0..3
};

/// Writes the rows of one input in one tile. `w` has 512 values, zero past `real`, the number of outputs.
void encode_planes(const float* w, std::int64_t real, const PlanesTile& tile, std::int64_t input, std::byte* rows,
                   PlanesSums& sums) noexcept;

/// Format::arrange for planes.
void arrange_planes(const EffortBody& body, const std::byte* from, std::int64_t tile, std::int64_t first_output,
                    std::byte* to);

}  // namespace tw::effort
