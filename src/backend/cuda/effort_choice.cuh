// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the last row that is read is found by blocks that need to know it, from one key of each input: a row (unit u of input i) is worth
// key_i less falls[u] steps, so where keys are counted in bins of a step each, the rows of a bin and above it are keys of as many other
// bins as there are units. A search for the bin that holds the cutoff is all that units have to do with it; its few rows are ranked
// (effort_choice_ranked.cuh).
//
//   keys ->  |.:|.||:..|.  ->  how many from the top  ->  W(bin) = sum of weight_u * keys upto bin - fall_u,  first W >= reached  -> its rows
//
// Keys lie in registers. `ranks`: blocks of a cluster that have a part of the inputs each, and choose as one. All threads call everything.
#pragma once

#include "backend/cuda/effort_select.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
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
__device__ inline unsigned weight_of(const Work& w, const Row& row) { return w.m.weights[row.key >> bits_of_inputs]; }

/// Rows that are before this one are read. Unless several are worth the same, `least` alone says which those are.
struct Cutoff {
    Row row{nothing_worth, 0};
    unsigned least = nothing_worth + 1;
    bool has_ties = false;
};

/// The bits of what the first unit of an input is worth: not negative, so they are ordered as the numbers are.
__device__ inline unsigned key_of_input(float v, float scale, float importance) {
    return __float_as_uint(__fmul_rn(__fmul_rn(fabsf(v), scale), importance)) & 0x7fffffffu;
}

/// No key is above this, the last of a step, unless a number is not finite.
__device__ inline unsigned top_of(const Work& w) { return __float_as_uint(2 * w.m.most_importance) | ((1u << step) - 1); }
/// In this bin and behind it lie rows of which a bin says too little: they are worth nothing, or 16 octaves less than the largest could be.
__device__ inline int end_of_bins(const Work& w) { return static_cast<int>(min(top_of(w) >> step, bins - 1u)); }
__device__ inline bool is_finite(const Work& w, float scale) { return scale != 0 && __float_as_uint(w.m.most_importance) < 0x7f800000u; }

/// In shared memory. `most_alike`: rows of the cutoff's bin that can be ranked.
template <int ranks, int threads, int most_alike>
struct Desk {
    static constexpr int warps = threads / 32, of_thread = (bins / 4 + threads - 1) / threads * 4, scanning = bins / of_thread / 32;
    static_assert(scanning <= warps && scanning * of_thread * 32 == bins);

    alignas(16) unsigned counters[bins];
    alignas(16) unsigned upto[bins + bins / 16];  ///< keys from the first of a warp's bins up to this one; not used before all is counted
    unsigned before[scanning];                    ///< keys in the bins of warps in front
    unsigned largest[ranks * warps];              ///< |v|, of each warp of all ranks
    unsigned bin, above;                          ///< where the cutoff is, and what rows before that bin weigh
    unsigned count_alike, weighed[3];
    Cutoff cutoff;
    Row alike[most_alike];                        ///< of all ranks

    __device__ static int padded(int bin) { return bin + bin / 64 * 4; }  ///< 32 places 64 bins apart lie in eight banks, not in one

    /// Before anything is counted, with a barrier behind it of all ranks.
    __device__ void clear() {
        const int thread = static_cast<int>(threadIdx.x);
        for (int four = thread; four < bins / 4; four += threads) reinterpret_cast<uint4*>(counters)[four] = {0, 0, 0, 0};
        if (thread < scanning) before[thread] = 0;
        if (thread < 3) weighed[thread] = 0;
        if (thread == 0) count_alike = 0;
    }
};

/// The bits of the largest |v| of all ranks, from that of each thread.
template <int ranks, int threads, int most_alike>
__device__ unsigned largest_of(Desk<ranks, threads, most_alike>& desk, unsigned of_thread, int rank) {
    constexpr int warps = threads / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const unsigned of_warp = __reduce_max_sync(~0u, of_thread);
    if (lane < ranks) ptx::write_to_rank<ranks>(desk.largest + rank * warps + warp, lane, {of_warp});
    __syncwarp();
    ptx::sync_ranks<ranks>();
    unsigned most = 0;
#pragma unroll
    for (int n = 0; n < ranks * warps; n += 32)
        if (n + lane < ranks * warps) most = max(most, desk.largest[n + lane]);
    return __reduce_max_sync(~0u, most);
}

