// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/arrange.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/rounding.hpp"
#include "formats/buckets.hpp"
#include "formats/dense.hpp"
#include "formats/planes.hpp"
#include "formats/tiers.hpp"

namespace tw::effort {
namespace {

/// `count` pieces that lie `from_step` apart go `to_step` apart.
void copy_pieces(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step, std::int64_t bytes,
                 std::int64_t count) noexcept {
    for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * to_step, from + i * from_step, static_cast<std::size_t>(bytes));
}

constexpr int quarters = 2;          // of a tile of planes
constexpr std::int64_t chunk = 128;  // inputs whose plane A and scales are neighbours
constexpr std::int64_t bytes_of_a = 64 * chunk, bytes_of_steps = 128,
                       bytes_of_front = bytes_of_a + bytes_of_steps + 16 * chunk;

/// The scales of a block of outputs in a chunk, each over the power of 2 that is the step: at most 1.
void level_scales(const std::byte* from, std::int64_t from_step, std::int64_t count, std::byte* front,
                  std::int64_t block) noexcept {
    const auto scale_of = [&](std::int64_t i) {
        float16 scale;
        std::memcpy(&scale, from + i * from_step, sizeof scale);
        return widen(scale);
    };
    float most = 0;
    for (std::int64_t i = 0; i < count; ++i) most = std::max(most, scale_of(i));
    const int exponent = most > 0 && std::isfinite(most) ? std::ilogb(most) + 1 : 0;
    const float step = std::ldexp(1.f, exponent);
    std::memcpy(front + bytes_of_a + 4 * block, &step, sizeof step);
    for (std::int64_t i = 0; i < count; ++i) {
        const float16 level = to_float16(std::ldexp(scale_of(i), -exponent));
        std::memcpy(front + bytes_of_a + bytes_of_steps + 16 * i + 2 * block, &level, sizeof level);
    }
}

/// Two quarters of a tile of planes as a tile of its own: a row's words (h, odd, q, t) in the order of (h, t, odd, q).
void arrange_half(std::byte* to, const std::byte* from, const PlanesTile& own, int first) noexcept {
    const std::int64_t padded = padded_inputs(own.inputs), to_b = padded / chunk * bytes_of_front,
                       to_c = to_b + 64 * padded;
    const int count = std::min(quarters, own.quarters - first);
    const auto turn = [&](std::byte* row, const std::byte* from_row, int halves, std::int64_t swapped) {
        for (int h = 0; h < 2; ++h)
            for (int odd = 0; odd < halves; ++odd)
                for (int q = 0; q < count; ++q)
                    for (int t = 0; t < 4; ++t)
                        std::memcpy(row + ((4 * (((4 * h + t) * halves + odd) * quarters + q)) ^ swapped),
                                    from_row + 4 * (((h * halves + odd) * own.quarters + first + q) * 4 + t), 4);
    };
    for (std::int64_t i = 0; i < own.inputs; ++i) {
        std::byte* a = to + i / chunk * bytes_of_front + 64 * (i % chunk);
        turn(a, from + own.a_at() + 32 * own.quarters * i, 1, 16 * (i & 2));
        turn(to + to_b + 64 * i, from + own.b_at() + 32 * own.quarters * i, 1, 0);
        turn(to + to_c + 128 * i, from + own.c_at() + 64 * own.quarters * i, 2, 0);
    }
    for (std::int64_t i = 0; i < own.inputs; i += chunk)
        for (std::int64_t block = 0; block < 4 * count; ++block)
            level_scales(from + 8 * own.quarters * i + 2 * (4 * first + block), 8 * own.quarters,
                         std::min(chunk, own.inputs - i), to + i / chunk * bytes_of_front, block);
}

constexpr std::int64_t outputs_of_rows = 1024;  // of a tile of buckets or tiers
constexpr int buckets_of_tiers = outputs_of_rows / 16;

/// A tile of the layout as the buckets of a wider one from `first` on.
void arrange_buckets(std::byte* to, const std::byte* from, const BucketsTile& own, std::int64_t first) noexcept {
    copy_pieces(to + 2 * first, 2 * outputs_of_rows / own.bucket, from, own.unit_bytes(), own.unit_bytes(),
                own.inputs * own.bucket);
}

/// The same; of a mask the positions of its bits, the lowest first.
void arrange_tiers(std::byte* to, const std::byte* from, const TiersTile& own, std::int64_t first) noexcept {
    const TiersTile whole{own.inputs, buckets_of_tiers, own.value_bytes};
    const std::int64_t bytes = 4 * own.value_bytes;
    copy_pieces(to + 2 * whole.buckets + bytes * first, whole.unit_bytes(), from + 2 * own.buckets, own.unit_bytes(),
                bytes * own.buckets, 4 * own.inputs);
    for (std::int64_t unit = 0; unit < 4 * own.inputs; ++unit)
        for (int bucket = 0; bucket < own.buckets; ++bucket) {
            std::uint16_t mask, positions = 0;
            std::memcpy(&mask, from + unit * own.unit_bytes() + 2 * bucket, sizeof mask);
            for (int x = 0; x < 4 && mask != 0; ++x, mask = static_cast<std::uint16_t>(mask & (mask - 1)))
                positions = static_cast<std::uint16_t>(positions | std::countr_zero(mask) << 4 * x);
            std::memcpy(to + unit * whole.unit_bytes() + 2 * (first + bucket), &positions, sizeof positions);
        }
}

}  // namespace

