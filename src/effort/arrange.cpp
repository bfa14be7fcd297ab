// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/arrange.hpp"

#include <cstring>

#include "effort/layout_buckets.hpp"
#include "effort/layout_dense.hpp"
#include "effort/layout_planes.hpp"
#include "effort/layout_tiers.hpp"

namespace tw::effort {
namespace {

/// `count` pieces that lie `from_step` apart go `to_step` apart.
void copy_pieces(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step, std::int64_t bytes, std::int64_t count) noexcept {
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, static_cast<std::size_t>(bytes));
}

/// A row of `halves` halves, each (h, q, t) words.
void turn_words(std::byte* to, const std::byte* from, int halves, int quarters, std::int64_t count) noexcept {
    constexpr int whole = 4;
    for (std::int64_t i = 0; i < count; ++i) {
        for (int odd = 0; odd < halves; ++odd)
            for (int h = 0; h < 2; ++h)
                for (int q = 0; q < quarters; ++q)
                    for (int t = 0; t < 4; ++t)
                        std::memcpy(to + 4 * (odd * 8 * whole + (4 * h + t) * whole + q),
                                    from + 4 * ((h * halves + odd) * 4 * quarters + 4 * q + t), 4);
        to += halves * 32 * whole, from += halves * 32 * quarters;
    }
}

}  // namespace

std::int64_t arranged_tile_bytes(const EffortBody& body) noexcept {
    if (body.layout == EffortLayout::buckets) return BucketsTile{body.inputs, BucketsTile::most_buckets, body.bucket}.bytes();
    if (body.layout == EffortLayout::tiers) return TiersTile{body.inputs, 32, static_cast<int>(size_of(body.type))}.bytes();
    return PlanesTile{body.inputs, 4}.bytes();
}

std::int64_t arranged_dense_tile_bytes(const EffortBody& body) noexcept {
    return DenseTile{body.inputs, static_cast<int>(DenseTile::outputs), static_cast<int>(size_of(body.type))}.bytes();
}

void arrange_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept {
    const Tiling tiling = tiling_of(body);
    const std::byte* from = body.rows.data() + expert * tiling.bytes + tile * tiling.bytes_of_tile;
    const std::int64_t left = body.outputs - tile * tiling.outputs_of_tile, n = body.inputs;
    if (body.layout == EffortLayout::buckets) {
        const std::int64_t bytes = 2 * BucketsTile::buckets_for(left, body.bucket);
        copy_pieces(to, 2 * BucketsTile::most_buckets, from, bytes, bytes, n * body.bucket);
    } else if (body.layout == EffortLayout::tiers) {
        const int value_bytes = static_cast<int>(size_of(body.type));
        const TiersTile own{n, TiersTile::buckets_for(left), value_bytes}, whole{n, 32, value_bytes};
        copy_pieces(to, whole.unit_bytes(), from, own.unit_bytes(), 2 * own.buckets, 4 * n);
        copy_pieces(to + 2 * whole.buckets, whole.unit_bytes(), from + 2 * own.buckets, own.unit_bytes(), 4 * value_bytes * own.buckets, 4 * n);
    } else {
        const PlanesTile own{n, PlanesTile::quarters_for(left)}, whole{n, 4};
        copy_pieces(to, 8 * whole.quarters, from, 8 * own.quarters, 8 * own.quarters, n);
        turn_words(to + whole.a_at(), from + own.a_at(), 1, own.quarters, n);
        turn_words(to + whole.b_at(), from + own.b_at(), 1, own.quarters, n);
        turn_words(to + whole.c_at(), from + own.c_at(), 2, own.quarters, n);
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
