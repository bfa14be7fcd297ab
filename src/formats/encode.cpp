// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "formats/encode.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/rounding.hpp"
#include "formats/dense.hpp"
#include "formats/narrow.hpp"

namespace tw::effort {
namespace {

/// 16 inputs by the outputs of a tile, transposed so that an input's outputs are contiguous; zeros past the last
/// output.
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

/// Stores an input's `left` and gains in the body.
void keep(const InputSummary& found, int expert, std::int64_t input, EffortBody& body) noexcept {
    const int units = body.units();
    const std::int64_t n = body.inputs;
    float* left = body.left.as<float>() + expert * (units + 1) * n + input;
    for (int u = 0; u <= units; ++u) left[u * n] = static_cast<float>(found.left[u]);
    if (!body.format->has_gains) return;
    for (int u = 0; u < units; ++u) body.gains.as<float>()[(expert * units + u) * n + input] = found.gains[u];
    body.spreads.as<float>()[expert * n + input] = found.spread;
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
    Findings found[inputs_of_slab];
    const Format& format = *body.format;
    const Tiling tiling = tiling_of(body);
    for (std::int64_t t = 0; t < tiling.tiles; ++t) {
        const std::int64_t from = t * tiling.outputs_of_tile;
        slab.gather(weights, first, from, tiling.outputs_of_tile);
        if (body.exponent_of_rows() != 0) slab.scale(body.exponent_of_rows());
        std::byte* rows = body.rows.data() + expert * tiling.bytes + t * tiling.bytes_of_tile;
        for (std::int64_t i = 0; i < slab.inputs; ++i)
            format.encode(body, {slab.w[i], slab.real, body.outputs - from, first + i, rows}, found[i]);
    }
    for (std::int64_t i = 0; i < slab.inputs; ++i) keep(format.summary(body, found[i]), expert, first + i, body);
    if (body.dense.size() > 0) encode_dense(weights, expert, first, body, slab);
}

}  // namespace tw::effort
