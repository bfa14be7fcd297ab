// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the last row that is read is found by blocks that need to know it, from one key of each input: a row (unit u of input i) is worth
// key_i less falls[u] steps, so where keys are counted in bins of a step each, the rows of a bin and above it are keys of as many other
// bins as there are units. A search for the bin that holds the cutoff is all that units have to do with it (effort_choice_bin.cuh); its
// few rows are ranked (effort_choice_ranked.cuh), or it is found bit by bit (effort_choice_bits.cuh).
//
//   keys ->  |.:|.||:..|.  ->  how many from the top  ->  W(bin) = sum of weight_u * keys upto bin - fall_u,  first W >= reached  -> its rows
//
// Keys lie in registers. `ranks`: blocks of a cluster that have a part of the inputs each, and choose as one. All threads call everything.
#pragma once

#include "backend/cuda/effort_select.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"
#include "backend/cuda/ptx/prefix.cuh"
#include "backend/cuda/ptx/shared_counts.cuh"

namespace tw::cuda::effort::of_choice {

constexpr int bins = 2048, step = 16, bits_of_inputs = 27;  ///< a bin is 2^16 of a float's bits, as a step of a fall is: 128 of them an octave
constexpr unsigned nothing_worth = 0x7fffffffu;

/// A row that may be the last that is read. Keys are ordered as rows that are worth the same are: by (unit, input).
struct alignas(8) Row {
    unsigned worth, key;

    __device__ std::uint64_t place() const { return std::uint64_t{worth} << 32 | ~key; }  ///< the higher, the earlier
    __device__ bool is_before(const Row& other) const { return place() > other.place(); }
};

__device__ inline unsigned key_of(int unit, int input) { return static_cast<unsigned>(unit) << bits_of_inputs | static_cast<unsigned>(input); }

/// Rows that are before this one are read. Unless several are worth the same, `least` alone says which those are.
struct Cutoff {
    Row row{nothing_worth, 0};
    unsigned least = nothing_worth + 1;
    bool has_ties = false;
};

/// The bits of what the first unit of an input is worth: not negative, so they are ordered as the numbers are.
__device__ inline unsigned key_of_input(float v, float scale, float importance) {
    return __float_as_uint(__fmul_rn(__fmul_rn(fabsf(v), scale), fabsf(importance)));
}

/// No key is above this, the last of a step, unless a number is not finite.
__device__ inline unsigned top_of(const Work& w) { return __float_as_uint(2 * w.m.most_importance) | ((1u << step) - 1); }
/// In this bin and behind it lie rows of which a bin says too little: they are worth nothing, or 16 octaves less than the largest could be.
__device__ inline int end_of_bins(const Work& w) { return static_cast<int>(min(top_of(w) >> step, bins - 1u)); }
__device__ inline bool is_finite(const Work& w, float scale) { return scale != 0 && __float_as_uint(w.m.most_importance) < 0x7f800000u; }

/// In shared memory, whoever chooses.
template <int ranks_, int threads_>
struct Counts {
    static constexpr int ranks = ranks_, threads = threads_, warps = threads / 32;

    alignas(16) unsigned counters[bins];
    unsigned upto[bins];                          ///< keys in the bins up to this one; of planes zeros, all the time
    float largest[ranks * warps];                 ///< |v|, of each warp of all ranks
    std::uint64_t here;                           ///< of several ranks, a barrier: those have come
    unsigned bin;                                 ///< where the cutoff is
    unsigned count_alike, weighed[3];
    Cutoff cutoff;

    /// Before anything is told or counted, with a barrier behind it of all ranks. `numbers`: so many are not counters alone.
    template <int numbers = bins>
    __device__ void clear() {
        const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
        for (int first = 0; first < numbers / 4; first += threads)
            if (numbers / 4 % threads == 0 || first + thread < numbers / 4) reinterpret_cast<uint4*>(counters)[first + thread] = {0, 0, 0, 0};
        if (thread != 0) return;
        count_alike = weighed[0] = weighed[1] = weighed[2] = 0;
        if constexpr (ptx::are_together<ranks>) {
            ptx::init_barrier(ptx::shared_address(&here), 1);
            ptx::publish_barriers();
            ptx::expect_bytes(ptx::shared_address(&here), sizeof largest);
        }
    }
};

/// Of buckets and tiers. `most_alike`: rows of the cutoff's bin that can be ranked.
template <int ranks, int threads, int most_alike>
struct Desk : Counts<ranks, threads> {
    static constexpr int warps = threads / 32, of_thread = (bins / 4 + threads - 1) / threads * 4, scanning = bins / of_thread / 32;
    static_assert(scanning <= warps && scanning * of_thread * 32 == bins);

    unsigned before[scanning];                    ///< keys in the bins of warps in front
    Row alike[most_alike];                        ///< rows of the bin, of all ranks; there are count_alike
};

/// The bits of the largest |v| of all ranks, from that of each thread.
template <int ranks, int threads>
__device__ unsigned largest_of(Counts<ranks, threads>& desk, unsigned of_thread, int rank) {
    constexpr int warps = threads / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const unsigned of_warp = __reduce_max_sync(~0u, of_thread);
    float& own = desk.largest[rank * warps + warp];
    if constexpr (ptx::are_together<ranks>) {
        if (lane < ranks) ptx::send_float_to(&own, lane, __uint_as_float(of_warp), ptx::shared_address(&desk.here));
        __syncwarp();
        ptx::wait_barrier(ptx::shared_address(&desk.here), 0);
    } else {
        if (lane == 0) own = __uint_as_float(of_warp);
        __syncthreads();
    }
    unsigned most = 0;
#pragma unroll
    for (int n = 0; n < ranks * warps; n += 32)
        if (n + lane < ranks * warps) most = max(most, __float_as_uint(desk.largest[n + lane]));
    return __reduce_max_sync(~0u, most);
}

/// A key that is 0 stands for no input, too: what lies that far down is not chosen by bins.
template <int ranks, int threads, int count>
__device__ void count_keys(Counts<ranks, threads>& desk, const unsigned (&keys)[count], unsigned top) {
    const std::uint32_t counters = ptx::shared_address(desk.counters);
#pragma unroll
    for (int n = 0; n < count; ++n) ptx::add(counters + 4 * min((top - keys[n]) >> step, bins - 1u), 1);
}

}  // namespace tw::cuda::effort::of_choice
