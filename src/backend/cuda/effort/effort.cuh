// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the kernels of the effort dial share: an order as they are told it, and which part of it a block has.
#pragma once

#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/effort_contract.hpp"
#include "formats/on_device.hpp"

namespace tw::cuda::effort {

constexpr int most_products = 16;
namespace on_device = ::tw::effort::on_device;
constexpr int chunk = on_device::Planes::chunk;  ///< of planes, inputs of a warp

struct Work {
    EffortOnDevice m;
    int experts[most_products];
    const float* v;
    std::int64_t v_step;
    float* y;
    std::int64_t y_step;
    std::uint32_t reached, affordable;
    bool everything;
    bool ahead;           ///< planes: plane A is asked for before it is known of which inputs it is wanted
    bool reads_most;      ///< planes: of most inputs planes A and B are read
    bool is_even;         ///< planes: four neighbours of a vector are 16 bytes at a multiple of 16
    int inputs_of_rank;   ///< planes: that a block of a cluster multiplies
    int counted_of_rank;  ///< planes: that it chooses from
    int chunks;  ///< of a tile, a block each; of planes as many as there can be; of planes that choose, clusters that
                 ///< share a tile
    unsigned inverse_of_chunks;  ///< planes that choose: 2^32 over those, rounded up; a division would take long
    std::uint64_t* letters;      ///< of buckets and tiers, where there is room for what all blocks have
    float scale_of_rows;         ///< buckets and tiers: what v is times in an entry
    bool is_chosen;              ///< buckets and tiers: entries and chosen are there already
    int blocks, ranks;           ///< buckets and tiers: of a product, and those of them that choose together
    EffortChosen* chosen;        ///< [products]
    EffortEntry* entries;        ///< [products][inputs]; as many are there as chosen says
    float* partial;     ///< [products][chunks][tiles * outputs_of_tile]; of dense runs [products][blocks][2][256]
    unsigned* arrived;  ///< left as zeros: blocks that are done, of planes that choose [products][tiles][ranks], of
                        ///< others [products][tiles], of dense runs [products][blocks]
};

/// What a row of a unit is worth, from the bits of |v| times the importance of its input.
__device__ inline unsigned lowered(const Work& w, unsigned key, int unit) {
    return key - min(key, w.m.falls[unit] << 16);
}

/// Which tile, chunk and product a block has: chunks are neighbours, so that a tile is done early or late as a whole.
struct Place {
    int tile, chunk, product;

    __device__ Place(int place, int tiles) : tile(place), chunk(0), product(0) {
        if (place >= tiles) tile = place % tiles, product = place / tiles;  // seldom: that takes long
    }

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
    return w.partial + (static_cast<std::int64_t>(at.product) * w.chunks + of_chunk) * padded +
           at.tile * w.m.outputs_of_tile;
}

Status start_selection(const Work& w, int products, bool has_clusters, void* stream);
Status start_planes(const Work& w, int products, bool has_clusters, void* stream);
/// Clusters that share a tile where what is read is chosen by those who multiply it; 0: there are more inputs than they
/// can choose from.
int clusters_of_planes(int inputs, int tiles, int processors);
Status start_planes_choosing(Work w, int products, void* stream);
/// Of buckets and tiers: blocks that choose from so many inputs as one.
int ranks_of_rows(int inputs);
Status start_buckets(const Work& w, int products, void* stream);
Status start_tiers(const Work& w, int products, void* stream);
/// Bytes of w.partial that a dense product may need.
std::size_t scratch_of_dense(const EffortOnDevice& m, int products);
Status start_dense(const Work& w, int products, bool has_clusters, void* stream);

}  // namespace tw::cuda::effort
