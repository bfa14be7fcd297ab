// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "formats/tiers.hpp"

#include <cstring>

#include "formats/ranks.hpp"

namespace tw::effort {

void encode_tiers(const float* w, const std::byte* bits, const TiersTile& tile, std::int64_t input, std::byte* rows,
                  double* squares) noexcept {
    const int value = tile.value_bytes;
    for (int bucket = 0; bucket < tile.buckets; ++bucket) {
        int order[16];
        rank_by_size(w + 16 * bucket, 16, order);
        for (int tier = 0; tier < 4; ++tier) {
            std::byte* unit = rows + (4 * input + tier) * tile.unit_bytes();
            std::byte* values = unit + 2 * tile.buckets + 4 * value * bucket;
            std::uint16_t mask = 0;
            for (int r = 0; r < 4; ++r) mask = static_cast<std::uint16_t>(mask | 1u << order[4 * tier + r]);
            std::memcpy(unit + 2 * bucket, &mask, 2);
            for (int position = 0; position < 16; ++position) {
                if (!(mask >> position & 1u)) continue;
                const int at = 16 * bucket + position;
                std::memcpy(values, bits + at * value, static_cast<std::size_t>(value));
                values += value;
                squares[tier] += static_cast<double>(w[at]) * static_cast<double>(w[at]);
            }
        }
    }
}

}  // namespace tw::effort
