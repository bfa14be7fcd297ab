// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What planes are chosen with: worths of inputs as a lane holds them, counters in shared memory, and the way down from the top bin.
#pragma once

#include "backend/cuda/effort_planes.cuh"

namespace tw::cuda::effort::of_planes {

constexpr int bins = 4096, shift = 15, most_alike = 256;
constexpr int most_passes = 2;                           ///< a block takes this many times 2048 inputs
constexpr unsigned nothing_worth = 0x7fffffffu;

/// A row that may be at the cutoff.
struct alignas(8) Alike {
    unsigned worth, notes;                               ///< unit, group << 2, weight << 8

    __device__ unsigned unit() const { return notes & 3; }
    __device__ int group() const { return static_cast<int>(notes >> 2 & 63); }
    __device__ unsigned weight() const { return notes >> 8; }
};

struct Choosing {
    alignas(16) unsigned window[bins];
    Alike own_alike[most_alike], alike[most_alike];
    unsigned count_alike, most[32], sums[10][32];        ///< of warps, each for one sum
    unsigned bin, above, worth, spent;                   ///< the cutoff, and what is worth more weighs
    unsigned of_rank[units], ties[units];                ///< rows at the cutoff: own, and of all blocks
    unsigned before[most_passes][units];                 ///< of inputs in front of those of the block's pass
};

/// The worths of four neighbouring inputs, `there` of them. Groups of inputs are numbered as their inputs are.
struct Worths {
    int there, group;
    unsigned of[units][own];

    /// act(unit, group, worth); inputs that are not there are worth 0.
    template <class Act>
    __device__ void each(const Act& act) const {
#pragma unroll
        for (int u = 0; u < units; ++u)
#pragma unroll
            for (int i = 0; i < own; ++i) act(u, group, of[u][i]);
    }
    __device__ unsigned count_within(unsigned lowest, unsigned span) const {
        unsigned count = 0;
#pragma unroll
        for (int u = 0; u < units; ++u)
#pragma unroll
            for (int i = 0; i < own; ++i) count += of[u][i] - lowest < span && i < there;
        return count;
    }
    /// Of those that are there, with a worth in `span` from `lowest` on.
    template <class Act>
    __device__ void each_within(unsigned lowest, unsigned span, const Act& act) const {
#pragma unroll
        for (int u = 0; u < units; ++u) {
            bool any = false;
#pragma unroll
            for (int i = 0; i < own; ++i) any |= of[u][i] - lowest < span;
            if (!any) continue;
#pragma unroll
            for (int i = 0; i < own; ++i)
                if (of[u][i] - lowest < span && i < there) act(u, group, of[u][i]);
        }
    }
};

template <int groups, class Act>
__device__ void each_worth(const Worths (&worths)[groups], unsigned lowest, unsigned span, const Act& act) {
#pragma unroll
    for (int g = 0; g < groups; ++g) worths[g].each_within(lowest, span, act);
}

__device__ inline unsigned prefix_of_warp(unsigned x) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(~0u, x, step);
        if (static_cast<int>(threadIdx.x) % 32 >= step) x += other;
    }
    return x;
}

/// The sum over the block's threads before this one. `sums` is used once.
__device__ inline unsigned prefix_of(unsigned x, unsigned (&sums)[32]) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const unsigned upto = prefix_of_warp(x);
    if (lane == 31) sums[warp] = upto;
    __syncthreads();
    const unsigned of_warp = lane < warps ? sums[lane] : 0, upto_warp = prefix_of_warp(of_warp);
    return __shfl_sync(~0u, upto_warp - of_warp, warp) + upto - x;
}

/// From a rank that counts with this one, or from the block's own memory where nobody does.
template <int ranks, int words>
__device__ void read_of_rank(const unsigned* from, int rank, std::uint32_t (&to)[words]) {
    if constexpr (ranks > 1) {
        ptx::read_in(ptx::shared_address(from), rank, to);
    } else {
#pragma unroll
        for (int n = 0; n < words; ++n) to[n] = from[n];  // neighbours: one load
    }
}

/// From the top bin down, over all ranks' counters: the first that brings the sum to what is to be reached, and the sum above it.
template <int ranks>
__device__ void descend(Choosing& desk, int step, unsigned reached, unsigned above, int rank) {
    constexpr int of_thread = bins / threads, width = 4, parts = of_thread / width;
    const int top = bins - of_thread * (1 + static_cast<int>(threadIdx.x));
    unsigned mine[of_thread] = {}, sum = 0;
    constexpr int at_once = ranks < 3 ? ranks : 2;       // that are asked before any answer is needed: registers are few
    static_assert(ranks % at_once == 0);
#pragma unroll
    for (int first = 0; first < ranks; first += at_once) {
        std::uint32_t read[at_once][parts][width];
#pragma unroll
        for (int r = 0; r < at_once; ++r)
#pragma unroll
            for (int p = 0; p < parts; ++p) read_of_rank<ranks>(desk.window + top + p * width, (rank + first + r) % ranks, read[r][p]);
#pragma unroll
        for (int r = 0; r < at_once; ++r)
#pragma unroll
            for (int b = 0; b < of_thread; ++b) mine[b] += read[r][b / width][b % width];
    }
#pragma unroll
    for (int b = 0; b < of_thread; ++b) sum += mine[b];
    if (threadIdx.x == 0) desk.bin = bins - 1, desk.above = above;
    unsigned before = above + prefix_of(sum, desk.sums[step]);
#pragma unroll
    for (int b = of_thread - 1; b >= 0; --b) {
        if (before < reached && before + mine[b] >= reached) desk.bin = static_cast<unsigned>(top + b), desk.above = before;
        before += mine[b];
    }
    __syncthreads();
}

}  // namespace tw::cuda::effort::of_planes
