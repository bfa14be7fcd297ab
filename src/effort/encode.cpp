// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/encode.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/rounding.hpp"
#include "formats/buckets.hpp"
#include "formats/dense.hpp"
#include "formats/planes.hpp"
#include "formats/tiers.hpp"

namespace tw::effort {
namespace {

constexpr std::int64_t most_outputs_of_tile = 1024;

/// 16 inputs by the outputs of a tile, turned so that an input's outputs are neighbours; zeros past the last output.
struct Slab {
    float w[inputs_of_slab][most_outputs_of_tile];
    std::int64_t inputs, real;

    void gather(const Matrix& weights, std::int64_t first_input, std::int64_t first_output,
                std::int64_t outputs) noexcept {
        inputs = std::min(inputs_of_slab, weights.cols - first_input);
        real = std::min(outputs, weights.rows - first_output);
        const Matrix block = weights.block(first_output, first_input, real, inputs);
        if (weights.type == Type::f32) turn<float>(block);
        else if (weights.type == Type::f16) turn<float16>(block);
        else turn<bfloat16>(block);
        for (std::int64_t i = 0; i < inputs; ++i) std::fill(w[i] + real, w[i] + outputs, 0.f);
    }
    template <class T>
    void turn(const Matrix& block) noexcept {
        const View<const T> from = typed<const T>(block);
        for (std::int64_t o = 0; o < real; ++o)
            for (std::int64_t i = 0; i < inputs; ++i) {
                if constexpr (std::is_same_v<T, float>) w[i][o] = from(o, i);
                else w[i][o] = widen(from(o, i));
            }
    }
    void scale(int exponent) noexcept {
        const float factor = std::ldexp(1.f, exponent);
        for (std::int64_t i = 0; i < inputs; ++i)
            for (float& value : w[i]) value *= factor;
    }
};

/// The values in the type that they were given in: exact.
void narrow(const float* values, std::int64_t count, Type type, std::byte* to) noexcept {
    for (std::int64_t o = 0; o < count; ++o) {
        const std::uint16_t bits = type == Type::f16 ? to_float16(values[o]).bits : to_bfloat16(values[o]).bits;
        if (type != Type::f32) std::memcpy(to + 2 * o, &bits, 2);
    }
    if (type == Type::f32) std::memcpy(to, values, static_cast<std::size_t>(count) * sizeof(float));
}

/// What is kept of one input, whatever the layout: sums over its tiles.
struct Sums {
    double squares[32] = {}, missed[32] = {};
    PlanesSums planes{};
};

void encode_rows(const EffortBody& body, const Slab& slab, std::int64_t i, std::int64_t input,
                 std::int64_t outputs_left, std::byte* rows, Sums& sums) noexcept {
    if (body.layout == EffortLayout::planes) {
        encode_planes(slab.w[i], slab.real, {body.inputs, PlanesTile::quarters_for(outputs_left)}, input, rows,
                      sums.planes);
    } else if (body.layout == EffortLayout::tiers) {
        std::byte bits[TiersTile::outputs * 4];
        narrow(slab.w[i], TiersTile::outputs, body.type, bits);
        const int value_bytes = static_cast<int>(size_of(body.type));
        encode_tiers(slab.w[i], bits, {body.inputs, TiersTile::buckets_for(outputs_left), value_bytes}, input, rows,
                     sums.squares);
    } else {
        encode_buckets(slab.w[i], slab.real, body.truncating,
                       {body.inputs, BucketsTile::buckets_for(outputs_left, body.bucket), body.bucket}, input, rows,
                       sums.squares, sums.missed);
    }
}

/// What is left after so many units.
void settle(const Sums& sums, int expert, std::int64_t input, EffortBody& body) noexcept {
    const int units = body.units();
    double left[33];
    const double scale = std::ldexp(1.0, 2 * (body.exponent - body.exponent_of_rows()));
    if (body.layout == EffortLayout::planes) {
        for (int u = 0; u <= units; ++u) left[u] = sums.planes.left(u);
    } else {
        left[units] = 0;
        for (int u = units - 1; u >= 0; --u) left[u] = left[u + 1] + sums.squares[u] * scale;
        double missed = 0;
        for (int u = 0; u < units; ++u) missed += sums.missed[u] * scale, left[u + 1] += missed;
    }
    const std::int64_t n = body.inputs;
    float* lefts = body.left.as<float>() + expert * (units + 1) * n + input;
    for (int u = 0; u <= units; ++u) lefts[u * n] = static_cast<float>(left[u]);
    if (body.layout != EffortLayout::planes) return;
    for (int u = 0; u < units; ++u) body.gains.as<float>()[(expert * units + u) * n + input] = sums.planes.gain(u + 1);
    const double mean = sums.planes.scale_square / static_cast<double>(sums.planes.blocks);
    body.spreads.as<float>()[expert * n + input] = static_cast<float>(std::sqrt(mean));
}

void encode_dense(const Matrix& weights, int expert, std::int64_t first, EffortBody& body, Slab& slab) noexcept {
    const Tiling tiling = dense_tiling_of(body);
    const auto value_bytes = static_cast<std::int64_t>(size_of(body.type));
    for (std::int64_t t = 0; t < tiling.tiles; ++t) {
        const int width = DenseTile::width_for(body.outputs - t * tiling.outputs_of_tile);
        std::byte* tile = body.dense.data() + expert * tiling.bytes + t * tiling.bytes_of_tile;
        slab.gather(weights, first, t * tiling.outputs_of_tile, width);
        for (std::int64_t i = 0; i < slab.inputs; ++i)
            narrow(slab.w[i], width, body.type, tile + (first + i) * width * value_bytes);
    }
}

}  // namespace

void encode_inputs(const Matrix& weights, int expert, std::int64_t first, EffortBody& body) noexcept {
    Slab slab;
    Sums sums[inputs_of_slab];
    const Tiling tiling = tiling_of(body);
    for (std::int64_t t = 0; t < tiling.tiles; ++t) {
        const std::int64_t from = t * tiling.outputs_of_tile;
        slab.gather(weights, first, from, tiling.outputs_of_tile);
        if (body.exponent_of_rows() != 0) slab.scale(body.exponent_of_rows());
        std::byte* rows = body.rows.data() + expert * tiling.bytes + t * tiling.bytes_of_tile;
        for (std::int64_t i = 0; i < slab.inputs; ++i)
            encode_rows(body, slab, i, first + i, body.outputs - from, rows, sums[i]);
    }
    for (std::int64_t i = 0; i < slab.inputs; ++i) settle(sums[i], expert, first + i, body);
    if (body.dense.size() > 0) encode_dense(weights, expert, first, body, slab);
}

}  // namespace tw::effort
