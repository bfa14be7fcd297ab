// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The last row that is read, among those of the cutoff's bin: they are gathered and ranked against each other. Where a
// bin does not tell (rows worth nothing, say, or more alike than can be ranked) it is found bit by bit, of its worth
// and then of its (unit, input).
//
//   rows of the bin, of all ranks ->  above + what is before it + its own weight >= reached: the first such  -> read,
//   if affordable
#pragma once

#include "backend/cuda/effort/choice/choice.cuh"

namespace tw::cuda::effort::of_choice {

/// A row of the cutoff's bin, to all ranks.
template <int ranks, int threads, int most_alike>
__device__ void put_alike(Desk<ranks, threads, most_alike>& desk, const Row& row, unsigned weight = 1) {
    if constexpr (ptx::are_together<ranks>) {
        if (desk.in_bin > most_alike) return;
        const unsigned at = ptx::add_in_rank<ranks>(&desk.count_alike, 0, 1);
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            ptx::send_to(desk.alike + at, r, {row.worth, row.key}, ptx::shared_address(&desk.rows_here));
            ptx::send_to(desk.weights + at, r, weight, ptx::shared_address(&desk.rows_here));
        }
    } else {
        const unsigned at = ptx::add_in_rank<ranks>(&desk.count_alike, 0, 1);
        if (at < most_alike) desk.alike[at] = row, desk.weights[at] = weight;
    }
}

/// How many there are, all of which have come here if they are not too many.
template <int ranks, int threads, int most_alike>
__device__ int wait_for_alike(Desk<ranks, threads, most_alike>& desk) {
    if constexpr (ptx::are_together<ranks>) {
        if (desk.in_bin <= most_alike) ptx::wait_barrier(ptx::shared_address(&desk.rows_here), 0);
        return static_cast<int>(desk.in_bin);
    } else {
        __syncthreads();
        return static_cast<int>(desk.count_alike);
    }
}

/// The rows of the bin that was found; there are few. input_of(n): which input a key is of.
template <int units, int ranks, int threads, int most_alike, int count, class InputOf>
__device__ void gather(const Work& w, Desk<ranks, threads, most_alike>& desk, const unsigned (&keys)[count],
                       unsigned top, const InputOf& input_of) {
    constexpr int at_once = 32 / units;
    unsigned bin[units];  // of keys whose row is in the one that was found
#pragma unroll
    for (int u = 0; u < units; ++u) bin[u] = desk.bin - w.m.falls[u];
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
            unsigned of_units = 0;
#pragma unroll
            for (int u = 0; u < units; ++u) of_units |= (top - key) >> step == bin[u] ? 1u << u : 0;
#pragma unroll 1
            do {  // nearly always one
                const int u = __ffs(static_cast<int>(of_units)) - 1;
                put_alike(desk, {lowered(w, key, u), key_of(u, input)}, w.m.weights[u]);
                of_units &= of_units - 1;
            } while (of_units != 0);
        }
    }
    __syncwarp();
}

/// Whether the row `one` is the last that is read, of those that have been gathered and lie behind `above`: to
/// desk.cutoff. `in_front`, `is_tie`: of the lane's others.
template <class OfRanks>
__device__ void conclude_row(const Work& w, OfRanks& desk, const Row& one, unsigned weight, unsigned above,
                             unsigned in_front, bool is_tie) {
    const unsigned before = above + __reduce_add_sync(~0u, in_front), with = before + weight,
                   is_read = with <= w.affordable;
    const bool has_ties = __any_sync(~0u, is_tie);
    if (threadIdx.x % 32 == 0 && before < w.reached && with >= w.reached)
        desk.cutoff = {{one.worth, one.key + is_read}, one.worth + 1 - is_read, has_ties};
}

