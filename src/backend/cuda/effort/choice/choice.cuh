// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the last row that is read is found by blocks that need to know it, from one key of each input: a row (unit u of
// input i) is worth key_i less falls[u] steps, so where keys are counted in bins of a step each, the rows of a bin and
// above it are keys of as many other bins as there are units. A search for the bin that holds the cutoff is all that
// units have to do with it; its few rows are ranked (choice_ranked.cuh).
//
//   keys ->  |.:|.||:..|.  ->  how many from the top  ->  W(bin) = sum of weight_u * keys upto bin - fall_u,  first W
//   >= reached  -> its rows
//
// Keys lie in registers. `ranks`: blocks of a cluster that have a part of the inputs each, and choose as one. All
// threads call everything.
#pragma once

#include "backend/cuda/effort/choice/select.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"
#include "backend/cuda/ptx/prefix.cuh"
#include "backend/cuda/ptx/shared_counts.cuh"

namespace tw::cuda::effort::of_choice {

constexpr int bins = 2048, step = 16,
              bits_of_inputs = 27;  ///< a bin is 2^16 of a float's bits, as a step of a fall is: 128 of them an octave
constexpr int of_lane = 63,
              searched =
                  32 * of_lane;  ///< bins that are looked at: 63 a lane, so that those of 32 lanes lie in 32 banks
constexpr unsigned nothing_worth = 0x7fffffffu;

/// A row that may be the last that is read. Keys are ordered as rows that are worth the same are: by (unit, input).
struct alignas(8) Row {
    unsigned worth, key;

    __device__ std::uint64_t place() const { return std::uint64_t{worth} << 32 | ~key; }  ///< the higher, the earlier
    __device__ bool is_before(const Row& other) const { return place() > other.place(); }
};

__device__ inline unsigned key_of(int unit, int input) {
    return static_cast<unsigned>(unit) << bits_of_inputs | static_cast<unsigned>(input);
}

/// Rows that are before this one are read. Unless several are worth the same, `least` alone says which those are.
struct Cutoff {
    Row row{nothing_worth, 0};
    unsigned least = nothing_worth + 1;
    bool has_ties = false;
};

/// No key is above this, the last of a step, unless a number is not finite.
__device__ inline unsigned top_of(const Work& w) {
    return __float_as_uint(2 * w.m.most_importance) | ((1u << step) - 1);
}
/// In this bin and behind it lie rows of which a bin says too little: they are worth nothing, or 16 octaves less than
/// the largest could be.
__device__ inline int end_of_bins(const Work& w) {
    return static_cast<int>(min(top_of(w) >> step, static_cast<unsigned>(searched)));
}
__device__ inline bool is_finite(const Work& w, float scale) {
    return scale != 0 && __float_as_uint(w.m.most_importance) < 0x7f800000u;
}

/// In shared memory. `most_alike`: rows of the cutoff's bin that can be ranked.
template <int ranks, int threads, int most_alike>
struct Desk {
    static constexpr int warps = threads / 32, of_thread = (bins / 4 + threads - 1) / threads * 4,
                         scanning = bins / of_thread / 32;
    static_assert(scanning <= warps && scanning * of_thread * 32 == bins);

    alignas(16) unsigned counters[bins];
    unsigned upto[4 + bins];        ///< keys in the bins up to this one, from the fifth on; before them zero
    unsigned before[scanning];      ///< keys in the bins of warps in front
    float largest[ranks * warps];   ///< |v|, of each warp of all ranks
    std::uint64_t here, rows_here;  ///< of several ranks, barriers: those have come, and all rows of the bin
    unsigned bin, above,
        in_bin;  ///< where the cutoff is, what rows before that bin weigh; of several ranks, how many it has
    unsigned count_alike, weighed[3];
    Cutoff cutoff;
    Row alike[most_alike];         ///< rows of the bin, of all ranks; there are count_alike, or in_bin
    unsigned weights[most_alike];  ///< of those

