// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What planes are chosen with: vectors and statistics as a lane holds them, counters in shared memory, and which of these is reached.
#pragma once

#include "backend/cuda/effort_planes.cuh"
#include "backend/cuda/ptx/shared_counts.cuh"

namespace tw::cuda::effort::of_planes {

constexpr int bins = threads, most_alike = 256, of_sample = 512;
constexpr unsigned nothing_worth = 0x7fffffffu;

/// A row that may be the last that is read. Keys are ordered as rows that are worth the same are: by (unit, input).
struct alignas(8) Alike {
    unsigned worth, key;

    __device__ bool is_before(const Alike& other) const { return worth > other.worth || (worth == other.worth && key < other.key); }
};

__device__ inline unsigned key_of(int unit, int input) { return static_cast<unsigned>(unit) << 24 | static_cast<unsigned>(input); }
__device__ inline unsigned weight_of(const Work& w, unsigned key) { return key >> 24 == 0 ? w.m.weights[0] : key >> 24 == 1 ? w.m.weights[1] : w.m.weights[2]; }

struct Choosing {
    alignas(16) unsigned window[bins];                   ///< what rows of each bin weigh
    unsigned above, most;                                ///< what is worth more than the window weighs; the largest |v|
    unsigned count_alike, most_of_sample;
    alignas(16) unsigned sample[of_sample];
    Alike own_alike[most_alike], alike[most_alike];
    unsigned upto[warps][33];                            ///< sums over a warp's bins, from the top one on
    Alike cutoff;                                        ///< rows that are before this one are read

    /// By all threads, before anything is counted.
    __device__ void clear() {
        window[threadIdx.x] = sample[threadIdx.x] = 0;
        if (threadIdx.x == 0) above = most = count_alike = most_of_sample = 0, cutoff = {nothing_worth, 0};
    }
};
static_assert(bins == threads && of_sample == threads, "a thread clears one of each");

__device__ inline float part_of(const float4& x, int i) { return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w; }

/// Not negative, so the bits are ordered as the numbers are.
__device__ inline unsigned worth_of(float v, float statistic) { return __float_as_uint(__fmul_rn(fabsf(v), statistic)); }

/// Four neighbours of a vector, of which `there` exist, and their statistics.
struct Inputs {
    int first = 0, there = 0;
    float4 v{}, statistic[units]{};

    __device__ unsigned worth(int u, int i) const { return worth_of(part_of(v, i), part_of(statistic[u], i)); }
    __device__ unsigned most() const {
        const auto bits = [](float x) { return __float_as_uint(x) & 0x7fffffffu; };
        return max(max(bits(v.x), bits(v.y)), max(bits(v.z), bits(v.w)));
    }
};

/// The inputs from `begin` to `end`, which a block counts, as they lie in the device's memory: for what is seldom asked for again.
struct Range {
    const float *v, *statistics;
    std::int64_t apart;
    int begin, end;

    /// act(unit, input, worth), by all threads, each its four neighbours in turn; |v| is times the scale.
    template <class Act>
    __device__ void each(float scale, const Act& act) const {
#pragma unroll 1
        for (int first = begin + own * static_cast<int>(threadIdx.x); first < end; first += share)
#pragma unroll 1
            for (int input = first; input < min(first + own, end); ++input)
#pragma unroll
                for (int u = 0; u < units; ++u) act(u, input, worth_of(__fmul_rn(v[input], scale), __ldg(statistics + u * apart + input)));
    }
};

__device__ inline unsigned prefix_of_warp(unsigned x) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(~0u, x, step);
        if (static_cast<int>(threadIdx.x) % 32 >= step) x += other;
    }
    return x;
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

/// The largest |v|, after all threads of all ranks have said what is theirs.
template <int ranks>
__device__ unsigned most_of_ranks(const Choosing& desk) {
    ptx::publish_to_ranks<ranks>();
    std::uint32_t most[1] = {};
    if (threadIdx.x % 32 < ranks) read_of_rank<ranks>(&desk.most, static_cast<int>(threadIdx.x % 32), most);
    return __reduce_max_sync(~0u, most[0]);
}

/// The bin of the row that brings the sum to what is to be reached, if that one is in the window, and what is above it.
struct Found {
    bool is_there;
    unsigned bin, above;
    unsigned most;                                       ///< the largest |v| of all ranks

    /// After everything has been counted by all threads of all ranks.
    template <int ranks>
    __device__ static Found in(Choosing& desk, unsigned reached, int rank) {
        ptx::publish_to_ranks<ranks>();
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        unsigned weight = 0;
        std::uint32_t of_ranks[ranks][1], outside[2] = {};
#pragma unroll
        for (int r = 0; r < ranks; ++r) read_of_rank<ranks>(desk.window + (bins - 1 - threadIdx.x), (rank + r) % ranks, of_ranks[r]);
        if (lane < ranks) read_of_rank<ranks>(&desk.above, lane, outside);
#pragma unroll
        for (int r = 0; r < ranks; ++r) weight += of_ranks[r][0];
        const unsigned upto = prefix_of_warp(weight);
        desk.upto[warp][lane] = upto;
        const unsigned above = __reduce_add_sync(~0u, outside[0]), most = __reduce_max_sync(~0u, outside[1]);
        __syncthreads();
        const unsigned of_warp = lane < warps ? desk.upto[lane][31] : 0, before = above + prefix_of_warp(of_warp) - of_warp;
        const unsigned crossing = __ballot_sync(~0u, before < reached && before + of_warp >= reached);
        if (crossing == 0) return {false, 0, 0, most};
        const int place = __ffs(static_cast<int>(crossing)) - 1;
        const unsigned in_front = __shfl_sync(~0u, before, place), with = in_front + desk.upto[place][lane];
        const int last = __ffs(static_cast<int>(__ballot_sync(~0u, with >= reached))) - 1;
        const unsigned without = __shfl_sync(~0u, with, max(last, 1) - 1);
        return {true, static_cast<unsigned>(bins - 1 - 32 * place - last), last == 0 ? in_front : without, most};
    }
};

}  // namespace tw::cuda::effort::of_planes
