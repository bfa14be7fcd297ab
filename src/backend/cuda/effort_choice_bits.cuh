// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The last row that is read, found bit by bit, of its worth and then of its (unit, input): where a bin does not tell (rows worth nothing,
// say, or more alike than can be ranked).
#pragma once

#include "backend/cuda/effort_choice.cuh"

namespace tw::cuda::effort::of_choice {

/// For any worths, or those of the bin that was found. each(act(unit, input, worth)) is of all rows that a thread has.
template <int ranks, int threads, class Each>
__device__ void find_bit_by_bit(const Work& w, Counts<ranks, threads>& desk, bool has_bin, const Each& each) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const unsigned nowhere = ~(w.m.inputs > 1 ? ~0u >> __clz(w.m.inputs - 1) : 0u) & ((1u << bits_of_inputs) - 1);  // bits that no input has
    // The place of the last row that is read is the largest of which rows there or before weigh enough.
    std::uint64_t last = (has_bin ? std::uint64_t{(top_of(w) >> step) - desk.bin} << (32 + step) : 0) | nowhere;
    bool is_first = !has_bin;                                // is anything at the cutoff worth something?
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
        each([&](int u, int input, unsigned worth) { weight += Row{worth, key_of(u, input)}.place() >= tried ? w.m.weights[u] : 0; });
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
    if (threadIdx.x == 0) desk.cutoff = {{static_cast<unsigned>(last >> 32), ~static_cast<unsigned>(last) + (with <= w.affordable)}, 0, true};
    __syncthreads();
}

}  // namespace tw::cuda::effort::of_choice
