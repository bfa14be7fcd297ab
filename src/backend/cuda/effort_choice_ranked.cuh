// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The last row that is read, among those of the cutoff's bin: they are gathered and ranked against each other. Where a bin does not tell
// (rows worth nothing, say, or more alike than can be ranked) it is found bit by bit, of its worth and then of its (unit, input).
//
//   rows of the bin, of all ranks ->  above + what is before it + its own weight >= reached: the first such  -> read, if affordable
#pragma once

#include "backend/cuda/effort_choice.cuh"

namespace tw::cuda::effort::of_choice {

/// A row of the cutoff's bin, to all ranks.
template <int ranks, int threads, int most_alike>
__device__ void put_alike(Desk<ranks, threads, most_alike>& desk, const Row& row) {
#pragma unroll
    for (int r = 0; r < ranks; ++r) {
        const unsigned at = ptx::add_in_rank<ranks>(&desk.count_alike, r, 1);
        if (at < most_alike) ptx::write_to_rank<ranks>(desk.alike + at, r, {row.worth, row.key});
    }
}

/// The rows of the bin that was found; there are few. input_of(n): which input a key is of.
template <int units, int ranks, int threads, int most_alike, int count, class InputOf>
__device__ void gather(const Work& w, Desk<ranks, threads, most_alike>& desk, const unsigned (&keys)[count], unsigned top, const InputOf& input_of) {
    constexpr int at_once = 32 / units;
    unsigned past[units];                                ///< less than a step before this one are the keys whose row is in the bin
#pragma unroll
    for (int u = 0; u < units; ++u) past[u] = top - ((desk.bin - w.m.falls[u]) << step);
#pragma unroll
    for (int first = 0; first < count; first += at_once) {
        unsigned those = 0;
#pragma unroll
        for (int n = first; n < min(first + at_once, count); ++n)
#pragma unroll
            for (int u = 0; u < units; ++u)
                if (past[u] - keys[n] < 1u << step) those |= 1u << ((n - first) * units + u);
        for (; those != 0; those &= those - 1) {
            const int row = __ffs(static_cast<int>(those)) - 1, of = row / units;
            unsigned key = 0;
#pragma unroll
            for (int n = first; n < min(first + at_once, count); ++n) key = of == n - first ? keys[n] : key;
            put_alike(desk, {lowered(w, key, row % units), key_of(row % units, input_of(first + of))});
        }
    }
    __syncwarp();
}

/// Ranks what has been gathered, a warp a row at a time. False: there is too much, for all ranks alike.
template <int ranks, int threads, int most_alike>
__device__ bool rank_rows(const Work& w, Desk<ranks, threads, most_alike>& desk) {
    ptx::sync_ranks<ranks>();
    const int lane = static_cast<int>(threadIdx.x) % 32, all = static_cast<int>(desk.count_alike);
    if (all > most_alike) return false;
    const unsigned above = desk.above;
    for (int c = static_cast<int>(threadIdx.x) / 32; c < all; c += threads / 32) {
        const Row one = desk.alike[c];
        unsigned in_front = 0, ties = 0;
        for (int x = lane; x < all; x += 32) {
            const Row other = desk.alike[x];
            in_front += other.is_before(one) ? weight_of(w, other) : 0;
            ties += other.worth == one.worth;
        }
        const unsigned before = above + __reduce_add_sync(~0u, in_front), with = before + weight_of(w, one);
        const bool has_ties = __reduce_add_sync(~0u, ties) > 1;
        if (lane == 0 && before < w.reached && with >= w.reached) {
            const unsigned is_read = with <= w.affordable;
            desk.cutoff = {{one.worth, one.key + is_read}, one.worth + 1 - is_read, has_ties};
        }
    }
    __syncthreads();
    return true;
}

/// For any worths, or those of the bin that was found. each(act(unit, input, worth)) is of all rows that a thread has.
template <int ranks, int threads, int most_alike, class Each>
__device__ void find_bit_by_bit(const Work& w, Desk<ranks, threads, most_alike>& desk, bool has_bin, const Each& each) {
    int turn = 0;
    /// What rows weigh that are this one or before it.
    const auto weight_upto = [&](const Row& last) {
        unsigned weight = 0;
        each([&](int u, int input, unsigned worth) { weight += Row{worth, key_of(u, input)}.place() >= last.place() ? w.m.weights[u] : 0; });
        weight = __reduce_add_sync(~0u, weight);
        const int lane = static_cast<int>(threadIdx.x) % 32;
        if (lane < ranks) ptx::add_in_rank<ranks>(desk.weighed + turn, lane, weight);
        if (threadIdx.x == 0) desk.weighed[(turn + 1) % 3] = 0;  // all have read that, and nobody adds to it yet
        __syncwarp();
        ptx::sync_ranks<ranks>();
        const unsigned of_all = desk.weighed[turn];
        turn = (turn + 1) % 3;
        return of_all;
    };
    const unsigned bits_there = ~(w.m.inputs > 1 ? ~0u >> __clz(w.m.inputs - 1) : 0u) & ((1u << bits_of_inputs) - 1);  // no input has these
    Row last{has_bin ? ((top_of(w) >> step) - desk.bin) << step : 0, ~0u};
    const bool is_worth = has_bin || weight_upto({1, ~0u}) >= w.reached;  // or it is among the rows that are worth nothing
    unsigned with = weight_upto(last);
    for (int bit = has_bin ? step - 1 : 30; bit >= 0 && is_worth; --bit) {
        const Row tried{last.worth | 1u << bit, ~0u};
        const unsigned of_it = weight_upto(tried);
        if (of_it >= w.reached) last = tried, with = of_it;
    }
    last.key = ~bits_there;
    for (int bit = 31; bit >= 0; --bit) {
        if (bits_there >> bit & 1) continue;
        const Row tried{last.worth, last.key & ~(1u << bit)};
        const unsigned of_it = weight_upto(tried);
        if (of_it >= w.reached) last = tried, with = of_it;
    }
    __syncthreads();
    if (threadIdx.x == 0) desk.cutoff = {{last.worth, last.key + (with <= w.affordable)}, 0, true};
    __syncthreads();
}

/// The cutoff, to desk.cutoff; keys are of the vector with this scale.
template <int units, int ranks, int threads, int most_alike, int count, class InputOf, class Each, class Meanwhile>
__device__ void choose(const Work& w, Desk<ranks, threads, most_alike>& desk, const unsigned (&keys)[count], float scale, const InputOf& input_of, const Each& each,
                       const Meanwhile& meanwhile) {
    const unsigned top = top_of(w);
    count_keys(desk, keys, top);
    find_bin<units>(w, desk, meanwhile);
    const bool has_bin = is_finite(w, scale) && static_cast<int>(desk.bin) < end_of_bins(w);
    if (has_bin) gather<units>(w, desk, keys, top, input_of);
    if (!has_bin || !rank_rows(w, desk)) find_bit_by_bit(w, desk, has_bin, each);
}

}  // namespace tw::cuda::effort::of_choice
