// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "formats/tiers.hpp"

#include <bit>
#include <cstring>

#include "formats/body.hpp"
#include "formats/narrow.hpp"
#include "formats/on_device.hpp"
#include "formats/pieces.hpp"
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

namespace {

using on_device::Rows;

constexpr int buckets[] = {TiersTile::outputs_of_bucket};

int value_bytes(const EffortBody& body) noexcept { return static_cast<int>(size_of(body.type)); }

TiersTile tile_of(const EffortBody& body, std::int64_t outputs_left) noexcept {
    return {body.inputs, TiersTile::buckets_for(outputs_left), value_bytes(body)};
}

void encode(const EffortBody& body, const EncodedInput& one, Findings& found) {
    std::byte bits[TiersTile::outputs * 4];
    narrow(one.w, TiersTile::outputs, body.type, bits);
    encode_tiers(one.w, bits, tile_of(body, one.outputs_left), one.input, one.rows, found.as<UnitSums>().squares);
}

/// Copies a tile into the buckets of a wider one, and turns masks into the positions of their bits, the lowest first.
void arrange(const EffortBody& body, const std::byte* from, std::int64_t tile, std::int64_t first, std::byte* to) {
    const TiersTile own = tile_of(body, body.outputs - tile * TiersTile::outputs);
    const std::int64_t begin = (tile * TiersTile::outputs - first) / TiersTile::outputs_of_bucket;
    const std::int64_t bytes = 4 * own.value_bytes, unit_bytes = Rows::bytes_of_tier(own.value_bytes);
    copy_pieces(to + Rows::bytes_of_positions + bytes * begin, unit_bytes, from + 2 * own.buckets, own.unit_bytes(),
                bytes * own.buckets, 4 * own.inputs);
    for (std::int64_t unit = 0; unit < 4 * own.inputs; ++unit)
        for (int bucket = 0; bucket < own.buckets; ++bucket) {
            std::uint16_t mask, positions = 0;
            std::memcpy(&mask, from + unit * own.unit_bytes() + 2 * bucket, sizeof mask);
            for (int x = 0; x < 4 && mask != 0; ++x, mask = static_cast<std::uint16_t>(mask & (mask - 1)))
                positions = static_cast<std::uint16_t>(positions | std::countr_zero(mask) << 4 * x);
            std::memcpy(to + unit * unit_bytes + 2 * (begin + bucket), &positions, sizeof positions);
        }
}

static_assert(TiersTile{1, Rows::buckets_of_tiers, 2}.unit_bytes() == Rows::bytes_of_tier(2));

}  // namespace

constinit const Format tiers_format = {
    .layout = EffortLayout::tiers,
    .buckets = buckets,
    .may_truncate = false,
    .keeps_dense = true,
    .keeps_values = true,
    .has_gains = false,
    .units = [](int) { return 4; },
    .outputs_of_tile = [](int) { return TiersTile::outputs; },
    .width = [](const EffortBody&, std::int64_t left) { return TiersTile::buckets_for(left); },
    .tile_bytes = [](const EffortBody& body,
                     int width) { return TiersTile{body.inputs, width, value_bytes(body)}.bytes(); },
    .unit_bytes = [](const EffortBody& body,
                     int) { return (body.outputs + 31) / 32 * 2 * (2 + 4 * std::int64_t{value_bytes(body)}); },
    .encode = encode,
    .summary = summary_of_units,
    .flaw = nullptr,
    .rounding = nullptr,
    .device_outputs = [](const EffortBody&) -> std::int64_t { return Rows::outputs; },
    .device_tile_bytes =
        [](const EffortBody& body) {
            return TiersTile{body.inputs, Rows::buckets_of_tiers, value_bytes(body)}.bytes();
        },
    .device_inputs = nullptr,
    .arrange = arrange,
};

}  // namespace tw::effort
