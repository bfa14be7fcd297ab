// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Finds the cutoff, the last row that is read, in the blocks that multiply. A row (unit u of input i) is worth key_i
// less falls[u] steps. Keys are counted in bins of one step, from the largest down, so the weight of the rows down to a
// bin is a sum over units of keys down to bin - falls[u]. A binary search finds the bin that holds the cutoff; its few
// rows are ranked (choice_ranked.cuh).
//
//   keys -> counts of bins -> prefix sums -> W(bin) = sum over u of weight_u * keys down to bin - fall_u
//        -> the first bin with W >= reached -> rank its rows
//
// Keys are in registers. `ranks`: blocks of a cluster, which have a part of the inputs each and choose together. All
// threads of a block call every function.
#pragma once

#include "backend/cuda/effort/choice/select.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"
#include "backend/cuda/ptx/prefix.cuh"
#include "backend/cuda/ptx/shared_counts.cuh"

namespace tw::cuda::effort::cutoff_search {

constexpr int bins = 2048, step = 16,
              bits_of_inputs = 27;  ///< a bin is 2^16 of a float's bits, the step of falls: 128 bins an octave
constexpr int of_lane = 63,
              searched = 32 * of_lane;  ///< bins that are searched: 63 a lane, so that 32 lanes read 32 different banks
constexpr unsigned nothing_worth = 0x7fffffffu;

/// A row that may be the cutoff. Rows of equal worth are ordered by key: by (unit, input).
struct alignas(8) Row {
    unsigned worth, key;

    __device__ std::uint64_t place() const {
        return std::uint64_t{worth} << 32 | ~key;
    }  ///< the higher, the earlier it is read
    __device__ bool is_before(const Row& other) const { return place() > other.place(); }
};

__device__ inline unsigned key_of(int unit, int input) {
    return static_cast<unsigned>(unit) << bits_of_inputs | static_cast<unsigned>(input);
}

/// Rows before this one are read. Without ties those are the rows worth at least `least`.
struct Cutoff {
    Row row{nothing_worth, 0};
    unsigned least = nothing_worth + 1;
    bool has_ties = false;
};

/// The largest possible key, rounded up to the end of its step; only infinity and NaN are above it.
__device__ inline unsigned top_of(const Params& w) {
    return __float_as_uint(2 * w.m.most_importance) | ((1u << step) - 1);
}
/// From this bin on bins do not tell rows apart: they are worth nothing, or 16 octaves less than the largest could be.
__device__ inline int end_of_bins(const Params& w) {
    return static_cast<int>(min(top_of(w) >> step, static_cast<unsigned>(searched)));
}
__device__ inline bool is_finite(const Params& w, float scale) {
    return scale != 0 && __float_as_uint(w.m.most_importance) < 0x7f800000u;
}

/// The search's shared memory. `most_candidates`: rows of the cutoff's bin that can be ranked.
template <int ranks, int threads, int most_candidates>
struct SharedMemory {
    static constexpr int warps = threads / 32, of_thread = (bins / 4 + threads - 1) / threads * 4,
                         scanning = bins / of_thread / 32;
    static_assert(scanning <= warps && scanning * of_thread * 32 == bins);

    alignas(16) unsigned counters[bins];
    unsigned upto[4 + bins];        ///< upto[4 + b]: keys in bins 0..b; upto[3] is zero
    unsigned before[scanning];      ///< keys in the bins of the warps before
    float largest[ranks * warps];   ///< |v|, of each warp of all ranks
    std::uint64_t here, rows_here;  ///< barriers, with several ranks: `largest` is complete; `candidates` is
    unsigned bin, above,
        in_bin;  ///< the cutoff's bin, the weight of the rows before it; with several ranks, its number of rows
    unsigned count_candidates, weighed[3];
    Cutoff cutoff;
    Row candidates[most_candidates];    ///< rows of the bin, of all ranks: count_candidates or in_bin of them
    unsigned weights[most_candidates];  ///< of the candidates

