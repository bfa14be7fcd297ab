// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial's products on a CUDA device: their notes in the scratch, and their one or two launches.
#include "backend/cuda/effort/effort.hpp"

#include <algorithm>
#include <cmath>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/scratch.hpp"
#include "backend/cuda/effort/effort.cuh"

namespace tw::cuda {
namespace {

using namespace effort;

constexpr std::size_t up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

bool is_of_rows(const EffortOnDevice& m) { return m.layout != EffortLayout::planes; }

/// Of buckets and tiers, blocks that choose as one.
int ranks_of(const EffortOnDevice& m) {
    return is_of_rows(m) && (features() & feature::sm90a) ? ranks_of_rows(m.inputs) : 1;
}

/// Of planes, chunks of a tile.
int chunks_of(const EffortOnDevice& m) { return (m.inputs + chunk - 1) / chunk; }

/// Of buckets and tiers: a block for each multiprocessor, or for each tile, but none for a few inputs alone.
int blocks_of(const EffortOnDevice& m) {
    constexpr int least_inputs = 32;
    const int ranks = ranks_of(m), useful = m.tiles * ((m.inputs + least_inputs - 1) / least_inputs);
    return std::max(std::min(multiprocessors(), useful) / ranks, m.tiles) * ranks;
}

/// Of planes, clusters that share a tile; 0 where nothing is chosen by those who multiply.
int clusters_of(const EffortOnDevice& m, int products) {
    constexpr int ranks = 2;
    const int clusters = m.layout == EffortLayout::planes && (features() & feature::sm90a)
                             ? clusters_of_planes(m.inputs, products * m.tiles, multiprocessors())
                             : 0;
    return products * m.tiles * ranks <= most_counters || clusters < 2 ? clusters : 0;
}

/// Offsets from the scratch's beginning.
struct Cut {
    std::size_t chosen, entries, partial, end;

    Cut(const EffortOnDevice& m, int products) {
        const auto count = static_cast<std::size_t>(products), inputs = static_cast<std::size_t>(m.inputs);
        chosen = 0;
        entries = up(count * sizeof(EffortChosenOnDevice));
        partial = entries + up(count * inputs * sizeof(EffortEntry));
        const int parts = is_of_rows(m) ? blocks_of(m) : m.tiles * clusters_of(m, products);
        end = partial +
              up(count * static_cast<std::size_t>(parts) * static_cast<std::size_t>(m.outputs_of_tile) * sizeof(float));
    }
};

std::size_t scratch_bytes(const EffortOnDevice& m, int products) {
    return std::max(Cut(m, products).end, scratch_of_dense(m, products));
}

EffortNotes notes_in(std::span<std::byte> scratch, const EffortOnDevice& m, int products) {
    const Cut cut(m, products);
    return {reinterpret_cast<EffortChosenOnDevice*>(scratch.data() + cut.chosen),
            reinterpret_cast<EffortEntry*>(scratch.data() + cut.entries)};
}

/// Of all planes, which part is read.
double share_of(const EffortOnDevice& m, const EffortOrder& order) {
    double all = 0;
    for (int u = 0; u < m.units; ++u) all += m.weights[u];
    return order.everything ? 1 : order.affordable / (all * m.inputs);
}

Status run(const EffortOnDevice& m, const EffortOrder& order, std::span<std::byte> scratch) {
    if (const Status dead = alive(); !dead) return dead;
    const int products = static_cast<int>(order.experts.size());
    const Cut cut(m, products);
    if (products < 1 || products > most_products ||
        scratch.size() < (order.is_dense ? scratch_of_dense(m, products) : cut.end))
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
    const EffortNotes notes = notes_in(scratch, m, products);
    w.chosen = notes.chosen, w.entries = notes.entries;
    w.partial = reinterpret_cast<float*>(scratch.data() + cut.partial), w.arrived = kept_counters(order.stream);
    if (is_of_rows(m)) {
        w.blocks = blocks_of(m), w.ranks = ranks_of(m), w.is_chosen = order.is_chosen,
        w.scale_of_rows = std::ldexp(1.f, -m.exponent_of_rows);
        w.is_even = m.inputs % 4 == 0 && w.v_step % 4 == 0 && reinterpret_cast<std::uintptr_t>(w.v) % 16 == 0;
        if (products * w.blocks * m.outputs_of_tile / 2 <= most_mailboxes) w.letters = kept_mailboxes(order.stream);
        return m.layout == EffortLayout::buckets ? start_buckets(w, products, order.stream)
                                                 : start_tiers(w, products, order.stream);
    }
    if (const int clusters = order.is_chosen ? 0 : clusters_of(m, products); clusters > 0) {
        const double share = share_of(m, order);
        constexpr double least_ahead = .03, least_of_most = .23;  // from which on it was quicker, on an H200
        w.ahead = share >= least_ahead, w.reads_most = share >= least_of_most, w.chunks = clusters;
        return start_planes_choosing(w, products, order.stream);
    }
    w.chunks = chunks_of(m);
    if (!order.is_chosen)
        if (const Status bad = start_selection(w, products, has_clusters, order.stream); !bad) return bad;
    return start_planes(w, products, has_clusters, order.stream);
}

}  // namespace

const EffortDevice effort_device{
    .most_products = most_products, .scratch_bytes = scratch_bytes, .notes_in = notes_in, .run = run};

}  // namespace tw::cuda
