// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a block of buckets or tiers chooses: like effort/choice/choice.cuh, but an input has up to 32 units, all of the
// same weight, so rows are counted instead of weights. All warps search: 16 lanes look at one bin, a unit each. A table
// (falls.cuh) gives the units with a fall of at most so many steps, so a lookup says which rows of an input are in the
// cutoff's bin, and how many are read. The hundreds of rows of that bin are counted by their next eight bits before the
// last few are ranked.
//
//   keys -> counts of bins -> sums at every 64th bin -> sums at the 64 bins before one of them
//        -> rows of the bin -> counts of their next bits -> the cutoff
#pragma once

#include "backend/cuda/effort/rows/falls.cuh"

namespace tw::cuda::effort::row_kernels {

/// The shared memory to choose with. The `ranks` blocks of a cluster have a part of the inputs each.
template <int ranks, int threads, int units>
struct Choosing {
    static constexpr int warps = threads / 32, most_candidates = 2 * threads, most_narrowed = threads / 2,
                         narrow_bits = 8, narrow = 1 << narrow_bits, of_candidate = 16;
    using KeySearch = cutoff_search::SharedMemory<ranks, threads, most_candidates>;
    static_assert(32 * of_candidate == threads, "a thread for each unit, or two, of 32 bins");

    KeySearch shared;
    int falls[2 * of_candidate];           ///< of the units
    unsigned wanted, affordable;           ///< rows down to the cutoff; it is read if that is affordable
    unsigned upto_many[32], upto_one[64];  ///< rows down to every 64th bin, and to each bin of 64
    alignas(16) unsigned counts[narrow];   ///< rows of the bin, by their next bits
    unsigned count_narrowed;
    cutoff_search::Row narrowed[most_narrowed];

    __device__ void clear(const Params& w) {
        shared.clear();
        if (threadIdx.x < 2 * of_candidate) falls[threadIdx.x] = static_cast<int>(w.m.falls[threadIdx.x]);
        if (threadIdx.x < narrow) counts[threadIdx.x] = 0;
        if (threadIdx.x != 0) return;
        count_narrowed = 0, wanted = (w.reached + w.m.weights[0] - 1) / w.m.weights[0],
        affordable = w.affordable / w.m.weights[0];
    }

    struct Bin {
        unsigned number, above;  ///< its number, or cutoff_search::bins if there is none; rows before it
    };

    /// The bin that holds the cutoff.
    __device__ Bin find_bin() {
        const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
        constexpr int of_thread = KeySearch::of_thread, of_warp = 32 * of_thread;
        static_assert(of_thread == 4 && KeySearch::scanning == warps);
        __syncwarp();
        ptx::publish_to_ranks<ranks>();
        unsigned keys[of_thread] = {};
        cutoff_search::count_upto(shared, keys);
        const unsigned all = ptx::prefix_of_warp(keys[of_thread - 1]), before = all - keys[of_thread - 1];
        *reinterpret_cast<uint4*>(shared.upto + of_thread * thread) = {before + keys[0], before + keys[1],
                                                                       before + keys[2], before + keys[3]};
        if (lane == 31) shared.before[warp] = all;
        __syncthreads();
        const unsigned own = lane < warps ? shared.before[lane] : 0, in_front = ptx::prefix_of_warp(own) - own;
        /// Rows down to a bin, the same in 16 lanes.
        const auto upto = [&](int bin) {
            unsigned rows = 0;
#pragma unroll
            for (int n = 0; n < (units + of_candidate - 1) / of_candidate; ++n) {
                const int of_key = bin - falls[of_candidate * n + lane % of_candidate];
                const unsigned front = __shfl_sync(~0u, in_front, of_key / of_warp % 32);
                if (of_key >= 0 && (units % of_candidate == 0 || lane % of_candidate < units))
                    rows += shared.upto[of_key] + front;
            }
#pragma unroll
            for (int apart = 1; apart < of_candidate; apart *= 2) rows += __shfl_xor_sync(~0u, rows, apart);
            return rows;
        };
        const int candidate = thread / of_candidate;
        const unsigned of_many = upto(64 * candidate + 63);
        if (lane % of_candidate == 0) upto_many[candidate] = of_many;
        __syncthreads();
        const unsigned many = upto_many[lane], found = __ballot_sync(~0u, many >= wanted);
        if (found == 0) return {cutoff_search::bins, 0};
        const int first = __ffs(static_cast<int>(found)) - 1;
        const unsigned low = upto(64 * first + candidate), high = upto(64 * first + 32 + candidate);
        if (lane % of_candidate == 0) upto_one[candidate] = low, upto_one[32 + candidate] = high;
        __syncthreads();
        const unsigned in_low = __ballot_sync(~0u, upto_one[lane] >= wanted),
                       in_high = __ballot_sync(~0u, upto_one[32 + lane] >= wanted);
        const int at = in_low != 0 ? __ffs(static_cast<int>(in_low)) - 1 : 31 + __ffs(static_cast<int>(in_high));
        return {static_cast<unsigned>(64 * first + at), at > 0      ? upto_one[at - 1]
                                                        : first > 0 ? upto_many[first - 1]
                                                                    : 0};
    }