/// Ranks up to 32 rows for each of a lane's: each warp some of them, all at once.
template <int of_lane, int ranks, int threads, int most_alike>
__device__ void rank_few(const Work& w, Desk<ranks, threads, most_alike>& desk, int all) {
    constexpr int warps = threads / 32, of_warp = (32 * of_lane + warps - 1) / warps;
    static_assert(warps * of_warp <= most_alike);
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const unsigned above = desk.above;
    Row others[of_lane];
    unsigned weights[of_lane];
#pragma unroll
    for (int x = 0; x < of_lane; ++x) others[x] = desk.alike[lane + 32 * x], weights[x] = desk.weights[lane + 32 * x];
#pragma unroll
    for (int n = 0; n < of_warp; ++n) {
        const int c = warp + warps * n;  // what is behind the last one is never written down: it has no weight
        const Row one = desk.alike[c];
        unsigned in_front = 0;
        bool is_tie = false;
#pragma unroll
        for (int x = 0; x < of_lane; ++x) {
            const bool is_there = lane + 32 * x < all && c < all;
            in_front += is_there && others[x].is_before(one) ? weights[x] : 0;
            is_tie |= is_there && others[x].worth == one.worth && lane + 32 * x != c;
        }
        conclude_row(w, desk, one, c < all ? desk.weights[c] : 0, above, in_front, is_tie);
    }
}

/// Ranks what has been gathered, a warp a row. False: there is too much, for all ranks alike.
template <int ranks, int threads, int most_alike>
__device__ bool rank_rows(const Work& w, Desk<ranks, threads, most_alike>& desk) {
    const int all = wait_for_alike(desk);
    if (all <= 32) {
        rank_few<1>(w, desk, all);
    } else if (all <= 64) {
        rank_few<2>(w, desk, all);
    } else if (all <= most_alike) {
#pragma unroll 1
        for (int c = static_cast<int>(threadIdx.x) / 32; c < all; c += threads / 32) {
            const Row one = desk.alike[c];
            unsigned in_front = 0;
            bool is_tie = false;
            for (int x = static_cast<int>(threadIdx.x) % 32; x < all; x += 32) {
                const Row other = desk.alike[x];
                in_front += other.is_before(one) ? desk.weights[x] : 0;
                is_tie |= other.worth == one.worth && x != c;
            }
            conclude_row(w, desk, one, desk.weights[c], desk.above, in_front, is_tie);
        }
    }
    __syncthreads();
    return all <= most_alike;
}

/// For any worths, or those of the bin that was found. each(act(unit, input, worth)) is of all rows that a thread has.
template <int ranks, int threads, int most_alike, class Each>
__device__ void find_bit_by_bit(const Work& w, Desk<ranks, threads, most_alike>& desk, bool has_bin, const Each& each) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const unsigned nowhere =
        ~(w.m.inputs > 1 ? ~0u >> __clz(w.m.inputs - 1) : 0u) & ((1u << bits_of_inputs) - 1);  // bits that no input has
    // The place of the last row that is read is the largest of which rows there or before weigh enough.
    std::uint64_t last = (has_bin ? std::uint64_t{(top_of(w) >> step) - desk.bin} << (32 + step) : 0) | nowhere;
    bool is_first = !has_bin;  // is anything at the cutoff worth something?
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
        if (lane < ranks) ptx::add_in_rank<ranks>(desk.weighed + turn, lane, weight);
        if (threadIdx.x == 0) desk.weighed[(turn + 1) % 3] = 0;  // all have read that, and nobody adds to it yet
        __syncwarp();
        ptx::sync_ranks<ranks>();
        weight = desk.weighed[turn];
        turn = (turn + 1) % 3;
        if (!is_first && weight >= w.reached) last = tried, with = weight;
        bit = is_first && weight < w.reached ? 31 : bit - !is_first;
        is_first = false;
    }
    if (threadIdx.x == 0)
        desk.cutoff = {
            {static_cast<unsigned>(last >> 32), ~static_cast<unsigned>(last) + (with <= w.affordable)}, 0, true};
    __syncthreads();
}

/// The cutoff, to desk.cutoff, when the bin has been found; keys are of the vector with this scale.
template <int units, int ranks, int threads, int most_alike, int count, class InputOf, class Each>
__device__ void find_cutoff(const Work& w, Desk<ranks, threads, most_alike>& desk, const unsigned (&keys)[count],
                            float scale, const InputOf& input_of, const Each& each) {
    const bool has_bin = is_finite(w, scale) && static_cast<int>(desk.bin) < end_of_bins(w);
    if (has_bin) gather<units>(w, desk, keys, top_of(w), input_of);
    if (!has_bin || !rank_rows(w, desk)) find_bit_by_bit(w, desk, has_bin, each);
}

}  // namespace tw::cuda::effort::of_choice
