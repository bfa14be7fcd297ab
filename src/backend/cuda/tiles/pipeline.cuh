// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ring of tiles that r9 and r10 share: one thread of a producer warpgroup fills stages by TMA,
// consumer warpgroups of 64 rows each empty them, and two barriers a stage say which is which.
//
//    producer:   wait empty[s], announce the bytes at full[s], copy A's and B's boxes   -> next stage
//    consumers:  wait full[s], multiply, arrive at empty[s]                             -> next stage
//
// Blocks of a cluster stand below each other: they share B's tile, each fetches its part of it for all.
#pragma once

#include <cuda.h>

#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/ptx/wgmma.cuh"

namespace tw::cuda {

/// A stage holds `PARTS` sub-tiles of each operand, whose rows are one atom of the swizzle: 128 bytes, or 64 where
/// there are three of them.
template <int BM_, int BN_, int STAGES_, int CLUSTER_, int staging_bytes_ = 0, int PARTS_ = 1>
struct Pipeline {
    static constexpr int BM = BM_, BN = BN_, STAGES = STAGES_, CLUSTER = CLUSTER_, PARTS = PARTS_;
    static constexpr int consumers = BM / 64, threads = 128 * (consumers + 1);
    static constexpr int row_bytes = PARTS == 1 ? 128 : 64, row_elements = row_bytes / 2;
    static constexpr int a_bytes = BM * row_bytes * PARTS, b_bytes = BN * row_bytes * PARTS,
                         stage_bytes = a_bytes + b_bytes;
    static constexpr int staging = STAGES * stage_bytes, barriers = staging + staging_bytes_;
    static constexpr std::size_t shared = barriers + 16 * STAGES + 1024;  // 1024: to start on a multiple of it
    static constexpr int producer_registers = consumers == 1 ? 40 : 24, consumer_registers = 240;
    static constexpr int b_share = BN / CLUSTER;  // rows of B that each block of the cluster fetches

    std::uint32_t base;

    __device__ explicit Pipeline(const void* shared_memory)
        : base((ptx::shared_address(shared_memory) + 1023) & ~1023u) {}

    __device__ std::uint32_t a_tile(int stage, int part = 0) const {
        return base + stage * stage_bytes + part * BM * row_bytes;
    }
    __device__ std::uint32_t b_tile(int stage, int part = 0) const {
        return base + stage * stage_bytes + a_bytes + part * BN * row_bytes;
    }
    __device__ std::uint32_t full(int stage) const { return base + barriers + 8 * stage; }
    __device__ std::uint32_t empty(int stage) const { return full(STAGES) + 8 * stage; }

    /// By every thread; `maps`: those of all that will be copied.
    template <class... Maps>
    __device__ void init(const Maps&... maps) const {
        if (threadIdx.x == 0) {
            (ptx::prefetch_map(maps), ...);
            for (int s = 0; s < STAGES; ++s) {
                ptx::init_barrier(full(s), 1);
                ptx::init_barrier(empty(s), consumers * CLUSTER);
            }
            ptx::publish_barriers();
        }
        if constexpr (CLUSTER > 1) arrive_all(), wait_for_all();
        else __syncthreads();
    }
    /// By every thread of a cluster; between the two it does what the other blocks neither see nor disturb.
    __device__ static void arrive_all() {
        if constexpr (CLUSTER > 1) ptx::arrive_at_cluster();
    }
    __device__ static void wait_for_all() {
        if constexpr (CLUSTER > 1) ptx::wait_for_cluster();
    }
    __device__ static int rank() {
        if constexpr (CLUSTER > 1) return ptx::rank_in_cluster();
        else return 0;
    }

    /// By one thread of each consumer: the stage may be filled again, in every block that it was filled for.
    __device__ void release(int stage, int thread) const {
        if constexpr (CLUSTER > 1) {
            if (thread < CLUSTER) ptx::arrive_at(empty(stage), thread);
        } else if (thread == 0) {
            ptx::arrive(empty(stage));
        }
    }
};

/// Where in the ring a thread stands.
template <int STAGES>
struct Turn {
    int stage = 0;
    std::uint32_t parity = 0;

    __device__ void next() {
        if (++stage == STAGES) stage = 0, parity ^= 1;
    }
};

/// The order of tiles: `group` rows of tiles are walked column by column, so that what is read again is still in the
/// L2. A row of tiles is CLUSTER blocks high.
struct Raster {
    int down, across, group;

    __host__ __device__ int count() const { return down * across; }
    __host__ __device__ void place(int tile, int& row, int& col) const {
        const int of_group = group * across, first = tile / of_group * group, inside = tile % of_group;
        const int size = down - first < group ? down - first : group;
        row = first + inside % size, col = inside / size;
    }
};

/// All that the producer of operands along k does. `steps` stages a tile; before(row of A, row of B) comes in front of
/// a tile's first copies.
template <class P, class Before>
__device__ void produce(const P& pipe, const CUtensorMap& a, const CUtensorMap& b, const Raster& raster, int steps,
                        const Before& before) {
    constexpr std::uint16_t everybody = (1 << P::CLUSTER) - 1;
    const int rank = P::rank(), clusters = static_cast<int>(gridDim.x) / P::CLUSTER;
    Turn<P::STAGES> turn;
    for (int tile = static_cast<int>(blockIdx.x) / P::CLUSTER; tile < raster.count(); tile += clusters) {
        int row, col;
        raster.place(tile, row, col);
        const int first_row = (row * P::CLUSTER + rank) * P::BM, first_col = col * P::BN + rank * P::b_share;
        before(first_row, first_col);
        for (int step = 0; step < steps; ++step, turn.next()) {
            const std::uint32_t full = pipe.full(turn.stage);
            ptx::wait_barrier(pipe.empty(turn.stage), turn.parity ^ 1);
            ptx::expect_bytes(full, P::stage_bytes);
#pragma unroll
            for (int part = 0; part < P::PARTS; ++part) {
                const int k = (step * P::PARTS + part) * P::row_elements;
                const std::uint32_t share = pipe.b_tile(turn.stage, part) + rank * P::b_share * P::row_bytes;
                ptx::load_box(pipe.a_tile(turn.stage, part), a, full, k, first_row);
                if constexpr (P::CLUSTER > 1) ptx::load_box_to_all(share, b, full, everybody, k, first_col);
                else ptx::load_box(share, b, full, k, first_col);
            }
        }
    }
}

}  // namespace tw::cuda
