// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The cutoff of effort_select, for any units and any number of inputs: counted 11, 10 and 10 bits at a time, over all blocks of a cluster.
#pragma once

#include "backend/cuda/effort_select.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/prefix.cuh"

namespace tw::cuda::effort::of_units {

constexpr int threads = 512, warps = threads / 32, most_ranks = 16, most_units = 32;
constexpr int high_bins = 2048, bins = 1024;
constexpr int fine_bins = 1024, fine_shift = 17, next_bins = 512, most_narrowed = 4096;  ///< of units that weigh the same: 64 bins from a power of 2 to the next

struct Desk {
    alignas(16) unsigned high[high_bins], middle[bins], low[bins];
    unsigned sums[warps];
    unsigned published[1 + most_units];             ///< inputs above the cutoff, and rows at it, of each unit
    unsigned before[most_units], allowed[most_units];  ///< rows at the cutoff: in earlier blocks, and that may be taken in all
    alignas(16) unsigned fine[fine_bins], next[next_bins], last[next_bins];
    float narrowed[most_narrowed];                  ///< all ranks' worths of one fine bin
    unsigned of_rank[most_ranks], pushed;           ///< how many of them are of each rank, and this one's
    unsigned bin, above, at_bin;
    unsigned first, all;                            ///< entries of earlier blocks, and of all
};

/// The sum over the threads before this one; `all` is that over all threads.
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

/// The largest |v|; so many are on their way to a thread.
template <int at_once>
__device__ unsigned most_of(const float* v, int inputs, unsigned* sums) {
    unsigned most = 0;
    for (int first = static_cast<int>(threadIdx.x); first < inputs; first += at_once * threads)
#pragma unroll
        for (int x = 0; x < at_once; ++x)
            if (first + x * threads < inputs) most = max(most, __float_as_uint(v[first + x * threads]) & 0x7fffffffu);
    most = __reduce_max_sync(~0u, most);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = most;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < warps; ++w) most = max(most, sums[w]);
    __syncthreads();
    return most;
}

/// One vector's worths, of the inputs that this block has.
struct Rows {
    const float *v, *importance;
    const Work& w;
    float scale;
    int inputs, units, begin, end;
    std::int64_t apart;  ///< one unit's gains from the next one's
    float* kept;  ///< [units][end - begin]: the importance first, then the worths; null: there is no room for them

    __device__ float& kept_at(int u, int i) const { return kept[u * (end - begin) + i - begin]; }
    /// Not negative, so the bits are ordered as the numbers are.
    __device__ unsigned key(int i, float of_input) const { return __float_as_uint(__fmul_rn(__fmul_rn(fabsf(v[i]), scale), of_input)) & 0x7fffffffu; }
    __device__ unsigned worth(int u, int i) const {
        if (kept) return __float_as_uint(kept_at(u, i));
        return lowered(w, key(i, importance[i]), u);
    }
    /// Before the vector is there. Each thread its own inputs, as everywhere here: nobody else looks at them.
    __device__ void keep_importance() const {
        for (int i = begin + static_cast<int>(threadIdx.x); i < end && kept; i += threads) kept_at(0, i) = importance[i];
    }
};

/// From the top bin down, over all ranks' counters: the first that brings the sum to what is to be reached, and the sum above it; where it
/// is wanted, how much of the bin is each rank's.
template <int ranks, bool tells_ranks = false, int count>
__device__ void descend(Desk& desk, const unsigned (&counters)[count], unsigned reached, unsigned above, int rank) {
    constexpr int own = count / threads;
    const int top = count - own * (1 + static_cast<int>(threadIdx.x));
    unsigned mine[own] = {}, sum = 0, all;
    std::uint32_t there[ranks][own];  // all asked for before any is needed, and every block begins with another one
#pragma unroll
    for (int r = 0; r < ranks; ++r) ptx::read_in(ptx::shared_address(counters + top), (rank + r) % ranks, there[r]);
#pragma unroll
    for (int r = 0; r < ranks; ++r)
#pragma unroll
        for (int b = 0; b < own; ++b) mine[b] += there[r][b];
#pragma unroll
    for (int b = 0; b < own; ++b) sum += mine[b];
    if (threadIdx.x == 0) desk.bin = count - 1, desk.above = above;
    unsigned before = above + prefix_of(sum, desk.sums, all);
#pragma unroll
    for (int b = own - 1; b >= 0; --b) {
        if (before < reached && before + mine[b] >= reached) {
            desk.bin = static_cast<unsigned>(top + b), desk.above = before, desk.at_bin = mine[b];
#pragma unroll
            for (int r = 0; r < ranks && tells_ranks; ++r) desk.of_rank[(rank + r) % ranks] = there[r][b];
        }
        before += mine[b];
    }
    __syncthreads();
}

