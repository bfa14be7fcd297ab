// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Finds the cutoff among the rows of its bin: they are gathered and ranked against each other. Where bins do not tell
// (rows worth nothing, or more candidates than can be ranked) it is found bit by bit, first of its worth and then of
// its (unit, input).
//
//   rows of the bin, of all ranks -> the first with above + weight before it + its own weight >= reached
//                                 -> read, if affordable
#pragma once

#include "backend/cuda/effort/choice/choice.cuh"

namespace tw::cuda::effort::cutoff_search {

/// Sends a row of the cutoff's bin to all ranks.
template <int ranks, int threads, int most_candidates>
__device__ void add_candidate(SharedMemory<ranks, threads, most_candidates>& shared, const Row& row,
                              unsigned weight = 1) {
    if constexpr (ptx::are_together<ranks>) {
        if (shared.in_bin > most_candidates) return;
        const unsigned at = ptx::add_in_rank<ranks>(&shared.count_candidates, 0, 1);
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            ptx::send_to(shared.candidates + at, r, {row.worth, row.key}, ptx::shared_address(&shared.rows_here));
            ptx::send_to(shared.weights + at, r, weight, ptx::shared_address(&shared.rows_here));
        }
    } else {
        const unsigned at = ptx::add_in_rank<ranks>(&shared.count_candidates, 0, 1);
        if (at < most_candidates) shared.candidates[at] = row, shared.weights[at] = weight;
    }
}

/// The number of candidates; if they are not too many, all of them have arrived here.
template <int ranks, int threads, int most_candidates>
__device__ int wait_for_candidates(SharedMemory<ranks, threads, most_candidates>& shared) {
    if constexpr (ptx::are_together<ranks>) {
        if (shared.in_bin <= most_candidates) ptx::wait_barrier(ptx::shared_address(&shared.rows_here), 0);
        return static_cast<int>(shared.in_bin);
    } else {
        __syncthreads();
        return static_cast<int>(shared.count_candidates);
    }
}

/// Gathers the few rows of the bin that was found. input_of(n): the input of key n.
template <int units, int ranks, int threads, int most_candidates, int count, class InputOf>
__device__ void gather(const Params& w, SharedMemory<ranks, threads, most_candidates>& shared,
                       const unsigned (&keys)[count], unsigned top, const InputOf& input_of) {
    constexpr int at_once = 32 / units;
    unsigned bin[units];  // bin of a key whose row of this unit is in the cutoff's bin
#pragma unroll
    for (int u = 0; u < units; ++u) bin[u] = shared.bin - w.m.falls[u];
#pragma unroll
    for (int first = 0; first < count; first += at_once) {
        unsigned those = 0;
#pragma unroll
        for (int n = first; n < min(first + at_once, count); ++n) {
            const unsigned of_key = (top - keys[n]) >> step;
            bool is_one = false;
#pragma unroll
            for (int u = 0; u < units; ++u) is_one |= of_key == bin[u];
            if (is_one) those |= 1u << (n - first);
        }
#pragma unroll 1
        for (; those != 0; those &= those - 1) {
            const int of = __ffs(static_cast<int>(those)) - 1, input = input_of(first + of);
            unsigned key = keys[first];
#pragma unroll
            for (int n = first + 1; n < min(first + at_once, count); ++n) key = of == n - first ? keys[n] : key;
            unsigned selection = 0;
#pragma unroll
            for (int u = 0; u < units; ++u) selection |= (top - key) >> step == bin[u] ? 1u << u : 0;
#pragma unroll 1
            do {  // nearly always once
                const int u = __ffs(static_cast<int>(selection)) - 1;
                add_candidate(shared, {lowered(w, key, u), key_of(u, input)}, w.m.weights[u]);
                selection &= selection - 1;
            } while (selection != 0);
        }
    }
    __syncwarp();
}

/// Writes shared.cutoff if the candidate `one` is the cutoff. `above`: the weight above the bin. `in_front`, `is_tie`:
/// the weight before it and the ties among the candidates that this lane compared.
template <class Memory>
__device__ void conclude_row(const Params& w, Memory& shared, const Row& one, unsigned weight, unsigned above,
                             unsigned in_front, bool is_tie) {
    const unsigned before = above + __reduce_add_sync(~0u, in_front), with = before + weight,
                   is_read = with <= w.affordable;
    const bool has_ties = __any_sync(~0u, is_tie);
    if (threadIdx.x % 32 == 0 && before < w.reached && with >= w.reached)
        shared.cutoff = {{one.worth, one.key + is_read}, one.worth + 1 - is_read, has_ties};
}

