// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which planes of which inputs are read, chosen by the cluster that multiplies them: every cluster of a product chooses the same, and
// nothing is handed through the device's memory. A lane has four neighbouring inputs, their twelve worths in registers. One round of
// counting over the sixteen octaves below the most that a worth can be finds the bin of the cutoff; the few worths in that bin are ranked
// against each other by every block. Where too many are alike (inputs that are zero, say), it is found by counting 11, 10 and 10 bits.
//
//   worths -> |..|###|..|..| -> bin -> its worths, of all blocks -> cutoff, ties -> k = 2 0 | 1 3 ..
//
// Atomics count whole numbers alone, or gather what is ranked in no order: the choice is the CPU's on any run.
#pragma once

#include "backend/cuda/effort_planes_worths.cuh"

namespace tw::cuda::effort::of_planes {

/// The cutoff by its bits, and what lies at it: for any worths.
template <int ranks, int groups>
__device__ void count_bits(const Work& w, const Worths (&mine)[groups], Choosing& desk, int rank, int own_group) {
    unsigned known = 0, above = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
        ptx::sync_ranks<ranks>();                        // nobody reads the counters any more
        for (int b = static_cast<int>(threadIdx.x); b < bins; b += threads) desk.window[b] = 0;
        __syncthreads();
        const int low = 20 - 10 * round, top = low + 10;
        each_worth(mine, known << top, round == 0 ? ~0u : 1u << top, [&](int u, int, unsigned worth) {
            atomicAdd(desk.window + (worth >> low & (round == 0 ? 2047u : 1023u)), w.m.weights[u]);
        });
        ptx::publish_to_ranks<ranks>();
        descend<ranks>(desk, 1 + round, w.reached, above, rank);
        known = round == 0 ? desk.bin : known << 10 | min(desk.bin, 1023u), above = desk.above;
    }
    each_worth(mine, known, 1, [&](int u, int group, unsigned) {
        atomicAdd(desk.of_rank + u, 1u);
#pragma unroll
        for (int pass = 0; pass < most_passes; ++pass)
            if (group < own_group + pass) atomicAdd(&desk.before[pass][u], 1u);
    });
    ptx::publish_to_ranks<ranks>();
    if (threadIdx.x < units) {
        unsigned all = 0, before = 0;
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            std::uint32_t ties[1];
            read_of_rank<ranks>(desk.of_rank + threadIdx.x, r, ties);
            all += ties[0];
            if (ranks > 1 && r < rank) before += ties[0];
        }
        desk.ties[threadIdx.x] = all;
#pragma unroll
        for (int pass = 0; pass < most_passes; ++pass) desk.before[pass][threadIdx.x] += before;
    }
    if (threadIdx.x == 0) desk.worth = known, desk.spent = above;
    __syncthreads();
}