/// The same by this block's counters alone.
__device__ inline void descend_here(Desk& desk, const unsigned (&counters)[next_bins], unsigned reached, unsigned above) {
    static_assert(next_bins == threads);
    unsigned all;
    const int bin = next_bins - 1 - static_cast<int>(threadIdx.x);
    const unsigned mine = counters[bin], before = above + prefix_of(mine, desk.sums, all);
    if (before < reached && before + mine >= reached) desk.bin = static_cast<unsigned>(bin), desk.above = before, desk.at_bin = mine;
    __syncthreads();
}

/// Of worths, which are below twice the largest statistic, 16 powers of 2; what is smaller is counted in the first bin.
struct FineBins {
    int lowest;

    __device__ explicit FineBins(const Work& w) { lowest = static_cast<int>(__float_as_uint(2 * w.m.most_importance) >> fine_shift) - (fine_bins - 1); }
    __device__ int of(unsigned worth) const { return min(max(static_cast<int>(worth >> fine_shift) - lowest, 0), fine_bins - 1); }
};

/// The cutoff where all units weigh the same: the worths are kept, and counted in desk.fine. Every block is told all worths of the
/// cutoff's bin, and goes on by itself. False: there are too many, or it's the first bin or the last, which have no bounds.
template <int ranks>
__device__ bool find_even_cutoff(const Work& w, const Rows& rows, Desk& desk, int rank, unsigned& worth) {
    ptx::publish_to_ranks<ranks>();
    descend<ranks, true>(desk, desk.fine, w.reached, 0, rank);
    const unsigned above = desk.above, found = desk.bin + static_cast<unsigned>(FineBins(w).lowest);
    const int all = static_cast<int>(desk.at_bin), count = (rows.end - rows.begin) * rows.units;
    if (desk.bin == 0 || desk.bin == fine_bins - 1 || all > most_narrowed) return false;
    unsigned first = 0;
#pragma unroll
    for (int r = 0; r < ranks; ++r) first += r < rank ? desk.of_rank[r] : 0;
#pragma unroll 4
    for (int r = static_cast<int>(threadIdx.x); r < count; r += threads) {
        const float one = rows.kept[r];
        if (__float_as_uint(one) >> fine_shift != found) continue;
        float* place = desk.narrowed + first + atomicAdd(&desk.pushed, 1u);
        for (int other = 0; other < ranks; ++other) ptx::write_float_in(place, other, one);
    }
    ptx::sync_ranks<ranks>();
    for (int x = static_cast<int>(threadIdx.x); x < all; x += threads) atomicAdd(desk.next + (__float_as_uint(desk.narrowed[x]) >> 8 & (next_bins - 1)), 1u);
    __syncthreads();
    descend_here(desk, desk.next, w.reached, above);
    const unsigned upper = found << 9 | desk.bin, upper_above = desk.above;
    for (int x = static_cast<int>(threadIdx.x); x < all; x += threads) {
        const unsigned one = __float_as_uint(desk.narrowed[x]);
        if (one >> 8 == upper) atomicAdd(desk.last + (one & 255), 1u);
    }
    __syncthreads();
    descend_here(desk, desk.last, w.reached, upper_above);
    worth = upper << 8 | desk.bin;
    return true;
}

/// The bits of the cutoff; what is worth more weighs desk.above.
template <int ranks>
__device__ unsigned find_cutoff(const Work& w, const Rows& rows, Desk& desk, int rank) {
    const auto count = [&](unsigned* counters, int shift, unsigned mask, unsigned known, int known_shift) {
        for (int u = 0; u < rows.units; ++u)
            for (int i = rows.begin + static_cast<int>(threadIdx.x); i < rows.end; i += threads) {
                const unsigned worth = rows.worth(u, i);
                if (known_shift == 31 || worth >> known_shift == known) atomicAdd(counters + (worth >> shift & mask), w.m.weights[u]);
            }
        ptx::publish_to_ranks<ranks>();
    };
    count(desk.high, 20, high_bins - 1, 0, 31);
    descend<ranks>(desk, desk.high, w.reached, 0, rank);
    unsigned found = desk.bin, above = desk.above;
    count(desk.middle, 10, bins - 1, found, 20);
    descend<ranks>(desk, desk.middle, w.reached, above, rank);
    found = found << 10 | desk.bin, above = desk.above;
    count(desk.low, 0, bins - 1, found, 10);
    descend<ranks>(desk, desk.low, w.reached, above, rank);
    return found << 10 | desk.bin;
}

}  // namespace tw::cuda::effort::of_units
