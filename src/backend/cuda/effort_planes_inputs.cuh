// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Inputs of planes as the threads of a block choose from them: four neighbours at a time, whose keys stay in registers.
#pragma once

#include "backend/cuda/effort_choice_ranked.cuh"
#include "backend/cuda/effort_planes.cuh"

namespace tw::cuda::effort::of_planes {

__device__ inline float part_of(const float4& x, int i) { return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w; }

/// Of the thread's four neighbours in a group.
__device__ inline int place_of(int group) { return share * group + own * static_cast<int>(threadIdx.x); }

/// The inputs from `begin` to `end`, which a block counts, a multiple of 4 each but for the last end. They are dealt out from `start` on,
/// and around.
struct Range {
    int begin, end, start;

    /// Of so many places there are inputs.
    __device__ int places() const { return (end - begin + own - 1) & -own; }
    __device__ int at(int place) const { return start + place - (start + place < begin + places() ? 0 : places()); }
    __device__ int there(int place, int first) const { return place < places() ? min(own, end - first) : 0; }
};

/// Of their sizes, or not a number.
__device__ inline float larger(float x, float y) {
    float most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(fabsf(x)), "f"(fabsf(y)));
    return most;
}

/// Four neighbours of a vector, of which `there` exist, and their importance. What doesn't exist is zero.
struct Inputs {
    int there = 0;
    const float* from = nullptr;                          ///< of the vector
    float4 v{}, importance{};

    /// Of a vector that is not there yet.
    __device__ void ask_importance(const Work& w, const float* of_inputs, const float* vector, const Range& range, int place) {
        const int first = range.at(place);
        there = range.there(place, first), from = vector + first;
        if (there > 0 && !w.everything) importance = __ldg(reinterpret_cast<const float4*>(of_inputs + first));
        asm volatile("" : "+l"(from));                    // here, not when the vector is there
    }
    /// Of a vector of which four neighbours are 16 bytes at a multiple of 16, or of any.
    __device__ void ask_vector() {
        if (there > 0) v = __ldcg(reinterpret_cast<const float4*>(from));
    }
    __device__ void ask_parts() {
        if (there > 0) v = {__ldcg(from), there > 1 ? __ldcg(from + 1) : 0.f, there > 2 ? __ldcg(from + 2) : 0.f, there > 3 ? __ldcg(from + 3) : 0.f};
    }
    __device__ float most() const { return larger(larger(v.x, v.y), larger(v.z, v.w)); }
};

/// The keys of a thread's inputs.
template <int groups>
struct Keys {
    unsigned of[own * groups], places[own * groups / 2];  ///< where two are counted
    const Range& range;                                   ///< in shared memory

    __device__ Keys(const of_choice::Known& known, const Inputs (&inputs)[groups], float scale, const Range& counted) : range(counted) {
#pragma unroll
        for (int n = 0; n < own * groups; ++n) {
            of[n] = of_choice::key_of_input(part_of(inputs[n / own].v, n % own), scale, part_of(inputs[n / own].importance, n % own));
            asm volatile("" : "+r"(of[n]));               // made once, in the importance's place
        }
#pragma unroll
        for (int p = 0; p < own * groups / 2; ++p) places[p] = known.places_of(of[2 * p], of[2 * p + 1]);
    }
    __device__ int input(unsigned n) const { return range.at(place_of(static_cast<int>(n / own))) + static_cast<int>(n % own); }
    /// act(unit, input, worth)
    template <class Act>
    __device__ void each(const Work& w, const Act& act) const {
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

/// How many units of each of the inputs from `first` on, so many, are read, where a row's place says it alone.
__device__ inline void count_units(const Work& w, const of_choice::Row& cutoff, const unsigned* keys, int first, int there, unsigned (&k)[own]) {
#pragma unroll
    for (int i = 0; i < own; ++i)
#pragma unroll
        for (int u = 0; u < units; ++u) k[i] += i < there && of_choice::Row{lowered(w, keys[i], u), of_choice::key_of(u, first + i)}.is_before(cutoff);
}

/// What is read of the thread's first inputs: what is certain when the cutoff's bin is known, and one row of that bin perhaps.
struct Counted {
    unsigned counts[own / 2];                             ///< of two inputs each
    unsigned code = 0, input = 0;                         ///< of that row
    int rows = 0;                                         ///< of the bin, in fact

    template <class Keys>
    __device__ Counted(const of_choice::Bin<units>& bin, const Keys& keys) {
#pragma unroll
        for (int p = 0; p < own / 2; ++p) counts[p] = bin.certain(keys.places[p]);
    }
    __device__ void put(unsigned n, unsigned of_row) {
        if (n < own) code = of_row, input = n, ++rows;
    }
    __device__ void conclude(unsigned cut) {
        const unsigned one = code > cut ? input % 2 != 0 ? 1u << 16 : 1u : 0u;
        counts[0] += input < 2 ? one : 0, counts[1] += input < 2 ? 0 : one;
    }
    __device__ unsigned of(int i) const { return i % 2 ? counts[i / 2] >> 16 : counts[i / 2] & 0xffffu; }
    /// Bit i: something is read of input i.
    __device__ unsigned those() const {
        unsigned bits = 0;
#pragma unroll
        for (int i = 0; i < own; ++i) bits |= of(i) > 0 ? 1u << i : 0u;
        return bits;
    }
};

}  // namespace tw::cuda::effort::of_planes
