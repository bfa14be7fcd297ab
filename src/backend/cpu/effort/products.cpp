// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/effort/products.hpp"

#include <algorithm>
#include <cstring>

#include "base/cpu_core.hpp"
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
    void (*whole)(const EffortWholeTile&);
    Tiling tiling;
    int of_task;  ///< products that are read to the end together

    bool is_whole(int product) const noexcept { return whole && call.notes.chosen[product].fine == 2; }
    bool has_gaps(int product) const noexcept { return whole && call.notes.chosen[product].fine == 3; }
    /// Products that `first` is done with: neighbours of the same expert that are read to the end, too.
    int together(int first) const noexcept {
        int count = 1;
        if (is_whole(first))
            while (count < of_task && first + count < call.products && is_whole(first + count) &&
                   call.expert_of(first + count) == call.expert_of(first))
                ++count;
        return count;
    }
    const std::byte* rows_of(int product, std::int64_t tile) const noexcept {
        return call.matrix.rows + call.expert_of(product) * tiling.bytes + tile * tiling.bytes_of_tile;
    }
    int width_of(std::int64_t tile) const noexcept {
        const EffortBody& body = *call.matrix.body;
        return body.format->width(body, body.outputs - tile * tiling.outputs_of_tile);
    }
    /// Of the tile that comes after this one, if it is as wide: where tiles are taken in turns this thread's own next
    /// one.
    const std::byte* next_rows_of(int product, std::int64_t tile) const noexcept {
        const std::int64_t next = tile + call.threads;
        return next < tiling.tiles && width_of(next) == width_of(tile) ? rows_of(product, next) : nullptr;
    }
    void write(int product, std::int64_t tile, float* y) const noexcept {
        const std::int64_t first = tile * tiling.outputs_of_tile;
        const std::int64_t count = std::min(call.matrix.body->outputs - first, tiling.outputs_of_tile);
        const double factor = call.notes.chosen[product].factor;
        float* const to = call.y + product * call.y_step + first;
        if (factor == 1) std::memcpy(to, y, static_cast<std::size_t>(count) * sizeof(float));
        else
            for (std::int64_t o = 0; o < count; ++o) to[o] = static_cast<float>(static_cast<double>(y[o]) * factor);
    }
};

void run_tile(const Tiles& tiles, int product, std::int64_t tile) noexcept {
    const EffortCall& call = tiles.call;
    const EffortPlaced& m = call.matrix;
    const EffortBody& body = *m.body;
    const EffortChosen& chosen = call.notes.chosen[product];
    alignas(64) float y[most_outputs_of_tile] = {};
    tiles.multiply({.rows = tiles.rows_of(product, tile),
                    .inputs = body.inputs,
                    .width = tiles.width_of(tile),
                    .bucket = body.bucket,
                    .masking = m.masking,
                    .type = m.type,
                    .entries = call.notes.entries + product * body.inputs,
                    .count = chosen.entries,
                    .y = y,
                    .next_rows = tiles.next_rows_of(product, tile)});
    tiles.write(product, tile, y);
}

void run_whole_tile(const Tiles& tiles, int first, int count, std::int64_t tile) noexcept {
    const EffortBody& body = *tiles.call.matrix.body;
    alignas(64) float y[most_whole_vectors * 512];
    tiles.whole({.rows = tiles.rows_of(first, tile),
                 .inputs = body.inputs,
                 .width = tiles.width_of(tile),
                 .planes = body.units(),
                 .has_gaps = tiles.has_gaps(first),
                 .entries = tiles.call.notes.entries + first * body.inputs,
                 .count = tiles.call.notes.chosen[first].entries,
                 .vectors = count,
                 .y = y,
                 .saves_products = cpu_core().splits_vectors()});
    for (int p = 0; p < count; ++p) tiles.write(first + p, tile, y + 512 * p);
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

void multiply_tiles(const EffortCall& call, void (*multiply)(const EffortTile&),
                    void (*whole)(const EffortWholeTile&)) noexcept {
    Tiles tiles{call, multiply, whole, effort::tiling_of(*call.matrix.body), 1};
    const std::int64_t products_a_thread = call.products * tiles.tiling.tiles / std::max(1, call.threads);
    tiles.of_task = static_cast<int>(std::clamp<std::int64_t>(products_a_thread, 4, most_whole_vectors));
    run_tasks(
        call.executor, call.threads, static_cast<int>(tiles.tiling.tiles * call.products),
        [](void* context, int index) {
            const IeeeMode mode;
            const Tiles& t = *static_cast<const Tiles*>(context);
            const int product = static_cast<int>(index / t.tiling.tiles);
            const std::int64_t tile = index % t.tiling.tiles;
            int first = 0, count = t.together(0);
            while (first + count <= product) first += count, count = t.together(first);
            if (first != product) return;  // it is done with the first one
            if (t.is_whole(product) || t.has_gaps(product)) run_whole_tile(t, product, count, tile);
            else run_tile(t, product, tile);
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
