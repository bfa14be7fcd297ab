// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The inputs of planes that the threads of a block choose from: four neighbours each at a time, with keys in registers.
#pragma once

#include "backend/cuda/effort/choice/choice_ranked.cuh"
#include "backend/cuda/effort/planes/planes.cuh"
#include "backend/cuda/ptx/keep.cuh"

namespace tw::cuda::effort::plane_kernels {

__device__ inline float part_of(const float4& x, int i) { return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w; }

/// The place of the thread's four inputs in a group.
__device__ inline int place_of(int group) { return share * group + own * static_cast<int>(threadIdx.x); }

/// The inputs from `begin` to `end` that a block counts; both are multiples of 4, except at the matrix's end. Threads
/// take them from `start` on and wrap around.
struct Range {
    int begin, end, start;

    /// How many places have inputs.
    __device__ int places() const { return (end - begin + own - 1) / own * own; }
    __device__ int at(int place) const { return start + place - (start + place < begin + places() ? 0 : places()); }
    __device__ int there(int place, int first) const { return place < places() ? min(own, end - first) : 0; }
};

/// Four neighbours of a vector and their importance; `there` of them exist, the others are zero.
struct Inputs {
    int first = 0, there = 0;
    float4 v{}, importance{};

    /// May be called before the vector is there.
    __device__ void ask_importance(const Params& w, const float* of_inputs, const Range& range, int place) {
        first = range.at(place), there = range.there(place, first);
        if (there > 0 && !w.everything) importance = __ldg(reinterpret_cast<const float4*>(of_inputs + first));
    }
    __device__ void ask_vector(const Params& w, const float* vector) {
        const float* from = vector + first;
        if (w.is_even && there > 0) v = *reinterpret_cast<const float4*>(from);
        if (!w.is_even && there > 0)
            v = {from[0], there > 1 ? from[1] : 0.f, there > 2 ? from[2] : 0.f, there > 3 ? from[3] : 0.f};
    }
    __device__ unsigned most() const { return largest_size(v); }
};

/// The keys of a thread's inputs.
template <int groups>
struct Keys {
    unsigned of[own * groups];
    const Range& range;  ///< in shared memory

    __device__ Keys(const Inputs (&inputs)[groups], float scale, const Range& counted) : range(counted) {
#pragma unroll
        for (int n = 0; n < own * groups; ++n) {
            of[n] =
                key_of_input(part_of(inputs[n / own].v, n % own), scale, part_of(inputs[n / own].importance, n % own));
            ptx::keep(of[n]);  // computed once, in the importance's register
        }
    }
    __device__ int input(int n) const { return range.at(place_of(n / own)) + n % own; }
    /// Bit i: the thread's input i is read wherever in its bin the cutoff is. `there`: inputs that exist.
    __device__ unsigned before(const Params& w, unsigned bin, int there) const {
        unsigned bits = 0;
#pragma unroll
        for (int i = 0; i < own; ++i)
            bits |= i < there && (cutoff_search::top_of(w) - of[i]) >> cutoff_search::step < bin ? 1u << i : 0u;
        return bits;
    }
    /// act(unit, input, worth)
    template <class Act>
    __device__ void each(const Params& w, const Act& act) const {
#pragma unroll
        for (int g = 0; g < groups; ++g) {
            const int first = range.at(place_of(g)), there = range.there(place_of(g), first);
#pragma unroll
            for (int i = 0; i < own; ++i)
#pragma unroll
                for (int u = 0; u < units; ++u)
                    if (i < there) act(u, first + i, lowered(w, of[own * g + i], u));
        }
    }
};

/// How many units are read of each of the inputs from `first` on.
__device__ inline void count_units(const Params& w, const cutoff_search::Cutoff& cutoff, const unsigned* keys,
                                   int first, int there, unsigned (&k)[own]) {
    if (!cutoff.has_ties) {
        unsigned least[units];  // keys whose row is worth `least`; never 0, the key of padding
#pragma unroll
        for (int u = 0; u < units; ++u) least[u] = cutoff.least + (w.m.falls[u] << cutoff_search::step);
#pragma unroll
        for (int i = 0; i < own; ++i)
#pragma unroll
            for (int u = 0; u < units; ++u) k[i] += keys[i] >= least[u];
    } else {
#pragma unroll
        for (int i = 0; i < own; ++i)
#pragma unroll
            for (int u = 0; u < units; ++u)
                k[i] += i < there &&
                        cutoff_search::Row{lowered(w, keys[i], u), cutoff_search::key_of(u, first + i)}.is_before(
                            cutoff.row);
    }
}

}  // namespace tw::cuda::effort::plane_kernels
