// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "formats/buckets.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/rounding.hpp"
#include "formats/ranks.hpp"

namespace tw::effort {

std::uint16_t bucket_word(float w, int position, int bucket, bool truncating) noexcept {
    constexpr unsigned infinity = 0x7c00;
    const unsigned low = static_cast<unsigned>(bucket) - 1, half = to_float16(w).bits;
    const unsigned place = static_cast<unsigned>(position);
    if (truncating) return static_cast<std::uint16_t>((half & ~low) | place);
    const unsigned size = half & 0x7fffu, odd = (size >> std::bit_width(low)) & 1u;
    const unsigned rounded = std::min((size + low / 2 + odd) & ~low, infinity - low - 1);
    return static_cast<std::uint16_t>((half & 0x8000u) | rounded | place);
}

float bucket_value(std::uint16_t word, int bucket, bool truncating) noexcept {
    const unsigned low = truncating ? 0 : static_cast<unsigned>(bucket) - 1;
    return widen(float16{static_cast<std::uint16_t>(word & ~low)});
}

void encode_buckets(const float* w, std::int64_t real, bool truncating, const BucketsTile& tile, std::int64_t input,
                    std::byte* rows, double* squares, double* missed) noexcept {
    const int width = tile.bucket;
    for (int b = 0; b < tile.buckets; ++b) {
        int order[32];
        rank_by_size(w + width * b, width, order);
        for (int rank = 0; rank < width; ++rank) {
            const int at = width * b + order[rank];
            const std::uint16_t word = bucket_word(w[at], order[rank], width, truncating);
            std::memcpy(rows + (width * input + rank) * tile.unit_bytes() + 2 * b, &word, 2);
            if (at >= real) continue;
            const double value = static_cast<double>(w[at]);
            const double off = value - static_cast<double>(bucket_value(word, width, truncating));
            squares[rank] += value * value, missed[rank] += off * off;
        }
    }
}

}  // namespace tw::effort
