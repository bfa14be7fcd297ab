// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial's products on a CUDA device: their notes in the scratch, and their one or two launches.
#include "backend/cuda/effort.hpp"

#include <algorithm>

#include "backend/cuda/device.hpp"
#include "backend/cuda/effort.cuh"

namespace tw::cuda {
namespace {

using namespace effort;

constexpr std::size_t up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Planes: chunks of a tile. Else the blocks that share its entries out: one wave of all tiles, but none for a few entries alone.
int chunks_of(const EffortOnDevice& m) {
    if (m.layout == EffortLayout::planes) return (m.inputs + chunk - 1) / chunk;
    constexpr int blocks = 256, least_entries = 32;
    return std::clamp(blocks / m.tiles, 1, (m.inputs + least_entries - 1) / least_entries);
}

/// Of planes, clusters that share a tile; 0 where nothing is chosen by those who multiply.
int clusters_of(const EffortOnDevice& m, int products) {
    constexpr int ranks = 2;
    const int clusters = m.layout == EffortLayout::planes && (features() & feature::sm90a) ? clusters_of_planes(m.inputs, products * m.tiles, multiprocessors()) : 0;
    return products * m.tiles * ranks <= most_counters || clusters < 2 ? clusters : 0;
}

/// So many chunks are added as fast as two that depend on each other.
int chunks_of_group(const EffortOnDevice& m) {
    constexpr int at_once = 20, few = 8;
    return chunks_of(m) > at_once ? few : chunks_of(m);
}

int groups_of(const EffortOnDevice& m) { return m.layout == EffortLayout::planes ? 0 : (chunks_of(m) + chunks_of_group(m) - 1) / chunks_of_group(m); }

/// Offsets from the scratch's beginning.
struct Cut {
    std::size_t chosen, entries, partial, arrived, end;

    Cut(const EffortOnDevice& m, int products) {
        const auto count = static_cast<std::size_t>(products), inputs = static_cast<std::size_t>(m.inputs);
        const auto tiles = static_cast<std::size_t>(m.tiles), sums = tiles * static_cast<std::size_t>(m.outputs_of_tile);
        chosen = 0;
        entries = up(count * sizeof(EffortChosenOnDevice));
        partial = entries + up(count * inputs * sizeof(EffortEntryOnDevice));
        const auto parts = static_cast<std::size_t>(m.layout == EffortLayout::planes ? clusters_of(m, products) : chunks_of(m));
        arrived = partial + up(count * parts * sums * sizeof(float));
        end = arrived + up(count * tiles * static_cast<std::size_t>(1 + groups_of(m)) * sizeof(unsigned));
    }
};

std::size_t scratch_bytes(const EffortOnDevice& m, int products) { return std::max(Cut(m, products).end, scratch_of_dense(m, products)); }

EffortNotes notes_in(std::span<std::byte> scratch, const EffortOnDevice& m, int products) {
    const Cut cut(m, products);
    return {reinterpret_cast<EffortChosenOnDevice*>(scratch.data() + cut.chosen),
            reinterpret_cast<EffortEntryOnDevice*>(scratch.data() + cut.entries)};
}

/// Will most inputs have plane A read, so that it's worth asking for while the choice is being made?
bool pays_ahead(const EffortOnDevice& m, const EffortOrder& order) {
    double all = 0;
    for (int u = 0; u < m.units; ++u) all += m.weights[u];
    constexpr double least_share = 0.03;
    return order.everything || order.affordable >= least_share * all * m.inputs;
}

Status run(const EffortOnDevice& m, const EffortOrder& order, std::span<std::byte> scratch) {
    if (const Status dead = alive(); !dead) return dead;
    const int products = static_cast<int>(order.experts.size());
    const Cut cut(m, products);
    if (products < 1 || products > most_products || scratch.size() < (order.is_dense ? scratch_of_dense(m, products) : cut.end))
        return {Code::bad_argument, Argument::scratch, "an order has 1 to 16 products and scratch for all of them"};
    Work w{};
    w.m = m;
    std::copy(order.experts.begin(), order.experts.end(), w.experts);
    w.v = order.v, w.v_step = order.v_step, w.y = order.y, w.y_step = order.y_step;
    const bool has_clusters = (features() & feature::sm90a) != 0;
    if (order.is_dense) {
        w.partial = reinterpret_cast<float*>(scratch.data()), w.arrived = kept_counters(order.stream);
        return start_dense(w, products, has_clusters, order.stream);
    }

    w.reached = order.reached, w.affordable = order.affordable, w.everything = order.everything;
    w.chunks = chunks_of(m), w.of_group = chunks_of_group(m), w.groups = groups_of(m);
    const EffortNotes notes = notes_in(scratch, m, products);
    w.chosen = notes.chosen, w.entries = notes.entries;
    w.partial = reinterpret_cast<float*>(scratch.data() + cut.partial);
    w.arrived = reinterpret_cast<unsigned*>(scratch.data() + cut.arrived);
    const bool is_planes = m.layout == EffortLayout::planes;
    if (const int clusters = order.is_chosen ? 0 : clusters_of(m, products); clusters > 0) {
        w.ahead = pays_ahead(m, order);
        w.chunks = clusters, w.arrived = kept_counters(order.stream);
        return start_planes_choosing(w, products, order.stream);
    }
    if (order.is_chosen && !is_planes) {
        const cudaError_t cleared = calls().clear(w.arrived, 0, cut.end - cut.arrived, static_cast<cudaStream_t>(order.stream));
        if (const Status bad = status_of(cleared, Step::clear); !bad) return bad;
    } else if (!order.is_chosen) {
        if (const Status bad = start_selection(w, products, has_clusters, order.stream); !bad) return bad;
    }
    return m.layout == EffortLayout::buckets ? start_buckets(w, products, order.stream)
           : m.layout == EffortLayout::tiers ? start_tiers(w, products, order.stream)
                                             : start_planes(w, products, has_clusters, order.stream);
}

}  // namespace

const EffortDevice effort_device{.most_products = most_products, .scratch_bytes = scratch_bytes, .notes_in = notes_in, .run = run};

}  // namespace tw::cuda
