// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/effort/products.hpp"

#include <algorithm>
#include <cstring>

#include "base/float_mode.hpp"
#include "base/threads.hpp"
#include "formats/body.hpp"
#include "formats/dense.hpp"

namespace tw::cpu {
namespace {

using effort::DenseTile;
using effort::Tiling;

static_assert(effort::most_outputs_of_tile <= most_outputs_of_tile);

struct Tiles {
    const EffortCall& call;
    void (*multiply)(const EffortTile&);
    Tiling tiling;
};

void run_tile(const Tiles& tiles, int product, std::int64_t tile) noexcept {
    const EffortCall& call = tiles.call;
    const EffortPlaced& m = call.matrix;
    const EffortBody& body = *m.body;
    const EffortChosen& chosen = call.notes.chosen[product];
    const std::int64_t first = tile * tiles.tiling.outputs_of_tile, left = body.outputs - first;
    alignas(64) float y[most_outputs_of_tile] = {};
    tiles.multiply({.rows = m.rows + call.expert_of(product) * tiles.tiling.bytes + tile * tiles.tiling.bytes_of_tile,
                    .inputs = body.inputs,
                    .width = body.format->width(body, left),
                    .bucket = body.bucket,
                    .masking = m.masking,
                    .fine = chosen.fine != 0,
                    .type = m.type,
                    .entries = call.notes.entries + product * body.inputs,
                    .count = chosen.entries,
                    .y = y});
    if (chosen.factor != 1)
        for (float& sum : y) sum = static_cast<float>(static_cast<double>(sum) * chosen.factor);
    std::memcpy(call.y + product * call.y_step + first, y,
                static_cast<std::size_t>(std::min(left, tiles.tiling.outputs_of_tile)) * sizeof(float));
}

struct DenseTiles {
    const EffortCall& call;
    void (*multiply)(const EffortDenseTile&);
    Tiling tiling;
};

/// One tile of all products, up to eight of one expert at a time.
void run_dense_tile(const DenseTiles& tiles, std::int64_t tile) noexcept {
    const EffortCall& call = tiles.call;
    const EffortPlaced& m = call.matrix;
    const std::int64_t first = tile * DenseTile::outputs, left = m.outputs - first;
    const auto bytes = static_cast<std::size_t>(std::min(left, DenseTile::outputs)) * sizeof(float);
    alignas(64) float sums[DenseTile::outputs * most_dense_vectors];
    for (int begin = 0, end; begin < call.products; begin = end) {
        const int expert = call.expert_of(begin);
        end = begin + 1;
        while (end < call.products && end - begin < most_dense_vectors && call.expert_of(end) == expert) ++end;
        const std::byte* rows = m.dense + expert * tiles.tiling.bytes + tile * tiles.tiling.bytes_of_tile;
        tiles.multiply({rows, m.inputs, DenseTile::width_for(left), m.type, call.v + begin * call.v_step, call.v_step,
                        end - begin, sums});
        for (int p = begin; p < end; ++p)
            std::memcpy(call.y + p * call.y_step + first, sums + DenseTile::outputs * (p - begin), bytes);
    }
}

}  // namespace

void multiply_tiles(const EffortCall& call, void (*multiply)(const EffortTile&)) noexcept {
    Tiles tiles{call, multiply, effort::tiling_of(*call.matrix.body)};
    run_tasks(
        call.executor, call.threads, static_cast<int>(tiles.tiling.tiles * call.products),
        [](void* context, int index) {
            const IeeeMode mode;
            const Tiles& t = *static_cast<const Tiles*>(context);
            run_tile(t, static_cast<int>(index / t.tiling.tiles), index % t.tiling.tiles);
        },
        &tiles);
}

void multiply_densely(const EffortCall& call, void (*multiply)(const EffortDenseTile&)) noexcept {
    DenseTiles tiles{call, multiply, effort::dense_tiling_of(*call.matrix.body)};
    run_tasks(
        call.executor, call.threads, static_cast<int>(tiles.tiling.tiles),
        [](void* context, int tile) {
            const IeeeMode mode;
            run_dense_tile(*static_cast<const DenseTiles*>(context), tile);
        },
        &tiles);
}

}  // namespace tw::cpu