/// Ranks up to 32 * of_lane candidates: each warp takes some of them and compares them with all.
template <int of_lane, int ranks, int threads, int most_candidates>
__device__ void rank_few(const Params& w, SharedMemory<ranks, threads, most_candidates>& shared, int all) {
    constexpr int warps = threads / 32, of_warp = (32 * of_lane + warps - 1) / warps;
    static_assert(warps * of_warp <= most_candidates);
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const unsigned above = shared.above;
    Row others[of_lane];
    unsigned weights[of_lane];
#pragma unroll
    for (int x = 0; x < of_lane; ++x)
        others[x] = shared.candidates[lane + 32 * x], weights[x] = shared.weights[lane + 32 * x];
#pragma unroll
    for (int n = 0; n < of_warp; ++n) {
        const int c = warp + warps * n;  // past the last candidate the weight is 0, so nothing is written
        const Row one = shared.candidates[c];
        unsigned in_front = 0;
        bool is_tie = false;
#pragma unroll
        for (int x = 0; x < of_lane; ++x) {
            const bool is_there = lane + 32 * x < all && c < all;
            in_front += is_there && others[x].is_before(one) ? weights[x] : 0;
            is_tie |= is_there && others[x].worth == one.worth && lane + 32 * x != c;
        }
        conclude_row(w, shared, one, c < all ? shared.weights[c] : 0, above, in_front, is_tie);
    }
}

/// Ranks the candidates, one warp for each. False, on all ranks: there are too many.
template <int ranks, int threads, int most_candidates>
__device__ bool rank_rows(const Params& w, SharedMemory<ranks, threads, most_candidates>& shared) {
    const int all = wait_for_candidates(shared);
    if (all <= 32) {
        rank_few<1>(w, shared, all);
    } else if (all <= 64) {
        rank_few<2>(w, shared, all);
    } else if (all <= most_candidates) {
#pragma unroll 1
        for (int c = static_cast<int>(threadIdx.x) / 32; c < all; c += threads / 32) {
            const Row one = shared.candidates[c];
            unsigned in_front = 0;
            bool is_tie = false;
            for (int x = static_cast<int>(threadIdx.x) % 32; x < all; x += 32) {
                const Row other = shared.candidates[x];
                in_front += other.is_before(one) ? shared.weights[x] : 0;
                is_tie |= other.worth == one.worth && x != c;
            }
            conclude_row(w, shared, one, shared.weights[c], shared.above, in_front, is_tie);
        }
    }
    __syncthreads();
    return all <= most_candidates;
}

/// Finds the cutoff among all rows, or among those of its bin. each(act) calls act(unit, input, worth) for every row of
/// a thread.
template <int ranks, int threads, int most_candidates, class Each>
__device__ void find_bit_by_bit(const Params& w, SharedMemory<ranks, threads, most_candidates>& shared, bool has_bin,
                                const Each& each) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const unsigned nowhere =
        ~(w.m.inputs > 1 ? ~0u >> __clz(w.m.inputs - 1) : 0u) & ((1u << bits_of_inputs) - 1);  // bits that no input has
    // The cutoff's place() is the largest for which the rows at it or before weigh enough.
    std::uint64_t last = (has_bin ? std::uint64_t{(top_of(w) >> step) - shared.bin} << (32 + step) : 0) | nowhere;
    bool is_first = !has_bin;  // the first turn asks whether rows that are worth something weigh enough
    unsigned with = 0;
    int turn = 0;
#pragma unroll 1
    for (int bit = has_bin ? 32 + step - 1 : 62; bit >= 0;) {
        if (bit < 32 && (nowhere >> bit & 1) != 0) {
            --bit;
            continue;
        }
        const std::uint64_t tried = last | std::uint64_t{1} << (is_first ? 32 : bit);
        unsigned weight = 0;
        each([&](int u, int input, unsigned worth) {
            weight += Row{worth, key_of(u, input)}.place() >= tried ? w.m.weights[u] : 0;
        });
        weight = __reduce_add_sync(~0u, weight);
        if (lane < ranks) ptx::add_in_rank<ranks>(shared.weighed + turn, lane, weight);
        if (threadIdx.x == 0) shared.weighed[(turn + 1) % 3] = 0;  // all threads have read it, and none adds to it yet
        __syncwarp();
        ptx::sync_ranks<ranks>();
        weight = shared.weighed[turn];
        turn = (turn + 1) % 3;
        if (!is_first && weight >= w.reached) last = tried, with = weight;
        bit = is_first && weight < w.reached ? 31 : bit - !is_first;
        is_first = false;
    }
    if (threadIdx.x == 0)
        shared.cutoff = {
            {static_cast<unsigned>(last >> 32), ~static_cast<unsigned>(last) + (with <= w.affordable)}, 0, true};
    __syncthreads();
}

/// Writes shared.cutoff, once find_bin() has run; keys are for the vector times `scale`.
template <int units, int ranks, int threads, int most_candidates, int count, class InputOf, class Each>
__device__ void find_cutoff(const Params& w, SharedMemory<ranks, threads, most_candidates>& shared,
                            const unsigned (&keys)[count], float scale, const InputOf& input_of, const Each& each) {
    const bool has_bin = is_finite(w, scale) && static_cast<int>(shared.bin) < end_of_bins(w);
    if (has_bin) gather<units>(w, shared, keys, top_of(w), input_of);
    if (!has_bin || !rank_rows(w, shared)) find_bit_by_bit(w, shared, has_bin, each);
}

}  // namespace tw::cuda::effort::cutoff_search
