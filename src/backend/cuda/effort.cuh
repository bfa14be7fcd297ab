// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the kernels of the effort dial share: an order as they are told it, and how the sums of chunks become y.
#pragma once

#include "backend/cuda/launch.hpp"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/effort_contract.hpp"

namespace tw::cuda::effort {

constexpr int most_products = 16;
constexpr int chunk = 128;  ///< entries that a block multiplies; of planes, inputs of a warp

struct Work {
    EffortOnDevice m;
    int experts[most_products];
    const float* v;
    std::int64_t v_step;
    float* y;
    std::int64_t y_step;
    std::uint32_t reached, affordable;
    bool everything;
    bool ahead;                     ///< planes: plane A is asked for before it is known of which inputs it is wanted
    bool is_even;                   ///< planes: four neighbours of a vector are 16 bytes at a multiple of 16
    int inputs_of_rank;             ///< planes: what a block of a cluster chooses from
    int chunks;                     ///< that there can be at most
    EffortChosenOnDevice* chosen;   ///< [products]
    EffortEntryOnDevice* entries;   ///< [products][inputs]; planes have one for each input, others those of which something is read
    float* partial;                 ///< [products][chunks][tiles * outputs_of_tile]
    unsigned* arrived;              ///< [products][tiles]: blocks that have written their sums
};

/// Which tile, chunk and product a block has: chunks are neighbours, so that a tile is done early or late as a whole.
struct Place {
    int tile, chunk, product;

    __device__ Place(int place, int tiles) : tile(place % tiles), chunk(0), product(place / tiles) {}

    __device__ explicit Place(const Work& w) {
        const int block = static_cast<int>(blockIdx.x);
        chunk = block % w.chunks, tile = block / w.chunks % w.m.tiles, product = block / w.chunks / w.m.tiles;
    }
};

__device__ inline const std::byte* tile_of(const Work& w, const Place& at) {
    return w.m.rows + (static_cast<std::int64_t>(w.experts[at.product]) * w.m.tiles + at.tile) * w.m.tile_bytes;
}

__device__ inline float* partial_of(const Work& w, const Place& at, int of_chunk) {
    const std::int64_t padded = static_cast<std::int64_t>(w.m.tiles) * w.m.outputs_of_tile;
    return w.partial + (static_cast<std::int64_t>(at.product) * w.chunks + of_chunk) * padded + at.tile * w.m.outputs_of_tile;
}

/// The entries of a warp's share of a chunk, one a lane; each is told to all lanes in turn.
struct EntriesOfWarp {
    EffortEntryOnDevice own{};
    int count;

    /// `all`: what the product has.
    __device__ EntriesOfWarp(const Work& w, const Place& at, int all) {
        const int first = at.chunk * chunk + static_cast<int>(threadIdx.x) / 32 * 32, lane = static_cast<int>(threadIdx.x) % 32;
        const EffortEntryOnDevice* entries = w.entries + static_cast<std::int64_t>(at.product) * w.m.inputs;
        if (first + lane < all) own = entries[first + lane];
        count = min(32, all - first);
    }
    /// act(input, units, v) for each, in order.
    template <class Act>
    __device__ void each(const Act& act) const {
        for (int e = 0; e < count; ++e)
            act(static_cast<std::int64_t>(__shfl_sync(~0u, own.input, e)), static_cast<int>(__shfl_sync(~0u, own.units, e)), __shfl_sync(~0u, own.v, e));
    }
};

/// The four warps' sums of a block, [position][column], become the chunk's: output o is position o % positions of column o / positions.
template <int positions>
__device__ void write_partial(const Work& w, const Place& at, const float (&sums)[4][positions][32]) {
    float* to = partial_of(w, at, at.chunk);
    for (int o = static_cast<int>(threadIdx.x); o < 32 * positions; o += 128) {
        const int position = o % positions, column = o / positions;
        to[o] = ((sums[0][position][column] + sums[1][position][column]) + sums[2][position][column]) + sums[3][position][column];
    }
}

/// After all threads have written their block's sums: the block that comes last of its tile adds the chunks', from the first to the
/// last, so the order is the same whoever is last. `is_last` is the block's own.
template <int threads>
__device__ void finish_tile(const Work& w, const Place& at, int chunks, double factor, bool* is_last) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *is_last = atomicAdd(w.arrived + at.product * w.m.tiles + at.tile, 1u) + 1 == static_cast<unsigned>(chunks);
    __syncthreads();
    if (!*is_last) return;
    __threadfence();
    const std::int64_t apart = static_cast<std::int64_t>(w.m.tiles) * w.m.outputs_of_tile;
    float* y = w.y + at.product * w.y_step;
    for (int o = 4 * static_cast<int>(threadIdx.x); o < w.m.outputs_of_tile; o += 4 * threads) {
        const float* from = partial_of(w, at, 0) + o;
        float4 sum = {0, 0, 0, 0};
#pragma unroll 16
        for (int c = 0; c < chunks; ++c) {
            const float4 x = __ldcg(reinterpret_cast<const float4*>(from + c * apart));
            sum.x = __fadd_rn(sum.x, x.x), sum.y = __fadd_rn(sum.y, x.y), sum.z = __fadd_rn(sum.z, x.z), sum.w = __fadd_rn(sum.w, x.w);
        }
        const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
        const int to = at.tile * w.m.outputs_of_tile + o;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (to + i < w.m.outputs) y[to + i] = static_cast<float>(static_cast<double>(sums[i]) * factor);
    }
}

Status start_selection(const Work& w, int products, bool has_clusters, void* stream);
Status start_planes(const Work& w, int products, bool has_clusters, void* stream);
/// What is read is chosen by `ranks` blocks a tile, of which there is a kernel: 1, 2, 4 or 6.
Status start_planes_choosing(const Work& w, int products, int ranks, void* stream);
Status start_buckets(const Work& w, int products, void* stream);
Status start_tiers(const Work& w, int products, void* stream);
Status start_dense(const Work& w, int products, bool has_clusters, void* stream);

}  // namespace tw::cuda::effort
