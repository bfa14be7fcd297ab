// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What planes are chosen with: vectors and importances as a lane holds them, counters in shared memory, and which of these is reached.
#pragma once

#include "backend/cuda/effort_planes.cuh"
#include "backend/cuda/ptx/prefix.cuh"
#include "backend/cuda/ptx/shared_counts.cuh"

namespace tw::cuda::effort::of_planes {

constexpr int bins = threads, most_alike = 256, of_sample = 512;
constexpr unsigned nothing_worth = 0x7fffffffu;

/// A row that may be the last that is read. Keys are ordered as rows that are worth the same are: by (unit, input).
struct alignas(8) Alike {
    unsigned worth, key;

    __device__ std::uint64_t place() const { return std::uint64_t{worth} << 32 | ~key; }  ///< the higher, the earlier
    __device__ bool is_before(const Alike& other) const { return place() > other.place(); }
};

__device__ inline unsigned key_of(int unit, int input) { return static_cast<unsigned>(unit) << 24 | static_cast<unsigned>(input); }
__device__ inline unsigned weight_of(const Work& w, unsigned key) { return key >> 24 == 0 ? w.m.weights[0] : key >> 24 == 1 ? w.m.weights[1] : w.m.weights[2]; }

/// Rows that are before this one are read. Unless several are worth the same, `least` alone says which those are.
struct Cutoff {
    Alike row{nothing_worth, 0};
    unsigned least = nothing_worth + 1;
    bool has_ties = false;
};

struct Choosing {
    alignas(16) unsigned window[bins + 32];              ///< what rows of each bin weigh; one more for each lane, of what is elsewhere
    alignas(8) unsigned of_warps[warps][2];              ///< of what a warp has: what is worth more than the window weighs; the largest |v|
    unsigned most_of_sample[warps], count_alike;
    alignas(16) unsigned sample[of_sample + 32];         ///< and then the windows of two that count together, added up
    Alike own_alike[most_alike], alike[most_alike];
    Alike cutoff;                                        ///< of many that were ranked

    /// By all threads, before anything is counted.
    __device__ void clear() {
        window[threadIdx.x] = sample[threadIdx.x] = 0;
        if (threadIdx.x == 0) count_alike = 0;
    }
};
static_assert(bins == threads && of_sample == threads, "a thread clears one of each");

__device__ inline float part_of(const float4& x, int i) { return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w; }

/// The bits of what a row is worth: not negative, so they are ordered as the numbers are.
__device__ inline unsigned worth_of(const Work& w, float v, float importance, int unit) { return lowered(w, __float_as_uint(__fmul_rn(fabsf(v), importance)), unit); }

/// Of the thread's four neighbours in a group.
__device__ inline int place_of(int group) { return share * group + own * static_cast<int>(threadIdx.x); }

/// Four neighbours of a vector, of which `there` exist, and their importance.
struct Inputs {
    int first = 0, there = 0;
    float4 v{}, importance{};

    __device__ unsigned most() const {
        const auto bits = [](float x) { return __float_as_uint(x) & 0x7fffffffu; };
        return max(max(bits(v.x), bits(v.y)), max(bits(v.z), bits(v.w)));
    }
};

/// What the rows of a thread's inputs are worth.
template <int groups>
struct Worths {
    unsigned of[own * groups][units];

    __device__ Worths(const Work& w, const Inputs (&inputs)[groups]) {
#pragma unroll
        for (int n = 0; n < own * groups; ++n)
#pragma unroll
            for (int u = 0; u < units; ++u) of[n][u] = worth_of(w, part_of(inputs[n / own].v, n % own), part_of(inputs[n / own].importance, n % own), u);
#pragma unroll
        for (int n = 0; n < own * groups; ++n) asm volatile("" : "+r"(of[n][0]), "+r"(of[n][1]), "+r"(of[n][2]));  // made once, in the importances' place
    }
    /// act(unit, number of the input, worth)
    template <class Act>
    __device__ void each(const Act& act) const {
#pragma unroll
        for (int n = 0; n < own * groups; ++n)
#pragma unroll
            for (int u = 0; u < units; ++u) act(u, n, of[n][u]);
    }
};

/// The inputs from `begin` to `end`, which a block counts, a multiple of 4 each but for the last end. They are dealt out from `start` on,
/// and around.
struct Range {
    int begin, end, start;

