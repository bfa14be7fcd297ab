// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ring of few_rows_turned: low tiles of weights, each with what the few rows have of the same k, as TMA fills it
// and the unit reads it. How long it is, and how high a tile, is known when it is launched.
#pragma once

#include <cuda.h>

#include "backend/cuda/few/batch.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"
#include "backend/cuda/ptx/wgmma_narrow.cuh"

namespace tw::cuda::turned {

using ptx::Major;

inline constexpr int consumers = 128, threads = consumers + 32;
inline constexpr int DEEP = 2;            // times 64 of k a stage
inline constexpr int rows_of_unit = 64;   // of weights
inline constexpr int behind_ring = 8192;  // what the unit reads below a low tile, and does not use; finished sums

/// The ring, and what is left of k and of the weights to each block.
struct Ring {
    int height, tokens, tiles, steps, stages;  ///< height: of a tile, rows of weights

    __host__ __device__ int weights_bytes() const { return height * 128; }  ///< of 64 of k
    __host__ __device__ int part_bytes() const { return weights_bytes() + (tokens + 7) / 8 * 1024; }
    __host__ __device__ int stage_bytes() const { return DEEP * part_bytes(); }
    __host__ __device__ int barriers() const { return stages * stage_bytes() + behind_ring; }
    __host__ __device__ int shared() const { return barriers() + 16 * stages + 1024; }  // to start on a multiple of it
    __device__ std::uint32_t full(std::uint32_t base, int stage) const { return base + barriers() + 16 * stage; }
    __device__ std::uint32_t empty(std::uint32_t base, int stage) const { return full(base, stage) + 8; }

    /// As Turn::next() does, in a ring whose length is known when it is launched.
    __device__ void next(int& stage, std::uint32_t& parity) const {
        if (++stage == stages) stage = 0, parity ^= 1;
    }
};

/// Where 64 of k of a tile begin, as their map counts.
template <Major major>
__device__ int2 place_of(int tile_row, int k) {
    return major == Major::k ? int2{k, tile_row} : int2{tile_row, k};
}

/// All that the producer does.
template <Major major>
__device__ void fetch(const Ring& ring, const CUtensorMap& weights, const CUtensorMap& tokens,
                      const FewRowsPlace& place, std::uint32_t base) {
    const std::uint64_t once = ptx::leaves_l2_first();
    int stage = 0;
    std::uint32_t parity = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < ring.tiles; tile += static_cast<int>(gridDim.x))
        for (int step = 0; step < ring.steps; ++step, ring.next(stage, parity)) {
            const std::uint32_t full = ring.full(base, stage);
            ptx::wait_barrier(ring.empty(base, stage), parity ^ 1);
            ptx::expect_bytes(full, DEEP * (ring.weights_bytes() + ring.tokens * 128));
#pragma unroll
            for (int part = 0; part < DEEP; ++part) {
                const std::uint32_t to = base + stage * ring.stage_bytes() + part * ring.part_bytes();
                const int k = (step * DEEP + part) * 64;
                const int2 at = place_of<major>(tile * ring.height, k);
                if (place.many) {
                    ptx::load_box(to, weights, full, at.x, at.y, place.weights);
                    ptx::load_box(to + ring.weights_bytes(), tokens, full, k, 0, place.tokens);
                } else {
                    ptx::load_box(to, weights, full, at.x, at.y, once);
                    ptx::load_box(to + ring.weights_bytes(), tokens, full, k, 0);
                }
            }
        }
}

/// By one thread, before the kernel in front has ended.
template <Major major>
__device__ void prepare(const Ring& ring, const CUtensorMap& weights, const CUtensorMap& tokens, std::uint32_t base) {
    ptx::prefetch_map(weights);
    ptx::prefetch_map(tokens);
    for (int s = 0; s < ring.stages; ++s) {
        ptx::init_barrier(ring.full(base, s), 1);
        ptx::init_barrier(ring.empty(base, s), 1);
    }
    ptx::publish_barriers();
    if (gridDim.y > 1) return;
    for (int part = 0; part < DEEP * min(ring.stages, ring.steps); ++part) {
        const int2 at = place_of<major>(static_cast<int>(blockIdx.x) * ring.height, part * 64);
        ptx::prefetch_box(weights, at.x, at.y);
    }
}

}  // namespace tw::cuda::turned
