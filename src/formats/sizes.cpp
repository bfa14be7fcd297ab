// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <numeric>

#include "formats/body.hpp"
#include "formats/dense.hpp"

namespace tw::effort {
namespace {

/// `bytes_for(outputs)` is the size of a tile when so many outputs are left.
template <class BytesFor>
Tiling cut(std::int64_t outputs, std::int64_t of_tile, const BytesFor& bytes_for) noexcept {
    const std::int64_t tiles = (outputs + of_tile - 1) / of_tile, whole = bytes_for(of_tile);
    return {of_tile, tiles, whole, (tiles - 1) * whole + bytes_for(outputs - (tiles - 1) * of_tile)};
}

}  // namespace

Tiling tiling_of(const EffortBody& body) noexcept {
    const Format& format = *body.format;
    return cut(body.outputs, format.outputs_of_tile(body.bucket),
               [&](std::int64_t left) { return format.tile_bytes(body, format.width(body, left)); });
}

Tiling dense_tiling_of(const EffortBody& body) noexcept {
    const int value_bytes = static_cast<int>(size_of(body.type));
    return cut(body.outputs, DenseTile::outputs, [&](std::int64_t left) {
        return DenseTile{body.inputs, DenseTile::width_for(left), value_bytes}.bytes();
    });
}

std::int64_t bytes_of_unit(const EffortBody& body, int unit) noexcept { return body.format->unit_bytes(body, unit); }

UnitWeights::UnitWeights(const EffortBody& body) noexcept {
    for (int u = 0; u < body.units(); ++u) common = std::gcd(common, bytes_of_unit(body, u));
    for (int u = 0; u < body.units(); ++u) of_unit[u] = static_cast<std::uint32_t>(bytes_of_unit(body, u) / common);
}

std::int64_t bytes_of_all(const EffortBody& body) noexcept {
    std::int64_t of_an_input = 0;
    for (int u = 0; u < body.units(); ++u) of_an_input += bytes_of_unit(body, u);
    return of_an_input * body.inputs;
}

Sizes sizes_of(const EffortBody& body, bool with_dense) noexcept {
    const std::int64_t words = body.experts * body.inputs * 4;
    const bool has_gains = body.format->has_gains;
    return {body.experts * tiling_of(body).bytes,
            words * (body.units() + 1),
            has_gains ? words * body.units() : 0,
            has_gains ? words : 0,
            with_dense ? body.experts * dense_tiling_of(body).bytes : 0,
            words};
}

const char* refusal_of_shape(std::int64_t outputs, std::int64_t inputs, std::int64_t experts) noexcept {
    if (outputs < 1 || inputs < 1) return "a matrix with an effort dial needs at least one output and one input";
    if (experts < 1 || experts > most_experts) return "there must be 1 to 4096 experts";
    if (outputs > most_outputs || inputs > most_inputs)
        return "a matrix with an effort dial may have at most 2^24 outputs and 2^24 inputs";
    if (outputs * inputs > most_values / experts) return "a matrix with an effort dial may have at most 2^38 values";
    return nullptr;
}

}  // namespace tw::effort