std::int64_t padded_inputs(std::int64_t inputs) noexcept { return (inputs + chunk - 1) / chunk * chunk; }

std::int64_t arranged_outputs_of_tile(const EffortBody& body) noexcept {
    return body.layout == EffortLayout::planes ? quarters * PlanesTile::outputs_of_quarter : outputs_of_rows;
}

std::int64_t arranged_tile_bytes(const EffortBody& body) noexcept {
    if (body.layout == EffortLayout::buckets)
        return BucketsTile{body.inputs, static_cast<int>(outputs_of_rows / body.bucket), body.bucket}.bytes();
    if (body.layout == EffortLayout::tiers)
        return TiersTile{body.inputs, buckets_of_tiers, static_cast<int>(size_of(body.type))}.bytes();
    return padded_inputs(body.inputs) * (64 + 128) + padded_inputs(body.inputs) / chunk * bytes_of_front;
}

std::int64_t arranged_dense_tile_bytes(const EffortBody& body) noexcept {
    return DenseTile{body.inputs, static_cast<int>(DenseTile::outputs), static_cast<int>(size_of(body.type))}.bytes();
}

void arrange_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept {
    const Tiling tiling = tiling_of(body);
    const std::byte* rows = body.rows.data() + expert * tiling.bytes;
    const std::int64_t first = tile * arranged_outputs_of_tile(body), end = first + arranged_outputs_of_tile(body);
    for (std::int64_t t = first / tiling.outputs_of_tile; t < tiling.tiles && t * tiling.outputs_of_tile < end; ++t) {
        const std::byte* from = rows + t * tiling.bytes_of_tile;
        const std::int64_t at = t * tiling.outputs_of_tile, left = body.outputs - at;
        if (body.layout == EffortLayout::buckets) {
            arrange_buckets(to, from, {body.inputs, BucketsTile::buckets_for(left, body.bucket), body.bucket},
                            (at - first) / body.bucket);
        } else if (body.layout == EffortLayout::tiers) {
            arrange_tiers(to, from, {body.inputs, TiersTile::buckets_for(left), static_cast<int>(size_of(body.type))},
                          (at - first) / 16);
        } else {
            arrange_half(to, from, {body.inputs, PlanesTile::quarters_for(left)},
                         static_cast<int>((first - at) / PlanesTile::outputs_of_quarter));
        }
    }
}

void arrange_dense_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept {
    const Tiling tiling = dense_tiling_of(body);
    const std::byte* from = body.dense.data() + expert * tiling.bytes + tile * tiling.bytes_of_tile;
    const auto value_bytes = static_cast<std::int64_t>(size_of(body.type));
    const std::int64_t bytes = value_bytes * DenseTile::width_for(body.outputs - tile * tiling.outputs_of_tile);
    copy_pieces(to, value_bytes * DenseTile::outputs, from, bytes, bytes, body.inputs);
}

}  // namespace tw::effort