/// The cutoff, and what lies at it. `ranks` count together what each has; one alone has all. `own_group`: the first that it multiplies.
template <int ranks, int groups>
__device__ void find_cutoff(const Work& w, const Worths (&mine)[groups], Choosing& desk, unsigned most_worth, int rank, int own_group) {
    constexpr unsigned octaves = static_cast<unsigned>(bins) << shift, whole_bin = (1u << shift) - 1;
    const unsigned base = most_worth + whole_bin > octaves ? most_worth + whole_bin - octaves : 0;
    const unsigned weights[units] = {w.m.weights[0], w.m.weights[1], w.m.weights[2]};
#pragma unroll
    for (int g = 0; g < groups; ++g)
        mine[g].each([&](int u, int, unsigned worth) {
            atomicAdd(desk.window + min(static_cast<unsigned>(bins - 1), (max(worth, base) - base) >> shift), weights[u]);
        });
    ptx::publish_to_ranks<ranks>();
    descend<ranks>(desk, 0, w.reached, 0, rank);
    const unsigned bin = desk.bin, above = desk.above;
    const unsigned lowest = bin == 0 ? 0 : base + (bin << shift), span = bin == bins - 1 ? ~lowest : (bin == 0 ? base : 0) + (1u << shift);
    unsigned count = 0;
#pragma unroll
    for (int g = 0; g < groups; ++g) count += mine[g].count_within(lowest, span);
    if (count > 0) {
        unsigned at = atomicAdd(&desk.count_alike, count);  // once a thread: where all add to one place the compiler counts lanes
        each_worth(mine, lowest, span, [&](int u, int group, unsigned worth) {
            if (at < most_alike) desk.own_alike[at] = {worth, static_cast<unsigned>(u) | static_cast<unsigned>(group) << 2 | weights[u] << 8};
            ++at;
        });
    }
    ptx::publish_to_ranks<ranks>();
    unsigned counts[ranks], all = 0;
#pragma unroll
    for (int r = 0; r < ranks; ++r) {
        std::uint32_t one[1];
        read_of_rank<ranks>(&desk.count_alike, r, one);
        counts[r] = one[0], all += one[0];
    }
    if (all > most_alike) return count_bits<ranks>(w, mine, desk, rank, own_group);  // the same for all blocks
    const Alike* alike = desk.own_alike;
    if constexpr (ranks > 1) {
        unsigned to = 0;
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            const unsigned c = threadIdx.x - to;         // one of all for each thread
            if (c < counts[r]) {
                std::uint32_t one[2];
                ptx::read_in(ptx::shared_address(desk.own_alike + c), r, one);
                desk.alike[threadIdx.x] = {one[0], one[1]};
            }
            to += counts[r];
        }
        __syncthreads();
        alike = desk.alike;
    }
    constexpr unsigned together = 8;                     // lanes that rank a row
    const unsigned part = threadIdx.x % together;
    for (unsigned first = threadIdx.x / 32 * (32 / together); first < all; first += threads / together) {
        const unsigned c = first + threadIdx.x % 32 / together;
        const Alike one = alike[min(c, all - 1)];
        unsigned before = 0, same = 0;
#pragma unroll 4
        for (unsigned x = part; x < all; x += together) {
            const Alike other = alike[x];
            before += other.worth > one.worth ? other.weight() : 0;
            same += other.worth == one.worth ? other.weight() : 0;
        }
#pragma unroll
        for (unsigned step = 1; step < together; step *= 2)
            before += __shfl_xor_sync(~0u, before, step), same += __shfl_xor_sync(~0u, same, step);
        before += above;
        if (c >= all || part > 0 || before >= w.reached || before + same < w.reached) continue;
        desk.worth = one.worth, desk.spent = before;
        atomicAdd(&desk.ties[one.unit()], 1u);
#pragma unroll
        for (int pass = 0; pass < most_passes; ++pass)
            if (one.group() < own_group + pass) atomicAdd(&desk.before[pass][one.unit()], 1u);
    }
    __syncthreads();
}

/// How many units of each of the lane's inputs are read; of the rows at the cutoff as many as may be, in the order of (unit, input).
__device__ inline void count_units(const Work& w, const Worths& mine, Choosing& desk, int pass, unsigned (&k)[own]) {
    const unsigned worth = desk.worth;
    unsigned spent = desk.spent;                         // of all rows together less than 2^31
#pragma unroll
    for (int u = 0; u < units; ++u) {
        const unsigned ties = desk.ties[u], weight = w.m.weights[u], left = spent <= w.affordable ? w.affordable - spent : 0;
        const bool are_taken = ties * weight <= left;
        spent += ties * weight;
        const unsigned from = are_taken ? worth : worth + 1;
#pragma unroll
        for (int i = 0; i < own; ++i) k[i] += mine.of[u][i] >= from;
        if (are_taken || left < weight) continue;
        unsigned at_cutoff = 0;                          // some are: for all threads alike
#pragma unroll
        for (int i = 0; i < own; ++i) at_cutoff |= static_cast<unsigned>(i < mine.there && mine.of[u][i] == worth) << i;
        unsigned before = desk.before[pass][u] + prefix_of(__popc(at_cutoff), desk.sums[4 + units * pass + u]);
#pragma unroll
        for (int i = 0; i < own; ++i)
            if ((at_cutoff >> i & 1) && (++before) * weight <= left) ++k[i];
    }
#pragma unroll
    for (int i = 0; i < own; ++i)
        if (i >= mine.there) k[i] = 0;
}

}  // namespace tw::cuda::effort::of_planes