    __device__ static unsigned number_of(const cutoff_search::Row& row) {
        return row.worth >> (cutoff_search::step - narrow_bits) & (narrow - 1);
    }

    /// Sends a row of the cutoff's bin to all ranks.
    __device__ void add_candidate(const cutoff_search::Row& row) {
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            const unsigned at = ptx::add_in_rank<ranks>(&shared.count_candidates, r, 1);
            if (at < most_candidates && ranks == 1) shared.candidates[at] = row;
            if (at < most_candidates && ranks > 1) {
                ptx::write_float_in(reinterpret_cast<float*>(&shared.candidates[at].worth), r,
                                    __uint_as_float(row.worth));
                ptx::write_float_in(reinterpret_cast<float*>(&shared.candidates[at].key), r, __uint_as_float(row.key));
            }
            ptx::add_in_rank<ranks>(counts + number_of(row), r, 1);
        }
    }

    /// Gathers the rows of the bin that was found from these keys. input_of(n): the input of key n.
    template <int count, class InputOf>
    __device__ void gather(const Params& w, const Falls& falls, int bin, const unsigned (&keys)[count],
                           const InputOf& input_of) {
        const unsigned top = cutoff_search::top_of(w);
        unsigned those = 0;
#pragma unroll
        for (int n = 0; n < count; ++n) {
            const int steps =
                bin - static_cast<int>(min((top - keys[n]) >> cutoff_search::step, cutoff_search::bins - 1u));
            if (steps >= 0 && falls.upto[steps] >= Falls::is_one) those |= 1u << n;
        }
#pragma unroll 1
        for (; those != 0; those &= those - 1) {
            const int of = __ffs(static_cast<int>(those)) - 1;
            unsigned key = keys[0];
#pragma unroll
            for (int n = 1; n < count; ++n) key = of == n ? keys[n] : key;
            const int steps = bin - static_cast<int>((top - key) >> cutoff_search::step),
                      upto = falls.upto[steps] % Falls::is_one;
#pragma unroll 1
            for (int u = falls.before(steps); u < upto; ++u)
                add_candidate({lowered(w, key, u), cutoff_search::key_of(u, input_of(of))});
        }
    }

