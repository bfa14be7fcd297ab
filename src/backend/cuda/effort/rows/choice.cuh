// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a block of buckets or tiers chooses: as effort/choice/choice.cuh does, but an input has up to 32 units, all of
// one weight. What is counted is rows, then. All warps search: 16 lanes look for one bin, a unit each. A table says how
// many units fall no further than so many steps: which rows of an input are in the cutoff's bin, and how many are read,
// is a look into it. The hundreds of rows of that bin are counted by their next eight bits before the last few are
// ranked.
//
//   keys -> counters -> sums of 32 bins, of the 64 behind one of them -> rows of the bin -> their next bits -> the row
//   that is last
#pragma once

#include "backend/cuda/effort/rows/falls.cuh"

namespace tw::cuda::effort::of_rows {

/// What blocks choose with. All of `ranks` that are a cluster have a part of the inputs each.
template <int ranks, int threads, int units>
struct Choosing {
    static constexpr int warps = threads / 32, most_alike = 2 * threads, most_narrowed = threads / 2, narrow_bits = 8,
                         narrow = 1 << narrow_bits, of_candidate = 16;
    using OfKeys = of_choice::Desk<ranks, threads, most_alike>;
    static_assert(32 * of_candidate == threads, "a thread for each unit, or two, of 32 bins");

    OfKeys desk;
    int falls[2 * of_candidate];           ///< of the units
    unsigned wanted, affordable;           ///< rows upto the last one, which is read if so many may be
    unsigned upto_many[32], upto_one[64];  ///< rows upto so many bins
    alignas(16) unsigned counts[narrow];   ///< rows of the bin, by their next bits
    unsigned count_narrowed;
    of_choice::Row narrowed[most_narrowed];

    __device__ void clear(const Work& w) {
        desk.clear();
        if (threadIdx.x < 2 * of_candidate) falls[threadIdx.x] = static_cast<int>(w.m.falls[threadIdx.x]);
        if (threadIdx.x < narrow) counts[threadIdx.x] = 0;
        if (threadIdx.x != 0) return;
        count_narrowed = 0, wanted = (w.reached + w.m.weights[0] - 1) / w.m.weights[0],
        affordable = w.affordable / w.m.weights[0];
    }

    struct Bin {
        unsigned number, above;  ///< which one, or of_choice::bins; rows before it
    };

