// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "formats/buckets.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/rounding.hpp"
#include "formats/body.hpp"
#include "formats/on_device.hpp"
#include "formats/pieces.hpp"
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

namespace {

using on_device::Rows;

constexpr int buckets[] = {8, 16, 32};

BucketsTile tile_of(const EffortBody& body, std::int64_t outputs_left) noexcept {
    return {body.inputs, BucketsTile::buckets_for(outputs_left, body.bucket), body.bucket};
}

void encode(const EffortBody& body, const EncodedInput& one, Findings& found) {
    UnitSums& sums = found.as<UnitSums>();
    encode_buckets(one.w, one.real, body.truncating, tile_of(body, one.outputs_left), one.input, one.rows, sums.squares,
                   sums.missed);
}

/// Copies a tile into the buckets of a wider one.
void arrange(const EffortBody& body, const std::byte* from, std::int64_t tile, std::int64_t first, std::byte* to) {
    const std::int64_t at = tile * BucketsTile::outputs(body.bucket);
    const BucketsTile own = tile_of(body, body.outputs - at);
    copy_pieces(to + 2 * (at - first) / body.bucket, Rows::bytes_of_rank(body.bucket), from, own.unit_bytes(),
                own.unit_bytes(), own.inputs * own.bucket);
}

}  // namespace

constinit const Format buckets_format = {
    .layout = EffortLayout::buckets,
    .buckets = buckets,
    .may_truncate = true,
    .keeps_dense = true,
    .keeps_values = false,
    .has_gains = false,
    .units = [](int bucket) { return bucket; },
    .outputs_of_tile = BucketsTile::outputs,
    .width = [](const EffortBody& body, std::int64_t left) { return BucketsTile::buckets_for(left, body.bucket); },
    .tile_bytes = [](const EffortBody& body,
                     int width) { return BucketsTile{body.inputs, width, body.bucket}.bytes(); },
    .unit_bytes = [](const EffortBody& body, int) { return (body.outputs + body.bucket - 1) / body.bucket * 2; },
    .encode = encode,
    .summary = summary_of_units,
    .flaw = nullptr,
    .rounding = nullptr,
    .device_outputs = [](const EffortBody&) -> std::int64_t { return Rows::outputs; },
    .device_tile_bytes =
        [](const EffortBody& body) {
            return BucketsTile{body.inputs, Rows::buckets(body.bucket), body.bucket}.bytes();
        },
    .device_inputs = nullptr,
    .arrange = arrange,
};

}  // namespace tw::effort