    /// Finds the cutoff among the gathered rows. False, on all ranks: there are too many.
    __device__ bool rank_rows(unsigned above, cutoff_search::Cutoff& cutoff) {
        __syncwarp();
        ptx::sync_ranks<ranks>();
        const int thread = static_cast<int>(threadIdx.x), lane = thread % 32,
                  all = static_cast<int>(shared.count_candidates);
        if (all > most_candidates) return false;
        const uint4 low = reinterpret_cast<const uint4*>(counts)[62 - 2 * lane],
                    high = reinterpret_cast<const uint4*>(counts)[63 - 2 * lane];
        unsigned upto[narrow / 32] = {high.w, high.z, high.y, high.x, low.w, low.z, low.y, low.x};
#pragma unroll
        for (int n = 1; n < narrow / 32; ++n) upto[n] += upto[n - 1];
        const unsigned with = above + ptx::prefix_of_warp(upto[narrow / 32 - 1]), before = with - upto[narrow / 32 - 1];
        unsigned passed = 0, in_front = before;
#pragma unroll
        for (int n = 0; n < narrow / 32; ++n)
            if (before + upto[n] < wanted) passed = n + 1, in_front = before + upto[n];
        const int of = __ffs(static_cast<int>(__ballot_sync(~0u, with >= wanted))) - 1;
        const unsigned found = static_cast<unsigned>(narrow - 1 - narrow / 32 * of) - __shfl_sync(~0u, passed, of);
        in_front = __shfl_sync(~0u, in_front, of);
#pragma unroll 1
        for (int c = thread; c < all; c += threads) {
            const cutoff_search::Row row = shared.candidates[c];
            if (number_of(row) != found) continue;
            const unsigned at = ptx::take_number(ptx::shared_address(&count_narrowed));
            if (at < most_narrowed) narrowed[at] = row;
        }
        __syncthreads();
        const int few = static_cast<int>(count_narrowed);
        if (few > most_narrowed) return false;
        // A lane has one row: every warp has all rows if they fit, else they are spread over the warps.
        const bool in_turns = few > 32;
        const int mine = in_turns ? thread : lane;
        const cutoff_search::Row one = mine < few ? narrowed[mine] : cutoff_search::Row{0, ~0u};
        unsigned ties = 0;
#pragma unroll 1
        for (int x = 0; x < few; ++x) {
            const cutoff_search::Row other = narrowed[x];
            in_front += other.is_before(one), ties += other.worth == one.worth;
        }
        const bool is_last = mine < few && in_front + 1 == wanted;
        const unsigned is_read = wanted <= affordable;
        cutoff = {{one.worth, one.key + is_read}, one.worth + 1 - is_read, ties > 1};
        if (in_turns) {
            if (is_last) shared.cutoff = cutoff;
            __syncthreads();
            cutoff = shared.cutoff;
        } else {
            const int last = __ffs(static_cast<int>(__ballot_sync(~0u, is_last))) - 1;
            cutoff.row = {__shfl_sync(~0u, cutoff.row.worth, last), __shfl_sync(~0u, cutoff.row.key, last)};
            cutoff.least = __shfl_sync(~0u, cutoff.least, last), cutoff.has_ties = __shfl_sync(~0u, ties, last) > 1;
        }
        return true;
    }

    /// The cutoff. `keys` has the first groups of inputs; the others are read from global memory.
    template <int count, class Inputs>
    __device__ cutoff_search::Cutoff choose(const Params& w, const Falls& falls, const unsigned (&keys)[count],
                                            float scale, const Inputs& inputs) {
        constexpr int groups = count / 4;
        const unsigned top = cutoff_search::top_of(w);
        cutoff_search::count_keys(shared, keys, top);
        inputs.each_group(groups, scale,
                          [&](const unsigned(&four)[4], int) { cutoff_search::count_keys(shared, four, top); });
        const Bin bin = find_bin();
        const bool has_bin =
            cutoff_search::is_finite(w, scale) && static_cast<int>(bin.number) < cutoff_search::end_of_bins(w);
        cutoff_search::Cutoff cutoff;
        if (has_bin) {
            gather(w, falls, static_cast<int>(bin.number), keys, [&](int n) { return inputs.first(n / 4) + n % 4; });
            inputs.each_group(groups, scale, [&](const unsigned(&four)[4], int group) {
                gather(w, falls, static_cast<int>(bin.number), four, [&](int n) { return inputs.first(group) + n; });
            });
            if (rank_rows(bin.above, cutoff)) return cutoff;
        }
        if (threadIdx.x == 0) shared.bin = bin.number;
        __syncthreads();
        cutoff_search::find_bit_by_bit(w, shared, has_bin, [&](const auto& act) {
            inputs.each_group(0, scale, [&](const unsigned(&four)[4], int group) {
#pragma unroll 1
                for (int n = 0; n < 4; ++n)
#pragma unroll 1
                    for (int u = 0; u < units && inputs.first(group) + n < inputs.end; ++u)
                        act(u, inputs.first(group) + n,
                            lowered(w,
                                    n == 0   ? four[0]
                                    : n == 1 ? four[1]
                                    : n == 2 ? four[2]
                                             : four[3],
                                    u));
            });
        });
        return shared.cutoff;
    }
};

}  // namespace tw::cuda::effort::row_kernels
