// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What comes to a warp that reads whole planes: chunk after chunk by bulk copies, each when its place is free, and the
// part of the vectors that belongs to it.
#pragma once

#include "backend/cuda/effort/planes/whole_chunk.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"

namespace tw::cuda::effort::whole {

using of_planes::LaneInputs;
using of_planes::Rows;

/// A warp's chunks, one after the other: their tile, and their first input.
struct Place {
    int tile, input, left;  ///< left: chunks from this one on

    __device__ void step(int inputs) {
        --left;
        for (input += warps * chunk; input >= inputs; input -= inputs) ++tile;
    }
};

/// What a warp asks for: fronts, and steps of the ring, each when its place is free. One lane does it.
template <int vectors>
struct Feed {
    static constexpr int slots = slots_of(vectors);
    const Params& w;
    std::uint32_t front, ring, front_here, here;
    Place of_front, of_ring;
    int part = 0, slot = 0;
    std::uint64_t policy = ptx::leaves_l2_first();

    __device__ Feed(const Params& params, WarpMemory<vectors>& memory, const Place& first)
        : w(params),
          front(ptx::shared_address(memory.a)),
          ring(ptx::shared_address(memory.ring)),
          front_here(ptx::shared_address(&memory.front_here)),
          here(ptx::shared_address(memory.here)),
          of_front(first),
          of_ring(first) {}

    __device__ Rows rows_at(const Place& at) const {
        return Rows(w.m.rows + at.tile * w.m.tile_bytes, w.m.inputs_apart, at.input);
    }
    __device__ void ask_front() {
        if (of_front.left <= 0) return;
        ptx::expect_bytes(front_here, of_planes::bytes_of_front);
        ptx::load_bytes(front, rows_at(of_front).front, of_planes::bytes_of_front, front_here, policy);
        of_front.step(w.m.inputs_apart);
    }
    __device__ void ask_step() {
        if (of_ring.left <= 0) return;
        const Rows from = rows_at(of_ring);
        ptx::expect_bytes(here + 8 * slot, step_bytes);
        ptx::load_bytes(ring + slot * step_bytes, part == 0 ? from.b : from.c + (part - 1) * step_bytes, step_bytes,
                        here + 8 * slot, policy);
        if (++slot == slots) slot = 0;
        if (++part == parts) part = 0, of_ring.step(w.m.inputs_apart);
    }
};

/// Four neighbouring inputs of a vector, past L1, which may hold old values; zero where there are none.
__device__ inline float4 four_of(const Params& w, const float* vector, int first) {
    const int there = w.m.inputs - first;
    const float* from = vector + first;
    if (w.is_even && there > 0) return __ldcg(reinterpret_cast<const float4*>(from));
    return {there > 0 ? __ldcg(from) : 0.f, there > 1 ? __ldcg(from + 1) : 0.f, there > 2 ? __ldcg(from + 2) : 0.f,
            there > 3 ? __ldcg(from + 3) : 0.f};
}

/// What a lane multiplies of its chunk.
template <int vectors>
struct LaneVectors {
    float4 v[vectors], gain;

    __device__ void ask(const Params& w, const float* const (&vector)[vectors], const float* gains, int first) {
        gain = __ldg(reinterpret_cast<const float4*>(gains + first));
#pragma unroll
        for (int k = 0; k < vectors; ++k) v[k] = four_of(w, vector[k], first);
    }
    __device__ LaneInputs weighed(int k, float scale, int there) const {
        const float of[own] = {v[k].x, v[k].y, v[k].z, v[k].w}, by[own] = {gain.x, gain.y, gain.z, gain.w};
        LaneInputs read;
#pragma unroll
        for (int i = 0; i < own; ++i)
            if (i < there) read.k[i] = of_planes::units, read.v[i] = __fmul_rn(__fmul_rn(of[i], scale), by[i]);
        return read;
    }
};

}  // namespace tw::cuda::effort::whole
