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

int chunks_of(const EffortOnDevice& m) { return (m.inputs + chunk - 1) / chunk; }

/// Offsets from the scratch's beginning.
struct Cut {
    std::size_t chosen, entries, partial, arrived, end;

    Cut(const EffortOnDevice& m, int products) {
        const auto count = static_cast<std::size_t>(products), inputs = static_cast<std::size_t>(m.inputs);
        const auto tiles = static_cast<std::size_t>(m.tiles), sums = tiles * static_cast<std::size_t>(m.outputs_of_tile);
        chosen = 0;
        entries = up(count * sizeof(EffortChosenOnDevice));
        partial = entries + up(count * inputs * sizeof(EffortEntryOnDevice));
        arrived = partial + up(count * static_cast<std::size_t>(chunks_of(m)) * sums * sizeof(float));
        end = arrived + up(count * tiles * sizeof(unsigned));
    }
};

std::size_t scratch_bytes(const EffortOnDevice& m, int products) { return Cut(m, products).end; }

EffortNotes notes_in(std::span<std::byte> scratch, const EffortOnDevice& m, int products) {
    const Cut cut(m, products);
    return {reinterpret_cast<EffortChosenOnDevice*>(scratch.data() + cut.chosen),
            reinterpret_cast<EffortEntryOnDevice*>(scratch.data() + cut.entries)};
}

/// Planes that most inputs will be read of: worth asking for while the choice is being made.
int planes_ahead(const EffortOnDevice& m, const EffortOrder& order) {
    if (m.layout != EffortLayout::planes) return 0;
    double all = 0;
    for (int u = 0; u < m.units; ++u) all += m.weights[u];
    const double share = order.everything ? 1 : order.affordable / (all * m.inputs);
    constexpr double first_pays = 0.1, second_pays = 0.45;
    return share >= second_pays ? 2 : share >= first_pays ? 1 : 0;
}

Status run(const EffortOnDevice& m, const EffortOrder& order, std::span<std::byte> scratch) {
    if (const Status dead = alive(); !dead) return dead;
    const int products = static_cast<int>(order.experts.size());
    const Cut cut(m, products);
    if (products < 1 || products > most_products || scratch.size() < (order.is_dense ? 0 : cut.end))
        return {Code::bad_argument, Argument::scratch, "an order has 1 to 16 products and scratch for all of them"};
    Work w{};
    w.m = m;
    std::copy(order.experts.begin(), order.experts.end(), w.experts);
    w.v = order.v, w.v_step = order.v_step, w.y = order.y, w.y_step = order.y_step;
    const bool has_clusters = (features() & feature::sm90a) != 0;
    if (order.is_dense) return start_dense(w, products, has_clusters, order.stream);

    w.reached = order.reached, w.affordable = order.affordable, w.everything = order.everything;
    w.chunks = chunks_of(m);
    w.ahead = planes_ahead(m, order);
    const EffortNotes notes = notes_in(scratch, m, products);
    w.chosen = notes.chosen, w.entries = notes.entries;
    w.partial = reinterpret_cast<float*>(scratch.data() + cut.partial);
    w.arrived = reinterpret_cast<unsigned*>(scratch.data() + cut.arrived);
    if (order.is_chosen) {
        const cudaError_t cleared = calls().clear(w.arrived, 0, cut.end - cut.arrived, static_cast<cudaStream_t>(order.stream));
        if (const Status bad = status_of(cleared, Step::clear); !bad) return bad;
    } else if (const Status bad = start_selection(w, products, has_clusters, order.stream); !bad) {
        return bad;
    }
    return m.layout == EffortLayout::buckets ? start_buckets(w, products, order.stream)
           : m.layout == EffortLayout::tiers ? start_tiers(w, products, order.stream)
                                             : start_planes(w, products, order.stream);
}

}  // namespace

const EffortDevice effort_device{.most_products = most_products, .scratch_bytes = scratch_bytes, .notes_in = notes_in, .run = run};

}  // namespace tw::cuda
