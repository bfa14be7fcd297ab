// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The cutoff of effort_select, for any number of units and inputs: a radix search by 11, 10 and 10 bits, over all
// blocks of a cluster.
#pragma once

#include "backend/cuda/effort/choice/select.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/prefix.cuh"

namespace tw::cuda::effort::selection {

constexpr int threads = 512, warps = threads / 32, most_ranks = 8, most_units = 32;
constexpr int high_bins = 2048, bins = 1024;

struct SharedMemory {
    alignas(16) unsigned high[high_bins], middle[bins], low[bins];
    unsigned sums[warps];
    unsigned published[most_units];  ///< rows at the cutoff, for each unit
    unsigned before[most_units],
        allowed[most_units];  ///< rows at the cutoff: in earlier blocks, and that may be taken in all
    unsigned bin, above;
};

/// The sum over the threads before this one; `all`: over all threads.
__device__ inline unsigned prefix_of(unsigned x, unsigned* sums, unsigned& all) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const unsigned upto = ptx::prefix_of_warp(x);
    if (lane == 31) sums[warp] = upto;
    __syncthreads();
    unsigned below = 0, total = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
        const unsigned of_warp = sums[w];
        total += of_warp;
        if (w < warp) below += of_warp;
    }
    __syncthreads();
    all = total;
    return below + upto - x;
}

/// The bits of the largest |v|; each thread has eight loads in flight.
__device__ inline unsigned most_of(const float* v, int inputs, unsigned* sums) {
    constexpr int at_once = 8;
    unsigned most = 0;
    for (int first = static_cast<int>(threadIdx.x); first < inputs; first += at_once * threads)
#pragma unroll
        for (int x = 0; x < at_once; ++x)
            if (first + x * threads < inputs) most = max(most, bits_of_size(v[first + x * threads]));
    most = __reduce_max_sync(~0u, most);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = most;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < warps; ++w) most = max(most, sums[w]);
    __syncthreads();
    return most;
}

/// The worths of this block's inputs for one vector.
struct Rows {
    const float *v, *importance;
    const Params& w;
    float scale;
    int inputs, units, begin, end;
    std::int64_t apart;  ///< from one unit's gains to the next one's
    float* kept;  ///< [units][end - begin], first the importance, then the worths; null: too large for shared memory

    __device__ float& kept_at(int u, int i) const { return kept[u * (end - begin) + i - begin]; }
    __device__ unsigned key(int i, float of_input) const { return key_of_input(v[i], scale, of_input); }
    __device__ unsigned worth(int u, int i) const {
        if (kept) return __float_as_uint(kept_at(u, i));
        return lowered(w, key(i, importance[i]), u);
    }
    /// Call it before waiting for the vector. A thread reads and writes only its own inputs, so no barrier is needed.
    __device__ void keep_importance() const {
        for (int i = begin + static_cast<int>(threadIdx.x); i < end && kept; i += threads)
            kept_at(0, i) = importance[i];
    }
};

/// Over all ranks' counters, from the top bin down: the first bin that brings the sum to `reached`, and the sum above
/// it.
template <int ranks, int count>
__device__ void descend(SharedMemory& shared, const unsigned (&counters)[count], unsigned reached, unsigned above,
                        int rank) {
    constexpr int own = count / threads;
    const int top = count - own * (1 + static_cast<int>(threadIdx.x));
    unsigned mine[own] = {}, sum = 0, all;
    std::uint32_t there[ranks][own];  // all loads first; each block starts at another rank
#pragma unroll
    for (int r = 0; r < ranks; ++r) ptx::read_in(ptx::shared_address(counters + top), (rank + r) % ranks, there[r]);
#pragma unroll
    for (int r = 0; r < ranks; ++r)
#pragma unroll
        for (int b = 0; b < own; ++b) mine[b] += there[r][b];
#pragma unroll
    for (int b = 0; b < own; ++b) sum += mine[b];
    if (threadIdx.x == 0) shared.bin = count - 1, shared.above = above;
    unsigned before = above + prefix_of(sum, shared.sums, all);
#pragma unroll
    for (int b = own - 1; b >= 0; --b) {
        if (before < reached && before + mine[b] >= reached)
            shared.bin = static_cast<unsigned>(top + b), shared.above = before;
        before += mine[b];
    }
    __syncthreads();
}

/// The bits of the cutoff; rows worth more weigh shared.above.
template <int ranks>
__device__ unsigned find_cutoff(const Params& w, const Rows& rows, SharedMemory& shared, int rank) {
    const auto count = [&](unsigned* counters, int shift, unsigned mask, unsigned known, int known_shift) {
        for (int u = 0; u < rows.units; ++u)
            for (int i = rows.begin + static_cast<int>(threadIdx.x); i < rows.end; i += threads) {
                const unsigned worth = rows.worth(u, i);
                if (known_shift == 31 || worth >> known_shift == known)
                    atomicAdd(counters + (worth >> shift & mask), w.m.weights[u]);
            }
        ptx::publish_to_ranks<ranks>();
    };
    count(shared.high, 20, high_bins - 1, 0, 31);
    descend<ranks>(shared, shared.high, w.reached, 0, rank);
    unsigned found = shared.bin, above = shared.above;
    count(shared.middle, 10, bins - 1, found, 20);
    descend<ranks>(shared, shared.middle, w.reached, above, rank);
    found = found << 10 | shared.bin, above = shared.above;
    count(shared.low, 0, bins - 1, found, 10);
    descend<ranks>(shared, shared.low, w.reached, above, rank);
    return found << 10 | shared.bin;
}

}  // namespace tw::cuda::effort::selection
