// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "formats/arrange.hpp"

#include "formats/dense.hpp"
#include "formats/on_device.hpp"
#include "formats/pieces.hpp"

namespace tw::effort {

static_assert(on_device::Dense::outputs == DenseTile::outputs, "only the last tile of the dense copy needs padding");

std::int64_t arranged_inputs(const EffortBody& body) noexcept {
    return body.format->device_inputs ? body.format->device_inputs(body.inputs) : body.inputs;
}

std::int64_t arranged_dense_tile_bytes(const EffortBody& body) noexcept {
    return DenseTile{body.inputs, on_device::Dense::outputs, static_cast<int>(size_of(body.type))}.bytes();
}

void arrange_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept {
    const Format& format = *body.format;
    const Tiling tiling = tiling_of(body);
    const std::byte* rows = body.rows.data() + expert * tiling.bytes;
    const std::int64_t first = tile * format.device_outputs(body), end = first + format.device_outputs(body);
    for (std::int64_t t = first / tiling.outputs_of_tile; t < tiling.tiles && t * tiling.outputs_of_tile < end; ++t)
        format.arrange(body, rows + t * tiling.bytes_of_tile, t, first, to);
}

void arrange_dense_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept {
    const Tiling tiling = dense_tiling_of(body);
    const std::byte* from = body.dense.data() + expert * tiling.bytes + tile * tiling.bytes_of_tile;
    const auto value_bytes = static_cast<std::int64_t>(size_of(body.type));
    const std::int64_t bytes = value_bytes * DenseTile::width_for(body.outputs - tile * tiling.outputs_of_tile);
    copy_pieces(to, value_bytes * on_device::Dense::outputs, from, bytes, bytes, body.inputs);
}

}  // namespace tw::effort