/// A key that is 0 stands for no input, too: what lies that far down is not chosen by bins.
template <int ranks, int threads, int most_alike, int count>
__device__ void count_keys(Desk<ranks, threads, most_alike>& desk, const unsigned (&keys)[count], unsigned top) {
    const std::uint32_t counters = ptx::shared_address(desk.counters);
#pragma unroll
    for (int n = 0; n < count; ++n) ptx::add(counters + 4 * min((top - keys[n]) >> step, bins - 1u), 1);
}

/// What rows of a bin and those above weigh, by one warp. `units` is 0 where their number is the matrix's; `before` is the lane's own of a desk.
template <int units, class OfRanks>
__device__ unsigned weight_upto(const Work& w, const OfRanks& desk, unsigned before, int bin) {
    const int all = units > 0 ? units : w.m.units;
    unsigned weight = 0;
#pragma unroll(units > 0 ? units : 4)
    for (int u = 0; u < all; ++u) {
        const int of_key = bin - static_cast<int>(w.m.falls[u]);
        const unsigned in_front = __shfl_sync(~0u, before, static_cast<int>(static_cast<unsigned>(of_key) / (32 * OfRanks::of_thread) % 32));
        if (of_key >= 0) weight += w.m.weights[u] * (desk.upto[OfRanks::padded(of_key)] + in_front);
    }
    return weight;
}

/// Which bin holds the row that brings the sum to `reached`, to desk.bin, or `bins`. `meanwhile` is called by each warp but the first.
template <int units, int ranks, int threads, int most_alike, class Meanwhile>
__device__ void find_bin(const Work& w, Desk<ranks, threads, most_alike>& desk, const Meanwhile& meanwhile) {
    using OfRanks = Desk<ranks, threads, most_alike>;
    constexpr int of_thread = OfRanks::of_thread;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    __syncwarp();
    ptx::publish_to_ranks<ranks>();
    if (warp < OfRanks::scanning) {
        unsigned keys[of_thread] = {};
#pragma unroll
        for (int r = 0; r < ranks; ++r)
#pragma unroll
            for (int n = 0; n < of_thread; n += 4) {
                std::uint32_t four[4];
                ptx::read_of_rank<ranks>(desk.counters + of_thread * thread + n, r, four);
                keys[n] += four[0], keys[n + 1] += four[1], keys[n + 2] += four[2], keys[n + 3] += four[3];
            }
#pragma unroll
        for (int n = 1; n < of_thread; ++n) keys[n] += keys[n - 1];
        const unsigned all = ptx::prefix_of_warp(keys[of_thread - 1]), in_front = all - keys[of_thread - 1];
#pragma unroll
        for (int n = 0; n < of_thread; n += 4)
            *reinterpret_cast<uint4*>(desk.upto + OfRanks::padded(of_thread * thread + n)) = {in_front + keys[n], in_front + keys[n + 1], in_front + keys[n + 2],
                                                                                             in_front + keys[n + 3]};
        const unsigned of_warp = __shfl_sync(~0u, all, 31);
        if (lane > warp && lane < OfRanks::scanning) ptx::add(ptx::shared_address(desk.before + lane), of_warp);
        __syncwarp();
    }
    __syncthreads();
    if (warp != 0) {
        meanwhile();
    } else {
        const unsigned before = lane < OfRanks::scanning ? desk.before[lane] : 0;
        const auto upto = [&](int bin) { return weight_upto<units>(w, desk, before, bin); };
        // The last bin of every 64, and then each of 64. What is above the cutoff's bin is the largest sum that is too small.
        const unsigned of_many = upto(64 * lane + 63);
        const unsigned many = __ballot_sync(~0u, of_many >= w.reached);
        const int first = 64 * (__ffs(static_cast<int>(many)) - 1);
        if (many != 0) {
            const unsigned low = upto(first + lane), high = upto(first + 32 + lane);
            const unsigned of_low = __ballot_sync(~0u, low >= w.reached), of_high = __ballot_sync(~0u, high >= w.reached);
            unsigned above = of_many < w.reached ? of_many : 0;
            if (low < w.reached) above = max(above, low);
            if (high < w.reached) above = max(above, high);
            above = __reduce_max_sync(~0u, above);
            if (lane == 0) desk.bin = static_cast<unsigned>(first + (of_low != 0 ? __ffs(static_cast<int>(of_low)) - 1 : 31 + __ffs(static_cast<int>(of_high)))), desk.above = above;
        } else if (lane == 0) {
            desk.bin = bins;
        }
        __syncwarp();
    }
    __syncthreads();
}

}  // namespace tw::cuda::effort::of_choice