    /// The bin of the row that is last.
    __device__ Bin find_bin() {
        const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
        constexpr int of_thread = OfKeys::of_thread, of_warp = 32 * of_thread;
        static_assert(of_thread == 4 && OfKeys::scanning == warps);
        __syncwarp();
        ptx::publish_to_ranks<ranks>();
        unsigned keys[of_thread] = {};
        of_choice::count_upto(desk, keys);
        const unsigned all = ptx::prefix_of_warp(keys[of_thread - 1]), before = all - keys[of_thread - 1];
        *reinterpret_cast<uint4*>(desk.upto + of_thread * thread) = {before + keys[0], before + keys[1],
                                                                     before + keys[2], before + keys[3]};
        if (lane == 31) desk.before[warp] = all;
        __syncthreads();
        const unsigned own = lane < warps ? desk.before[lane] : 0, in_front = ptx::prefix_of_warp(own) - own;
        /// Rows upto a bin, in 16 lanes alike.
        const auto upto = [&](int bin) {
            unsigned rows = 0;
#pragma unroll
            for (int n = 0; n < (units + of_candidate - 1) / of_candidate; ++n) {
                const int of_key = bin - falls[of_candidate * n + lane % of_candidate];
                const unsigned front = __shfl_sync(~0u, in_front, of_key / of_warp % 32);
                if (of_key >= 0 && (units % of_candidate == 0 || lane % of_candidate < units))
                    rows += desk.upto[of_key] + front;
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
        if (found == 0) return {of_choice::bins, 0};
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

    __device__ static unsigned number_of(const of_choice::Row& row) {
        return row.worth >> (of_choice::step - narrow_bits) & (narrow - 1);
    }

    /// A row of the cutoff's bin, to all ranks.
    __device__ void put_alike(const of_choice::Row& row) {
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            const unsigned at = ptx::add_in_rank<ranks>(&desk.count_alike, r, 1);
            if (at < most_alike && ranks == 1) desk.alike[at] = row;
            if (at < most_alike && ranks > 1) {
                ptx::write_float_in(reinterpret_cast<float*>(&desk.alike[at].worth), r, __uint_as_float(row.worth));
                ptx::write_float_in(reinterpret_cast<float*>(&desk.alike[at].key), r, __uint_as_float(row.key));
            }
            ptx::add_in_rank<ranks>(counts + number_of(row), r, 1);
        }
    }

    /// The rows of the bin that was found, of these keys. input_of(n): which input a key is of.
    template <int count, class InputOf>
    __device__ void gather(const Work& w, const Falls& falls, int bin, const unsigned (&keys)[count],
                           const InputOf& input_of) {
        const unsigned top = of_choice::top_of(w);
        unsigned those = 0;
#pragma unroll
        for (int n = 0; n < count; ++n) {
            const int steps = bin - static_cast<int>(min((top - keys[n]) >> of_choice::step, of_choice::bins - 1u));
            if (steps >= 0 && falls.upto[steps] >= Falls::is_one) those |= 1u << n;
        }
#pragma unroll 1
        for (; those != 0; those &= those - 1) {
            const int of = __ffs(static_cast<int>(those)) - 1;
            unsigned key = keys[0];
#pragma unroll
            for (int n = 1; n < count; ++n) key = of == n ? keys[n] : key;
            const int steps = bin - static_cast<int>((top - key) >> of_choice::step),
                      upto = falls.upto[steps] % Falls::is_one;
#pragma unroll 1
            for (int u = falls.before(steps); u < upto; ++u)
                put_alike({lowered(w, key, u), of_choice::key_of(u, input_of(of))});
        }
    }

    /// The last of the rows of the bin that have been gathered. False: there are too many alike, for all ranks.
    __device__ bool rank_rows(unsigned above, of_choice::Cutoff& cutoff) {
        __syncwarp();
        ptx::sync_ranks<ranks>();
        const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, all = static_cast<int>(desk.count_alike);
        if (all > most_alike) return false;
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
            const of_choice::Row row = desk.alike[c];
            if (number_of(row) != found) continue;
            const unsigned at = ptx::take_number(ptx::shared_address(&count_narrowed));
            if (at < most_narrowed) narrowed[at] = row;
        }
        __syncthreads();
        const int few = static_cast<int>(count_narrowed);
        if (few > most_narrowed) return false;
        // A lane has a row; of more than a warp has lanes, all warps have some.
        const bool in_turns = few > 32;
        const int mine = in_turns ? thread : lane;
        const of_choice::Row one = mine < few ? narrowed[mine] : of_choice::Row{0, ~0u};
        unsigned ties = 0;
#pragma unroll 1
        for (int x = 0; x < few; ++x) {
            const of_choice::Row other = narrowed[x];
            in_front += other.is_before(one), ties += other.worth == one.worth;
        }
        const bool is_last = mine < few && in_front + 1 == wanted;
        const unsigned is_read = wanted <= affordable;
        cutoff = {{one.worth, one.key + is_read}, one.worth + 1 - is_read, ties > 1};
        if (in_turns) {
            if (is_last) desk.cutoff = cutoff;
            __syncthreads();
            cutoff = desk.cutoff;
        } else {
            const int last = __ffs(static_cast<int>(__ballot_sync(~0u, is_last))) - 1;
            cutoff.row = {__shfl_sync(~0u, cutoff.row.worth, last), __shfl_sync(~0u, cutoff.row.key, last)};
            cutoff.least = __shfl_sync(~0u, cutoff.least, last), cutoff.has_ties = __shfl_sync(~0u, ties, last) > 1;
        }
        return true;
    }

    /// The cutoff, of the first groups of inputs by their keys, of the others as they lie in the device's memory.
    template <int count, class Inputs>
    __device__ of_choice::Cutoff choose(const Work& w, const Falls& falls, const unsigned (&keys)[count], float scale,
                                        const Inputs& inputs) {
        constexpr int groups = count / 4;
        const unsigned top = of_choice::top_of(w);
        of_choice::count_keys(desk, keys, top);
        inputs.each_group(groups, scale,
                          [&](const unsigned(&four)[4], int) { of_choice::count_keys(desk, four, top); });
        const Bin bin = find_bin();
        const bool has_bin = of_choice::is_finite(w, scale) && static_cast<int>(bin.number) < of_choice::end_of_bins(w);
        of_choice::Cutoff cutoff;
        if (has_bin) {
            gather(w, falls, static_cast<int>(bin.number), keys, [&](int n) { return inputs.first(n / 4) + n % 4; });
            inputs.each_group(groups, scale, [&](const unsigned(&four)[4], int group) {
                gather(w, falls, static_cast<int>(bin.number), four, [&](int n) { return inputs.first(group) + n; });
            });
            if (rank_rows(bin.above, cutoff)) return cutoff;
        }
        if (threadIdx.x == 0) desk.bin = bin.number;
        __syncthreads();
        of_choice::find_bit_by_bit(w, desk, has_bin, [&](const auto& act) {
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
        return desk.cutoff;
    }
};

}  // namespace tw::cuda::effort::of_rows
