// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// buckets: the B weights that an input has in a bucket of B neighbouring outputs (B = 8, 16 or 32), sorted by size;
// each is an f16 whose low log2 B bits are its position in the bucket.
//
// Outputs are cut into tiles of 32 buckets; the last tile has just enough buckets and zeros past the last output. With
// P buckets in the tile, rank r of input i is P x u16 at byte (B i + r) 2 P of the tile: word p is the r-th largest
// weight of bucket p (of equals, the lower output first). A tile is rounded up to 64 bytes. Each position occurs once
// in a bucket.
//
// The word of weight w at position o: h = f16(w 2^exponent), rounded to the nearest multiple of B units in the last
// place (ties to the even multiple, never to infinity), then the position in the bits that are zero now; masked off on
// read. The truncating form is the seed's: the position replaces the low bits of f16(w), exponent 0, and the value is
// read with the position in it.
#pragma once

#include <cstdint>

#include "formats/memory.hpp"

namespace tw::effort {

struct BucketsTile {
    static constexpr int most_buckets = 32;

    std::int64_t inputs;
    int buckets;
    int bucket;  ///< outputs of one

    static constexpr std::int64_t outputs(int bucket) noexcept { return most_buckets * bucket; }
    static constexpr int buckets_for(std::int64_t outputs_left, int bucket) noexcept {
        return outputs_left >= outputs(bucket) ? most_buckets : static_cast<int>((outputs_left + bucket - 1) / bucket);
    }
    constexpr std::int64_t unit_bytes() const noexcept { return 2 * buckets; }
    constexpr std::int64_t bytes() const noexcept { return up_to_line(inputs * bucket * unit_bytes()); }
};

/// The word of a weight that is scaled by 2^exponent already; the value that is read back from a word.
std::uint16_t bucket_word(float w, int position, int bucket, bool truncating) noexcept;
float bucket_value(std::uint16_t word, int bucket, bool truncating) noexcept;

/// Writes the rows of one input in one tile; `w` has `real` weights, then zeros. For each rank r adds the squares of
/// its weights to squares[r], and the squares of their errors to missed[r].
void encode_buckets(const float* w, std::int64_t real, bool truncating, const BucketsTile& tile, std::int64_t input,
                    std::byte* rows, double* squares, double* missed) noexcept;

}  // namespace tw::effort
