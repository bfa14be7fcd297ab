// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shared by the kernels of the effort dial: their parameters, and which part of the work a block has.
#pragma once

#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/effort_contract.hpp"
#include "formats/on_device.hpp"

namespace tw::cuda::effort {

constexpr int most_products = 16;
namespace on_device = ::tw::effort::on_device;
constexpr int chunk = on_device::Planes::chunk;  ///< planes: inputs of a warp

/// What a launch is given. `ranks` are blocks of a cluster.
struct Params {
    EffortOnDevice m;
    int experts[most_products];
    const int* experts_there;  ///< in their place; null: they are known
    const float* v;
    std::int64_t v_step;
    float* y;
    std::int64_t y_step;
    std::uint32_t reached, affordable;
    bool everything;
    bool ahead;           ///< planes: load plane A before it is known which inputs need it
    bool reads_most;      ///< planes: most inputs need planes A and B
    bool is_even;         ///< planes: every 4 floats of a vector are aligned to 16 bytes
    int inputs_of_rank;   ///< planes: inputs that a rank multiplies
    int counted_of_rank;  ///< planes: inputs that a rank chooses from
    int chunks;  ///< blocks of a tile; planes: the most there can be; planes that choose: clusters that share a tile
    unsigned inverse_of_chunks;  ///< planes that choose: 2^32 / chunks rounded up, as dividing would take long
    std::uint64_t* mailboxes;    ///< buckets and tiers: for the sums of all blocks; null: too many blocks
    float scale_of_rows;         ///< buckets and tiers: v is multiplied by this in an entry
    bool is_chosen;              ///< buckets and tiers: entries and chosen are set already
    int blocks, ranks;           ///< buckets and tiers: blocks of a product; those that choose together
    EffortChosen* chosen;        ///< [products]
    EffortEntry* entries;        ///< [products][inputs]; chosen says how many are set
    float* partial;     ///< [products][chunks][tiles * outputs_of_tile]; dense runs: [products][blocks][2][256]
    unsigned* arrived;  ///< counts blocks that are done, and is left zero: [products][tiles]; planes that choose:
                        ///< [products][tiles][ranks]; dense runs: [products][blocks]
};

/// The worth of a row, from its input's key: the bits of |v| times the importance.
__device__ inline unsigned lowered(const Params& w, unsigned key, int unit) {
    return key - min(key, w.m.falls[unit] << 16);
}

/// A block's tile, chunk and product. The chunks of a tile are neighbouring blocks, so that they run at the same time.
struct BlockPlace {
    int tile, chunk, product;

    __device__ BlockPlace(int place, int tiles) : tile(place), chunk(0), product(0) {
        if (place >= tiles) tile = place % tiles, product = place / tiles;  // rare, as dividing takes long
    }

    __device__ explicit BlockPlace(const Params& w) {
        const int block = static_cast<int>(blockIdx.x);
        chunk = block % w.chunks, tile = block / w.chunks % w.m.tiles, product = block / w.chunks / w.m.tiles;
    }
};

__device__ inline const std::byte* tile_of(const Params& w, const BlockPlace& at, int expert) {
    return w.m.rows + (static_cast<std::int64_t>(expert) * w.m.tiles + at.tile) * w.m.tile_bytes;
}
__device__ inline const std::byte* tile_of(const Params& w, const BlockPlace& at) {
    return tile_of(w, at, w.experts[at.product]);
}

__device__ inline float* partial_of(const Params& w, const BlockPlace& at, int of_chunk) {
    const std::int64_t padded = static_cast<std::int64_t>(w.m.tiles) * w.m.outputs_of_tile;
    return w.partial + (static_cast<std::int64_t>(at.product) * w.chunks + of_chunk) * padded +
           at.tile * w.m.outputs_of_tile;
}

Status start_selection(const Params& w, int products, bool has_clusters, void* stream);
Status start_planes(const Params& w, int products, bool has_clusters, void* stream);
/// Clusters that share a tile in the kernel that chooses and multiplies; 0: it can't choose from so many inputs.
int clusters_of_planes(int inputs, int tiles, int processors);
Status start_planes_choosing(Params w, int products, void* stream);
/// Everything is read, once for several vectors, of a matrix without experts.
Status start_planes_whole(Params w, int products, void* stream);
/// Buckets and tiers: how many blocks choose together from so many inputs.
int ranks_of_rows(int inputs);
Status start_buckets(const Params& w, int products, void* stream);
Status start_tiers(const Params& w, int products, void* stream);
/// Bytes of w.partial that a dense product may need.
std::size_t scratch_of_dense(const EffortOnDevice& m, int products);
Status start_dense(const Params& w, int products, bool has_clusters, void* stream);

}  // namespace tw::cuda::effort