    /// Before anything is told or counted, with a barrier behind it of all ranks.
    __device__ void clear() {
        const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
        for (int first = 0; first < bins / 4; first += threads)
            if (bins / 4 % threads == 0 || first + thread < bins / 4)
                reinterpret_cast<uint4*>(counters)[first + thread] = {0, 0, 0, 0};
        if (thread < scanning) before[thread] = 0;
        if (thread != 0) return;
        upto[3] = count_alike = weighed[0] = weighed[1] = weighed[2] = 0;
        if constexpr (ptx::are_together<ranks>) {
            ptx::init_barrier(ptx::shared_address(&here), 1), ptx::init_barrier(ptx::shared_address(&rows_here), 1);
            ptx::publish_barriers();
            ptx::expect_bytes(ptx::shared_address(&here), sizeof largest);
        }
    }
};

/// The bits of the largest |v| of all ranks, from that of each thread.
template <int ranks, int threads, int most_alike>
__device__ unsigned largest_of(Desk<ranks, threads, most_alike>& desk, unsigned of_thread, int rank) {
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
template <int ranks, int threads, int most_alike, int count>
__device__ void count_keys(Desk<ranks, threads, most_alike>& desk, const unsigned (&keys)[count], unsigned top) {
    const std::uint32_t counters = ptx::shared_address(desk.counters);
#pragma unroll
    for (int n = 0; n < count; ++n) ptx::add(counters + 4 * min((top - keys[n]) >> step, bins - 1u), 1);
}

/// How many keys of all ranks are in a thread's bins, up to each of them.
template <int ranks, int threads, int most_alike, int of_thread>
__device__ void count_upto(const Desk<ranks, threads, most_alike>& desk, unsigned (&keys)[of_thread]) {
#pragma unroll
    for (int r = 0; r < ranks; ++r)
#pragma unroll
        for (int n = 0; n < of_thread; n += 4) {
            std::uint32_t four[4];
            ptx::read_of_rank<ranks>(desk.counters + of_thread * static_cast<int>(threadIdx.x) + n, r, four);
            keys[n] += four[0], keys[n + 1] += four[1], keys[n + 2] += four[2], keys[n + 3] += four[3];
        }
#pragma unroll
    for (int n = 1; n < of_thread; ++n) keys[n] += keys[n - 1];
}

/// What rows of a bin and those above weigh. `units` is 0 where their number is the matrix's.
template <int units>
__device__ unsigned weight_upto(const Work& w, const unsigned (&upto)[4 + bins], int bin) {
    const int all = units > 0 ? units : w.m.units;
    unsigned weight = 0;
#pragma unroll(units > 0 ? units : 4)
    for (int u = 0; u < all; ++u) weight += w.m.weights[u] * upto[4 + max(bin - static_cast<int>(w.m.falls[u]), -1)];
    return weight;
}

/// Which bin holds the row that brings the sum to `reached`, to desk.bin, or `bins`. `meanwhile` is called by each warp
/// but the first.
template <int units, int ranks, int threads, int most_alike, class Meanwhile>
__device__ void find_bin(const Work& w, Desk<ranks, threads, most_alike>& desk, const Meanwhile& meanwhile) {
    using OfRanks = Desk<ranks, threads, most_alike>;
    constexpr int of_thread = OfRanks::of_thread;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    __syncwarp();
    ptx::publish_to_ranks<ranks>();
    if (warp < OfRanks::scanning) {
        unsigned keys[of_thread] = {};
        count_upto(desk, keys);
        const unsigned of_warp = __reduce_add_sync(~0u, keys[of_thread - 1]);
        if (lane > warp && lane < OfRanks::scanning) ptx::add(ptx::shared_address(desk.before + lane), of_warp);
        unsigned in_front = ptx::prefix_of_warp(keys[of_thread - 1]) - keys[of_thread - 1];
        ptx::sync_named(1, 32 * OfRanks::scanning);
        in_front += desk.before[warp];
#pragma unroll
        for (int n = 0; n < of_thread; n += 4)
            *reinterpret_cast<uint4*>(desk.upto + 4 + of_thread * thread + n) = {
                in_front + keys[n], in_front + keys[n + 1], in_front + keys[n + 2], in_front + keys[n + 3]};
    }
    __syncthreads();
    if (warp != 0) {
        meanwhile();
    } else {
        // The last bin of every 63, and then each of 63. What is above the cutoff's bin is the largest sum that is too
        // small.
        const unsigned of_many = weight_upto<units>(w, desk.upto, of_lane * lane + of_lane - 1);
        const unsigned many = __ballot_sync(~0u, of_many >= w.reached);
        if (many != 0) {
            const int first = of_lane * (__ffs(static_cast<int>(many)) - 1);
            const unsigned low = weight_upto<units>(w, desk.upto, first + lane),
                           high = weight_upto<units>(w, desk.upto, first + 32 + lane);
            const unsigned of_low = __ballot_sync(~0u, low >= w.reached),
                           of_high = __ballot_sync(~0u, high >= w.reached);
            const unsigned above = __reduce_max_sync(
                ~0u,
                max(of_many < w.reached ? of_many : 0, max(low < w.reached ? low : 0, high < w.reached ? high : 0)));
            const int bin = of_low != 0 ? __ffs(static_cast<int>(of_low)) - 1 : 31 + __ffs(static_cast<int>(of_high));
            if (lane == 0) desk.bin = static_cast<unsigned>(first + bin), desk.above = above;
            if constexpr (ptx::are_together<ranks>) {
                unsigned in_bin = 0;
                if (lane < (units > 0 ? units : w.m.units)) {
                    const int of_key = first + bin - static_cast<int>(w.m.falls[lane]);
                    in_bin = of_key < 0 ? 0 : desk.upto[4 + of_key] - desk.upto[3 + of_key];
                }
                in_bin = __reduce_add_sync(~0u, in_bin);
                if (lane == 0) desk.in_bin = in_bin;
                if (lane == 0 && in_bin <= most_alike)
                    ptx::expect_bytes(ptx::shared_address(&desk.rows_here), static_cast<int>(in_bin) * 12);
            }
        } else if (lane == 0) {
            desk.bin = bins;
        }
        __syncwarp();
    }
    __syncthreads();
}

}  // namespace tw::cuda::effort::of_choice