    /// Of so many places there are inputs.
    __device__ int places() const { return (end - begin + own - 1) / own * own; }
    __device__ int at(int place) const { return start + place - (start + place < begin + places() ? 0 : places()); }
    __device__ int there(int place, int first) const { return place < places() ? min(own, end - first) : 0; }
};

/// The same as they lie in the device's memory: for what is seldom asked for again.
struct Counted {
    const Work& w;
    const Place& at;
    const Range& range;

    __device__ unsigned worth(float scale, int u, int input) const {
        const float v = w.v[at.product * w.v_step + input];
        return worth_of(w, __fmul_rn(v, scale), __ldg(w.m.importance + std::int64_t{w.experts[at.product]} * w.m.inputs_apart + input), u);
    }
    /// act(unit, input, worth), by all threads, each its four neighbours in turn; |v| is times the scale.
    template <class Act>
    __device__ void each(float scale, const Act& act) const {
#pragma unroll 1
        for (int place = own * static_cast<int>(threadIdx.x); place < range.places(); place += share)
#pragma unroll 1
            for (int input = range.at(place), end = input + range.there(place, input); input < end; ++input)
#pragma unroll
                for (int u = 0; u < units; ++u) act(u, input, worth(scale, u, input));
    }
};

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

/// What is above the window, and the largest |v|, after all warps of all ranks have said what is theirs.
template <int ranks>
struct OfWarps {
    std::uint32_t of[2] = {};

    __device__ explicit OfWarps(const Choosing& desk) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        static_assert(ranks * warps <= 32, "a lane for each warp");
        if (lane < ranks * warps) read_of_rank<ranks>(desk.of_warps[lane % warps], lane / warps, of);
    }
    __device__ unsigned above() const { return __reduce_add_sync(~0u, of[0]); }
    __device__ unsigned most() const { return __reduce_max_sync(~0u, of[1]); }
};

/// The bin of the row that brings the sum to what is to be reached, if that one is in the window, and what is above it.
struct Found {
    bool is_there;
    unsigned bin, above;
    unsigned most;                                       ///< the largest |v| of all ranks

    /// After everything has been counted by all threads of all ranks. Every warp finds it for itself, a lane by 16 bins.
    template <int ranks>
    __device__ static Found in(Choosing& desk, unsigned reached, int rank) {
        ptx::publish_to_ranks<ranks>();
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const OfWarps<ranks> outside(desk);
        const unsigned* window = desk.window;
        if constexpr (ranks > 1) {
            std::uint32_t other[1];
            ptx::read_in(ptx::shared_address(desk.window + threadIdx.x), 1 - rank, other);
            desk.sample[threadIdx.x] = desk.window[threadIdx.x] + other[0];
            __syncthreads();
            window = desk.sample;
        }
        constexpr int of_lane = bins / 32, fours = of_lane / 4;
        const uint4* from = reinterpret_cast<const uint4*>(window + bins - of_lane * (lane + 1));
        unsigned sum = 0;
#pragma unroll
        for (int n = 0; n < fours; ++n) {
            const uint4 four = from[(n + lane / 2) % fours];  // in turns, for eight lanes to meet in no bank
            sum += four.x + four.y + four.z + four.w;
        }
        const unsigned most = outside.most(), before = outside.above() + ptx::prefix_of_warp(sum) - sum;
        const unsigned crossing = __ballot_sync(~0u, before < reached && before + sum >= reached);
        if (crossing == 0) return {false, 0, 0, most};
        const int place = __ffs(static_cast<int>(crossing)) - 1, top = bins - 1 - of_lane * place;
        const unsigned weight = window[top - lane % of_lane], with = __shfl_sync(~0u, before, place) + ptx::prefix_of_warp(weight);
        const int last = __ffs(static_cast<int>(__ballot_sync(~0u, with >= reached))) - 1;  // of the first lanes, which have a bin each
        return {true, static_cast<unsigned>(top - last), __shfl_sync(~0u, with - weight, last), most};
    }
};

}  // namespace tw::cuda::effort::of_planes
