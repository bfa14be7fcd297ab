// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The rows of the effort dial on a CUDA device: one launch a call, or two.
#include "backend/cuda/effort/effort.hpp"

#include <algorithm>
#include <cmath>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/scratch.hpp"
#include "backend/cuda/effort/effort.cuh"
#include "backend/cuda/effort/paces.hpp"

namespace tw::cuda {
namespace {

using namespace effort;

bool is_of_rows(const EffortOnDevice& m) { return m.layout != EffortLayout::planes; }

/// Buckets and tiers: blocks that choose together.
int ranks_of(const EffortOnDevice& m) {
    return is_of_rows(m) && (features() & feature::sm90a) ? ranks_of_rows(m.inputs) : 1;
}

/// Planes: chunks of a tile.
int chunks_of(const EffortOnDevice& m) { return (m.inputs + chunk - 1) / chunk; }

/// Buckets and tiers: a block for each multiprocessor, but at least one for each tile and none for only a few inputs.
int blocks_of(const EffortOnDevice& m) {
    constexpr int least_inputs = 32;
    const int ranks = ranks_of(m), useful = m.tiles * ((m.inputs + least_inputs - 1) / least_inputs);
    return std::max(std::min(multiprocessors(), useful) / ranks, m.tiles) * ranks;
}

/// Planes: clusters that share a tile; 0 where the kernel that multiplies does not choose.
int clusters_of(const EffortOnDevice& m, int products) {
    constexpr int ranks = 2;
    const int clusters = m.layout == EffortLayout::planes && (features() & feature::sm90a)
                             ? clusters_of_planes(m.inputs, products * m.tiles, multiprocessors())
                             : 0;
    return products * m.tiles * ranks <= most_counters || clusters < 2 ? clusters : 0;
}

/// Bytes for the sums that blocks leave for others to add up.
std::size_t bytes_of_parts(const EffortOnDevice& m, int products, int parts) {
    return static_cast<std::size_t>(products) * static_cast<std::size_t>(parts) *
           static_cast<std::size_t>(m.outputs_of_tile) * sizeof(float);
}

std::size_t scratch_of_rows(const EffortPlaced& m, int products) { return bytes_of_parts(m, products, blocks_of(m)); }

std::size_t scratch_of_planes(const EffortPlaced& m, int products) {
    return bytes_of_parts(m, products, m.tiles * clusters_of(m, products));
}

std::size_t scratch_of_dense_copy(const EffortPlaced& m, int products) { return scratch_of_dense(m, products); }

/// The share of all planes that is read.
double share_of(const EffortCall& call) {
    const EffortOnDevice& m = call.matrix;
    double all = 0;
    for (int u = 0; u < m.units; ++u) all += m.weights[u];
    return call.everything ? 1 : call.affordable / (all * m.inputs);
}

constexpr Status experts_there{
    Code::unsupported, Argument::options,
    "experts in a device's memory are taken by planes of at most 16384 inputs, on a chip with Hopper's instructions"};

/// The parameters that all kernels have.
Status describe(const EffortCall& call, std::size_t scratch, Params& w) {
    if (const Status dead = alive(); !dead) return dead;
    if (call.products < 1 || call.products > most_products || call.scratch.size() < scratch)
        return {Code::bad_argument, Argument::scratch, "a call must have 1 to 16 products and scratch for all of them"};
    w.m = call.matrix;
    std::copy(call.experts.begin(), call.experts.end(), w.experts), w.experts_there = call.experts_there;
    w.v = call.v, w.v_step = call.v_step, w.y = call.y, w.y_step = call.y_step;
    w.reached = call.reached, w.affordable = call.affordable, w.everything = call.everything;
    w.chosen = call.notes.chosen, w.entries = call.notes.entries;
    w.partial = reinterpret_cast<float*>(call.scratch.data()), w.arrived = kept_counters(call.stream);
    return {};
}

bool has_clusters() { return (features() & feature::sm90a) != 0; }

Status run_dense(const EffortCall& call) {
    if (call.experts_there) return experts_there;
    Params w{};
    if (const Status bad = describe(call, scratch_of_dense(call.matrix, call.products), w); !bad) return bad;
    return start_dense(w, call.products, has_clusters(), call.stream);
}

template <Status (*start)(const Params&, int, void*)>
Status run_rows(const EffortCall& call) {
    if (call.experts_there) return experts_there;
    const EffortOnDevice& m = call.matrix;
    Params w{};
    if (const Status bad = describe(call, scratch_of_rows(call.matrix, call.products), w); !bad) return bad;
    w.blocks = blocks_of(m), w.ranks = ranks_of(m), w.is_chosen = call.is_chosen;
    w.scale_of_rows = std::ldexp(1.f, -m.exponent_of_rows);
    w.is_even = m.inputs % 4 == 0 && w.v_step % 4 == 0 && reinterpret_cast<std::uintptr_t>(w.v) % 16 == 0;
    if (call.products * w.blocks * m.outputs_of_tile / 2 <= most_mailboxes) w.mailboxes = kept_mailboxes(call.stream);
    return start(w, call.products, call.stream);
}

/// Whether planes are read by whole_sm90.cu: with fewer chunks a block has too few at a time to hide what it does with
/// each (an H200: 28672 x 4096 34.3 us instead of 35.5, and 41.3 instead of 67.8 for two vectors; 6144 x 4096 14.4
/// instead of 12.5). A matrix of experts keeps the bits that it has where only the device knows them.
bool is_whole(const EffortCall& call) {
    constexpr int least_chunks = 20;  // of a multiprocessor
    const EffortOnDevice& m = call.matrix;
    return call.everything && !call.is_chosen && m.experts == 1 && (features() & feature::sm90a) &&
           m.tiles * chunks_of(m) >= least_chunks * multiprocessors() && kept_mailboxes(call.stream) != nullptr;
}

/// One launch for up to four vectors where everything is read, or where the blocks that multiply can choose; else two.
Status run_planes(const EffortCall& call) {
    const EffortOnDevice& m = call.matrix;
    Params w{};
    if (const Status bad = describe(call, scratch_of_planes(call.matrix, call.products), w); !bad) return bad;
    if (is_whole(call)) return start_planes_whole(w, call.products, call.stream);
    if (const int clusters = call.is_chosen ? 0 : clusters_of(m, call.products); clusters > 0) {
        const double share = share_of(call);
        constexpr double least_ahead = .03, least_of_most = .23;  // from these on it was faster, on an H200
        w.ahead = share >= least_ahead, w.reads_most = share >= least_of_most, w.chunks = clusters;
        return start_planes_choosing(w, call.products, call.stream);
    }
    if (call.experts_there) return experts_there;
    w.chunks = chunks_of(m);
    if (!call.is_chosen)
        if (const Status bad = start_selection(w, call.products, has_clusters(), call.stream); !bad) return bad;
    return start_planes(w, call.products, has_clusters(), call.stream);
}

/// Kernels count a tile's bytes and the outputs in 32 bits.
bool takes(const EffortProblem& p) { return p.inputs * 3 <= INT32_MAX / 512 && p.outputs <= INT32_MAX / 2; }

using Nanoseconds = double(const EffortProblem&);
using ScratchBytes = std::size_t(const EffortPlaced&, int products);

constexpr EffortKernel row(const char* name, EffortLayout layout, Nanoseconds nanoseconds, ScratchBytes scratch_bytes,
                           Status (*run)(const EffortCall&), bool is_dense = false) {
    return {.name = name,
            .kernels = "cuda",
            .layout = layout,
            .is_dense = is_dense,
            .arranged = true,
            .chooses = true,
            .takes_every_input = true,
            .most_products = most_products,
            .takes = takes,
            .nanoseconds = nanoseconds,
            .scratch_bytes = scratch_bytes,
            .run = run};
}

double dense_nanoseconds(const EffortProblem& p) { return nanoseconds_of_dense(dense_on_h200, p); }
template <const auto& pace>
double nanoseconds(const EffortProblem& p) {
    return nanoseconds_of_rows(pace, p);
}

constexpr EffortKernel dense = row("effort_dense", {}, dense_nanoseconds, scratch_of_dense_copy, run_dense, true);
constexpr EffortKernel buckets = row("effort_buckets", EffortLayout::buckets, nanoseconds<buckets_on_h200>,
                                     scratch_of_rows, run_rows<start_buckets>);
constexpr EffortKernel tiers =
    row("effort_tiers", EffortLayout::tiers, nanoseconds<tiers_on_h200>, scratch_of_rows, run_rows<start_tiers>);
constexpr EffortKernel planes =
    row("effort_planes", EffortLayout::planes, nanoseconds<planes_on_h200>, scratch_of_planes, run_planes);

}  // namespace

const EffortKernel* const effort_rows[effort_row_count] = {&dense, &buckets, &tiers, &planes};

}  // namespace tw::cuda
