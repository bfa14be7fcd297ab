// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The cutoff of planes among rows that are alike: a few are ranked against each other, and where there are too many (inputs that are zero,
// say), windows of 9 bits each narrow them down, of worths and then of keys. Right for any worths.
#pragma once

#include "backend/cuda/effort_planes_guess.cuh"

namespace tw::cuda::effort::of_planes {

__device__ inline void add_above(Choosing& desk, unsigned above) {
    above = __reduce_add_sync(~0u, above);
    if (threadIdx.x % 32 == 0) desk.of_warps[threadIdx.x / 32][0] = above;
}

__device__ inline void put_alike(Choosing& desk, unsigned worth, unsigned key) {
    const unsigned at = ptx::take_number(ptx::shared_address(&desk.count_alike));
    if (at < most_alike) desk.own_alike[at] = {worth, key};
}

/// Ranks the rows that have been gathered, of all ranks, for the last that is read: every warp for itself, a lane by a row, or together
/// where there are more. False: there are too many, the same for all blocks.
template <int ranks>
__device__ bool rank_rows(const Work& w, Choosing& desk, unsigned above, Cutoff& cutoff) {
    ptx::publish_to_ranks<ranks>();
    const unsigned thread = threadIdx.x, lane = thread % 32;
    std::uint32_t count[1] = {};
    if (lane < ranks) read_of_rank<ranks>(&desk.count_alike, static_cast<int>(lane), count);
    const unsigned all = __reduce_add_sync(~0u, count[0]);
    if (all > most_alike) return false;
    const Alike* alike = desk.own_alike;
    if constexpr (ranks > 1) {
        unsigned to = 0;
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            const unsigned of_rank = __shfl_sync(~0u, count[0], r), at = thread - to;  // one of all for each thread
            if (at < of_rank) {
                std::uint32_t one[2];
                ptx::read_in(ptx::shared_address(desk.own_alike + at), r, one);
                desk.alike[thread] = {one[0], one[1]};
            }
            to += of_rank;
        }
        __syncthreads();
        alike = desk.alike;
    }
    const auto is_last = [&](unsigned before, unsigned with) { return before < w.reached && with >= w.reached; };
    if (all <= 32) {
        const Alike one = lane < all ? alike[lane] : Alike{0, ~0u};
        const unsigned weight = weight_of(w, one.key);
        unsigned with = above + weight;
        for (unsigned x = 0; x < all; ++x) {
            const unsigned of_other = __shfl_sync(~0u, weight, x);
            with += alike[x].is_before(one) ? of_other : 0;
        }
        const int last = __ffs(static_cast<int>(__ballot_sync(~0u, lane < all && is_last(with - weight, with)))) - 1;
        const unsigned is_read = __shfl_sync(~0u, static_cast<unsigned>(with <= w.affordable), last);
        cutoff.row = {__shfl_sync(~0u, one.worth, last), __shfl_sync(~0u, one.key, last) + is_read};
        cutoff.least = cutoff.row.worth + 1 - is_read;
        cutoff.has_ties = __popc(__ballot_sync(~0u, lane < all && one.worth == cutoff.row.worth)) > 1;
        return true;
    }
    for (unsigned c = thread / 32; c < all; c += warps) {
        const Alike one = alike[c];
        unsigned before = 0;
        for (unsigned x = lane; x < all; x += 32)
            if (alike[x].is_before(one)) before += weight_of(w, alike[x].key);
        before = above + __reduce_add_sync(~0u, before);
        const unsigned with = before + weight_of(w, one.key);
        if (lane == 0 && is_last(before, with)) desk.cutoff = {one.worth, one.key + (with <= w.affordable)};
    }
    __syncthreads();
    cutoff.row = desk.cutoff, cutoff.has_ties = true;
    return true;
}

/// By windows of 9 bits, of worths and then of keys: for any worths.
template <int ranks>
__device__ void narrow_down(const Work& w, const Counted& all, Choosing& desk, float scale, int rank, Cutoff& cutoff) {
    constexpr int bits_of_keys = 26, whole_keys = (1 << bits_of_keys) - 1, far_above = 0x7fffffff;
    Window in{0, shift_of_all};
    unsigned alike = 0;                                  // by keys: what they are worth
    bool is_by_keys = false;
#pragma unroll 1
    for (;;) {
        const auto place = [&](int u, int input, unsigned worth) {
            if (!is_by_keys) return static_cast<int>(worth) - in.lowest;
            return worth < alike ? -1 : worth > alike ? far_above : max(whole_keys - static_cast<int>(key_of(u, input)) - in.lowest, -1);
        };
        ptx::sync_ranks<ranks>();                        // nobody reads the counters any more
        desk.window[threadIdx.x] = 0;
        if (threadIdx.x == 0) desk.count_alike = 0;
        __syncthreads();
        unsigned above = 0;
        all.each(scale, [&](int u, int input, unsigned worth) {
            const int at = place(u, input, worth);
            above += at > in.last() ? w.m.weights[u] : 0;
            if (at >= 0 && at <= in.last()) atomicAdd(desk.window + (at >> in.shift), w.m.weights[u]);
        });
        __syncwarp();
        add_above(desk, above);
        const Found found = Found::in<ranks>(desk, w.reached, rank);
        const int first = static_cast<int>(found.bin << in.shift);
        all.each(scale, [&](int u, int input, unsigned worth) {
            if (static_cast<unsigned>(place(u, input, worth) - first) < 1u << in.shift) put_alike(desk, worth, key_of(u, input));
        });
        __syncwarp();
        if (rank_rows<ranks>(w, desk, found.above, cutoff)) return;
        const bool is_exact = !is_by_keys && in.shift == 0;
        in = in.bin(found.bin);
        if (is_exact) is_by_keys = true, alike = static_cast<unsigned>(in.lowest), in = {0, bits_of_keys - 9};
    }
}

}  // namespace tw::cuda::effort::of_planes
