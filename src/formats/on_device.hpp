// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The layout of rows in a GPU's memory: arrange.cpp writes it and the kernels read it. Only constants, so that both
// compilers can read it. Every tile is whole; the last one is padded with zeros.
//
// Buckets and tiers have 1024 outputs in a tile, and are otherwise as in buckets.hpp and tiers.hpp, except that tiers
// have four positions of four bits each, the lowest first, in place of a bucket's mask.
//
// For planes each half of a tile, 256 outputs in 8 blocks, becomes a tile, with inputs padded to a multiple of 128:
//   for each chunk of 128 inputs   128 x 64 bytes  plane A, in rows of inputs 2 and 3 of four bytes 0..31 and 32..63
//   change places
//                                  128 bytes       a step for each of the 8 blocks, f32, a power of 2
//                                  128 x 16 bytes  the blocks' scales over the step, f16, at most 1
//   then for all inputs            64 bytes        plane B
//   then for all inputs            128 bytes       plane C
// The words of a row are reordered from (h, odd, q, t) of planes.hpp to (h, t, odd, q), so that 8 contiguous bytes have
// one word of each quarter. Only plane C has `odd`, which is k & 1.
//
// The dense copy has 256 outputs in a tile.
#pragma once

#include <cstdint>

namespace tw::effort::on_device {

/// Buckets and tiers.
struct Rows {
    static constexpr int outputs = 1024;

    static constexpr int buckets(int bucket) noexcept { return outputs / bucket; }
    static constexpr int bytes_of_rank(int bucket) noexcept { return 2 * buckets(bucket); }

    static constexpr int buckets_of_tiers = outputs / 16;
    static constexpr int bytes_of_positions = 2 * buckets_of_tiers;  ///< of a tier; its values follow
    static constexpr int bytes_of_tier(int value_bytes) noexcept {
        return bytes_of_positions + 4 * value_bytes * buckets_of_tiers;
    }
};

struct Planes {
    static constexpr int quarters = 2, outputs = 128 * quarters, blocks = outputs / 32;
    static constexpr int chunk = 128;  ///< inputs whose plane A and scales are contiguous
    static constexpr int bytes_of_row_a = outputs / 4, bytes_of_row_b = outputs / 4, bytes_of_row_c = outputs / 2;
    static constexpr int bytes_of_a = chunk * bytes_of_row_a;
    static constexpr int bytes_of_steps = 128;          ///< an f32 for each block, padded
    static constexpr int bytes_of_levels = 2 * blocks;  ///< of an input: its scales over the steps, as f16
    static constexpr int bytes_of_scales = bytes_of_steps + chunk * bytes_of_levels;
    static constexpr int bytes_of_front = bytes_of_a + bytes_of_scales;

    static constexpr std::int64_t padded(std::int64_t inputs) noexcept { return (inputs + chunk - 1) / chunk * chunk; }
    /// Where planes B and C begin; `inputs` is padded.
    static constexpr std::int64_t b_at(std::int64_t inputs) noexcept { return inputs / chunk * bytes_of_front; }
    static constexpr std::int64_t c_at(std::int64_t inputs) noexcept { return b_at(inputs) + bytes_of_row_b * inputs; }
    static constexpr std::int64_t bytes(std::int64_t inputs) noexcept { return c_at(inputs) + bytes_of_row_c * inputs; }

    /// A row of plane A is four pieces of 16 bytes. Where piece `piece` of an input's row is.
    static constexpr int place_of_piece(int input, int piece) noexcept { return piece ^ (input & 2); }
};

struct Dense {
    static constexpr int outputs = 256;
};

}  // namespace tw::effort::on_device
