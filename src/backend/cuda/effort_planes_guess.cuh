// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where the cutoff of planes is likely to be, by a sample of 512 inputs: in the middle of an octave of 512 bins.
#pragma once

#include "backend/cuda/effort_planes_worths.cuh"

namespace tw::cuda::effort::of_planes {

/// A window: `bins` bins of 2^shift values from `lowest` on.
struct Window {
    int lowest, shift;

    __device__ int last() const { return static_cast<int>((static_cast<unsigned>(bins) << shift) - 1); }
    __device__ Window bin(unsigned of_it) const { return {lowest + static_cast<int>(of_it << shift), max(shift - 9, 0)}; }
};
constexpr int shift_of_all = 22;

/// Powers of 2 between which numbers are multiplied without a scale as they are with one, but for their exponents.
constexpr unsigned least_plain = 67u << 23, most_plain = 187u << 23;

/// Puts the rows of one input of the sample down: a sixteenth of an octave is a bin, and what is 32 octaves apart lies in the same one.
__device__ inline void put_in_sample(const Work& w, Choosing& desk, const unsigned (&worths)[units]) {
    const unsigned most = __reduce_max_sync(~0u, worths[0]);
    const unsigned lane = threadIdx.x % 32;
    if (lane == 0) desk.most_of_sample[threadIdx.x / 32] = most;
#pragma unroll
    for (int u = 0; u < units; ++u) ptx::add(ptx::shared_address(desk.sample) + 4 * (worths[u] != 0 ? (worths[u] >> 19) % of_sample : of_sample + lane), w.m.weights[u]);
}

/// The sample of a block that chooses by itself: one of each thread's inputs, in turns of the first and the last group.
template <int together, int groups>
struct OfSample {
    __device__ OfSample(const Work&, const float*) {}
    __device__ void ask(const float*) {}
    __device__ void put(const Work& w, Choosing& desk, const Worths<groups>& worths) const {
        unsigned of[units];
        constexpr int last = own * (groups - 1);
        const bool is_last = threadIdx.x % 2 == 1 && worths.of[last][0] != 0;
#pragma unroll
        for (int u = 0; u < units; ++u) of[u] = is_last ? worths.of[last][u] : worths.of[0][u];
        put_in_sample(w, desk, of);
    }
};

/// Of blocks that count together, which must guess alike: of all inputs, as they lie in the device's memory.
template <int groups>
struct OfSample<2, groups> {
    int input;
    bool is_there;
    float v = 0, importance;

    __device__ OfSample(const Work& w, const float* of_inputs)
        : input(max(1, w.m.inputs / of_sample) * static_cast<int>(threadIdx.x)), is_there(input < w.m.inputs) {
        importance = is_there ? __ldg(of_inputs + input) : 0.f;
    }
    __device__ void ask(const float* vector) { v = is_there ? vector[input] : 0.f; }
    __device__ void put(const Work& w, Choosing& desk, const Worths<groups>&) const {
        unsigned of[units];
#pragma unroll
        for (int u = 0; u < units; ++u) of[u] = worth_of(w, v, importance, u);
        put_in_sample(w, desk, of);
    }
};

/// Where the cutoff of so many of the sample's rows is, in the middle. Every warp finds it for itself.
__device__ inline Window guess(const Choosing& desk, unsigned reached, int shift) {
    constexpr unsigned of_lane = 8;
    const unsigned lane = threadIdx.x % 32, most = __reduce_max_sync(~0u, desk.most_of_sample[lane % warps]);
    const unsigned top = (most >> 19 | (of_lane - 1)) - of_lane * lane;
    const uint4* from = reinterpret_cast<const uint4*>(desk.sample + (top - (of_lane - 1)) % of_sample);
    const uint4 low = from[0], high = from[1];
    const unsigned weights[of_lane] = {high.w, high.z, high.y, high.x, low.w, low.z, low.y, low.x};
    unsigned sum = 0;
#pragma unroll
    for (unsigned b = 0; b < of_lane; ++b) sum += weights[b];
    const unsigned upto = ptx::prefix_of_warp(sum);
    unsigned bin = top, before = upto - sum;
#pragma unroll
    for (unsigned b = 0; b < of_lane - 1; ++b) before += weights[b], bin -= before < reached;
    const unsigned crossing = __ballot_sync(~0u, upto >= reached);
    bin = __shfl_sync(~0u, bin, crossing == 0 ? 31 : __ffs(static_cast<int>(crossing)) - 1);
    const int lowest = static_cast<int>(bin << 19) + (1 << 18) - (bins / 2 << shift);
    return {max(lowest, static_cast<int>(least_plain)), shift};
}

}  // namespace tw::cuda::effort::of_planes
