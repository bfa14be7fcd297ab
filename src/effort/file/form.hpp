// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The file of a matrix with an effort dial, little-endian. 128 bytes of header:
//     0  8 bytes  "tweffort"                 32  i64  outputs          64  5 x i64  bytes of: rows, left, gains,
//     8  u32      format, 2                  40  i64  inputs                        spreads, dense
//    12  u32      bytes of the header, 128   48  i32  experts         104  u64  0
//                                                                     112  u64      checksum of the arrays
//    16  u32      layout: 0 buckets,         52  i32  exponent        120  u64      checksum of the header's first 120
//    bytes
//                 1 tiers, 2 planes          56  u32  1 with a dense copy
//    20  u32      bucket; of planes 0, or 2  60  u32  0
//                 without the last one
//    24  u32      1 when truncating
//    28  u32      type: 1 f32, 2 f16, 3 bf16
// Then the five arrays of EffortBody in that order, each begun at a multiple of 64 bytes, zeros between. The checksum
// takes words of 8 bytes: h = rotate_left(h ^ word, 29) * 0x9e3779b97f4a7c15, from h = 0x243f6a8885a308d3; an array's
// last word is filled with zeros.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "formats/body.hpp"

namespace tw::effort {

struct FileHeader {
    char title[8] = {'t', 'w', 'e', 'f', 'f', 'o', 'r', 't'};
    std::uint32_t format = 2, header_bytes = 128;
    std::uint32_t layout = 0, bucket = 0, truncating = 0, type = 0;
    std::int64_t outputs = 0, inputs = 0;
    std::int32_t experts = 0, exponent = 0;
    std::uint32_t has_dense = 0, zero = 0;
    std::int64_t sizes[5] = {};
    std::int64_t nothing = 0;
    std::uint64_t arrays_sum = 0, header_sum = 0;
};
static_assert(sizeof(FileHeader) == 128 && std::endian::native == std::endian::little);

inline constexpr std::uint64_t checksum_start = 0x243f6a8885a308d3u;

inline std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t sum = checksum_start) noexcept {
    const auto take = [&sum](std::uint64_t word) { sum = std::rotl(sum ^ word, 29) * 0x9e3779b97f4a7c15u; };
    std::uint64_t word = 0;
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) std::memcpy(&word, bytes.data() + at, 8), take(word);
    if (at == bytes.size()) return sum;
    word = 0;
    std::memcpy(&word, bytes.data() + at, bytes.size() - at);
    take(word);
    return sum;
}

/// The arrays in the order of the file.
inline std::array<const Memory*, 5> arrays_of(const EffortBody& body) noexcept {
    return {&body.rows, &body.left, &body.gains, &body.spreads, &body.dense};
}

inline std::array<std::int64_t, 5> sizes_in_order(const Sizes& sizes) noexcept {
    return {sizes.rows, sizes.left, sizes.gains, sizes.spreads, sizes.dense};
}

}  // namespace tw::effort