    /// Call it first, and have all ranks pass a barrier before anything else.
    __device__ void clear() {
        const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
        for (int first = 0; first < bins / 4; first += threads)
            if (bins / 4 % threads == 0 || first + thread < bins / 4)
                reinterpret_cast<uint4*>(counters)[first + thread] = {0, 0, 0, 0};
        if (thread < scanning) before[thread] = 0;
        if (thread != 0) return;
        upto[3] = count_candidates = weighed[0] = weighed[1] = weighed[2] = 0;
        if constexpr (ptx::are_together<ranks>) {
            ptx::init_barrier(ptx::shared_address(&here), 1), ptx::init_barrier(ptx::shared_address(&rows_here), 1);
            ptx::publish_barriers();
            ptx::expect_bytes(ptx::shared_address(&here), sizeof largest);
        }
    }
};

/// The bits of the largest |v| of all ranks, from each thread's largest.
template <int ranks, int threads, int most_candidates>
__device__ unsigned largest_of(SharedMemory<ranks, threads, most_candidates>& shared, unsigned of_thread, int rank) {
    constexpr int warps = threads / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const unsigned of_warp = __reduce_max_sync(~0u, of_thread);
    float& own = shared.largest[rank * warps + warp];
    if constexpr (ptx::are_together<ranks>) {
        if (lane < ranks) ptx::send_float_to(&own, lane, __uint_as_float(of_warp), ptx::shared_address(&shared.here));
        __syncwarp();
        ptx::wait_barrier(ptx::shared_address(&shared.here), 0);
    } else {
        if (lane == 0) own = __uint_as_float(of_warp);
        __syncthreads();
    }
    unsigned most = 0;
#pragma unroll
    for (int n = 0; n < ranks * warps; n += 32)
        if (n + lane < ranks * warps) most = max(most, __float_as_uint(shared.largest[n + lane]));
    return __reduce_max_sync(~0u, most);
}

/// Padding counts as key 0, too: that is harmless, as the last bins are never searched.
template <int ranks, int threads, int most_candidates, int count>
__device__ void count_keys(SharedMemory<ranks, threads, most_candidates>& shared, const unsigned (&keys)[count],
                           unsigned top) {
    const std::uint32_t counters = ptx::shared_address(shared.counters);
#pragma unroll
    for (int n = 0; n < count; ++n) ptx::add(counters + 4 * min((top - keys[n]) >> step, bins - 1u), 1);
}

/// Prefix sums over a thread's bins of the keys of all ranks.
template <int ranks, int threads, int most_candidates, int of_thread>
__device__ void count_upto(const SharedMemory<ranks, threads, most_candidates>& shared, unsigned (&keys)[of_thread]) {
#pragma unroll
    for (int r = 0; r < ranks; ++r)
#pragma unroll
        for (int n = 0; n < of_thread; n += 4) {
            std::uint32_t four[4];
            ptx::read_of_rank<ranks>(shared.counters + of_thread * static_cast<int>(threadIdx.x) + n, r, four);
            keys[n] += four[0], keys[n + 1] += four[1], keys[n + 2] += four[2], keys[n + 3] += four[3];
        }
#pragma unroll
    for (int n = 1; n < of_thread; ++n) keys[n] += keys[n - 1];
}

/// The weight of the rows down to a bin. `units` is 0 where it is not known when compiling.
template <int units>
__device__ unsigned weight_upto(const Params& w, const unsigned (&upto)[4 + bins], int bin) {
    const int all = units > 0 ? units : w.m.units;
    unsigned weight = 0;
#pragma unroll(units > 0 ? units : 4)
    for (int u = 0; u < all; ++u) weight += w.m.weights[u] * upto[4 + max(bin - static_cast<int>(w.m.falls[u]), -1)];
    return weight;
}

/// Writes to shared.bin the bin of the row that brings the weight to `reached`, or `bins` if none does. All warps but
/// the first call `meanwhile`.
template <int units, int ranks, int threads, int most_candidates, class Meanwhile>
__device__ void find_bin(const Params& w, SharedMemory<ranks, threads, most_candidates>& shared,
                         const Meanwhile& meanwhile) {
    using Memory = SharedMemory<ranks, threads, most_candidates>;
    constexpr int of_thread = Memory::of_thread;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    __syncwarp();
    ptx::publish_to_ranks<ranks>();
    if (warp < Memory::scanning) {
        unsigned keys[of_thread] = {};
        count_upto(shared, keys);
        const unsigned of_warp = __reduce_add_sync(~0u, keys[of_thread - 1]);
        if (lane > warp && lane < Memory::scanning) ptx::add(ptx::shared_address(shared.before + lane), of_warp);
        unsigned in_front = ptx::prefix_of_warp(keys[of_thread - 1]) - keys[of_thread - 1];
        ptx::sync_named(1, 32 * Memory::scanning);
        in_front += shared.before[warp];
#pragma unroll
        for (int n = 0; n < of_thread; n += 4)
            *reinterpret_cast<uint4*>(shared.upto + 4 + of_thread * thread + n) = {
                in_front + keys[n], in_front + keys[n + 1], in_front + keys[n + 2], in_front + keys[n + 3]};
    }
    __syncthreads();
    if (warp != 0) {
        meanwhile();
    } else {
        // First the last bin of every 63, then each of 63. The weight above the cutoff's bin is the largest sum that is
        // still too small.
        const unsigned of_many = weight_upto<units>(w, shared.upto, of_lane * lane + of_lane - 1);
        const unsigned many = __ballot_sync(~0u, of_many >= w.reached);
        if (many != 0) {
            const int first = of_lane * (__ffs(static_cast<int>(many)) - 1);
            const unsigned low = weight_upto<units>(w, shared.upto, first + lane),
                           high = weight_upto<units>(w, shared.upto, first + 32 + lane);
            const unsigned of_low = __ballot_sync(~0u, low >= w.reached),
                           of_high = __ballot_sync(~0u, high >= w.reached);
            const unsigned above = __reduce_max_sync(
                ~0u,
                max(of_many < w.reached ? of_many : 0, max(low < w.reached ? low : 0, high < w.reached ? high : 0)));
            const int bin = of_low != 0 ? __ffs(static_cast<int>(of_low)) - 1 : 31 + __ffs(static_cast<int>(of_high));
            if (lane == 0) shared.bin = static_cast<unsigned>(first + bin), shared.above = above;
            if constexpr (ptx::are_together<ranks>) {
                unsigned in_bin = 0;
                if (lane < (units > 0 ? units : w.m.units)) {
                    const int of_key = first + bin - static_cast<int>(w.m.falls[lane]);
                    in_bin = of_key < 0 ? 0 : shared.upto[4 + of_key] - shared.upto[3 + of_key];
                }
                in_bin = __reduce_add_sync(~0u, in_bin);
                if (lane == 0) shared.in_bin = in_bin;
                if (lane == 0 && in_bin <= most_candidates)
                    ptx::expect_bytes(ptx::shared_address(&shared.rows_here), static_cast<int>(in_bin) * 12);
            }
        } else if (lane == 0) {
            shared.bin = bins;
        }
        __syncwarp();
    }
    __syncthreads();
}

}  // namespace tw::cuda::effort::cutoff_search
