// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which planes of which inputs are read, chosen by the cluster that multiplies them: every cluster of a product chooses the same, and
// nothing is handed through the device's memory. A sample of 512 inputs says within which two octaves the cutoff is likely to be; the
// rows there are counted in 512 bins and those above in one sum, which shows whether it is; the few rows of the cutoff's bin are ranked.
// Where it is not there, or too many are alike (inputs that are zero, say), windows of 9 bits each narrow it down.
//
//   worths -> sample -> ....[|..|###|..|]++++ -> bin -> its rows, of all blocks -> the last row that is read -> k = 2 0 | 1 3 ..
//
// Atomics count whole numbers alone, or gather what is ranked in no order: the choice is the CPU's on any run.
#pragma once

#include "backend/cuda/effort_planes_worths.cuh"

namespace tw::cuda::effort::of_planes {

/// A window: `bins` bins of 2^shift values from `lowest` on.
struct Window {
    int lowest, shift;

    __device__ int last() const { return static_cast<int>((static_cast<unsigned>(bins) << shift) - 1); }
    __device__ Window bin(unsigned of_it) const { return {lowest + static_cast<int>(of_it << shift), max(shift - 9, 0)}; }
};
constexpr int shift_of_guess = 14, shift_of_all = 22;

/// Powers of 2 between which numbers are multiplied without a scale as they are with one, but for their exponents.
constexpr unsigned least_plain = 67u << 23, most_plain = 187u << 23;

/// One of the inputs by which the cutoff is guessed: of all that there are, for blocks that count together must guess alike.
struct OfSample {
    int input;
    bool is_there;
    float statistic[units];

    __device__ OfSample(const Work& w, const float* statistics)
        : input(max(1, w.m.inputs / of_sample) * static_cast<int>(threadIdx.x)), is_there(input < w.m.inputs) {
#pragma unroll
        for (int u = 0; u < units; ++u) statistic[u] = is_there ? __ldg(statistics + u * std::int64_t{w.m.inputs_apart} + input) : 0.f;
    }
    /// Puts its rows down: a sixteenth of an octave is a bin, and what is 32 octaves apart lies in the same one.
    __device__ void put(const Work& w, Choosing& desk, float v) const {
        const unsigned most = __reduce_max_sync(~0u, worth_of(v, statistic[0]));
        ptx::raise_where(threadIdx.x % 32 == 0, ptx::shared_address(&desk.most_of_sample), most);
#pragma unroll
        for (int u = 0; u < units; ++u) {
            const unsigned worth = worth_of(v, statistic[u]);
            ptx::add_where(worth != 0, ptx::shared_address(desk.sample) + 4 * ((worth >> 19) % of_sample), w.m.weights[u]);
        }
    }
};

/// Where the cutoff of so many of the sample's rows is, in the middle. Every warp finds it for itself.
__device__ inline Window guess(const Choosing& desk, unsigned reached) {
    constexpr unsigned of_lane = 8;
    const unsigned lane = threadIdx.x % 32, top = (desk.most_of_sample >> 19 | (of_lane - 1)) - of_lane * lane;
    const uint4* from = reinterpret_cast<const uint4*>(desk.sample + (top - (of_lane - 1)) % of_sample);
    const uint4 low = from[0], high = from[1];
    const unsigned weights[of_lane] = {high.w, high.z, high.y, high.x, low.w, low.z, low.y, low.x};
    unsigned sum = 0;
#pragma unroll
    for (unsigned b = 0; b < of_lane; ++b) sum += weights[b];
    const unsigned upto = prefix_of_warp(sum);
    unsigned bin = top, before = upto - sum;
#pragma unroll
    for (unsigned b = 0; b < of_lane - 1; ++b) before += weights[b], bin -= before < reached;
    const unsigned crossing = __ballot_sync(~0u, upto >= reached);
    bin = __shfl_sync(~0u, bin, crossing == 0 ? 31 : __ffs(static_cast<int>(crossing)) - 1);
    const int lowest = static_cast<int>(bin << 19) + (1 << 18) - (bins / 2 << shift_of_guess);
    return {max(lowest, static_cast<int>(least_plain)), shift_of_guess};
}

__device__ inline void add_above(Choosing& desk, unsigned above) {
    above = __reduce_add_sync(~0u, above);
    ptx::add_where(threadIdx.x % 32 == 0, ptx::shared_address(&desk.above), above);
}

__device__ inline void put_alike(Choosing& desk, unsigned worth, unsigned key) {
    const unsigned at = ptx::take_number(ptx::shared_address(&desk.count_alike));
    if (at < most_alike) desk.own_alike[at] = {worth, key};
}

/// What a thread keeps of the inputs that it has counted by worth, in a window so narrow that an input seldom has two rows there: the
/// first row below the window's upper end.
template <int groups>
struct Kept {
    unsigned worths[own * groups], units_of = 0;         ///< two bits an input
    bool has_more = false;

    __device__ Kept(const Work& w, const Inputs (&counted)[groups], Choosing& desk, const Window& in) {
        const std::uint32_t window = ptx::shared_address(desk.window);
        const auto low = static_cast<unsigned>(in.lowest), high = low + (static_cast<unsigned>(bins) << in.shift);
        const unsigned weights[units] = {w.m.weights[0], w.m.weights[1], w.m.weights[2]};
        unsigned above = 0;
#pragma unroll
        for (int n = 0; n < own * groups; ++n) {
            unsigned of[units];
            bool is_above[units];
#pragma unroll
            for (int u = 0; u < units; ++u) of[u] = counted[n / own].worth(u, n % own), is_above[u] = of[u] >= high, above += is_above[u] ? weights[u] : 0;
            worths[n] = !is_above[0] ? of[0] : !is_above[1] ? of[1] : is_above[2] ? 0 : of[2];
            units_of |= (!is_above[0] ? 0u : !is_above[1] ? 1u : 2u) << 2 * n;
            ptx::add_where(worths[n] >= low, window + 4 * ((worths[n] - low) >> in.shift), !is_above[0] ? weights[0] : !is_above[1] ? weights[1] : weights[2]);
            has_more |= (!is_above[0] && of[1] >= low) || (!is_above[1] && of[2] >= low);
        }
        if (has_more)
#pragma unroll
            for (int n = 0; n < own * groups; ++n)
#pragma unroll
                for (int u = 1; u < units; ++u) {
                    const unsigned worth = counted[n / own].worth(u, n % own);
                    if (worth >= low && counted[n / own].worth(u - 1, n % own) < high) ptx::add_where(true, window + 4 * ((worth - low) >> in.shift), weights[u]);
                }
        add_above(desk, above);
    }
    /// The rows from `lowest` on, so many values.
    __device__ void gather(Choosing& desk, const Range& all, const Inputs (&counted)[groups], unsigned lowest, unsigned span) const {
        if (has_more) {
            all.each(1, [&](int u, int input, unsigned worth) {
                if (worth - lowest < span) put_alike(desk, worth, key_of(u, input));
            });
            return;
        }
        bool has_any = false;
#pragma unroll
        for (int n = 0; n < own * groups; ++n) has_any |= worths[n] - lowest < span;
        if (has_any)
#pragma unroll
            for (int n = 0; n < own * groups; ++n)
                if (worths[n] - lowest < span) put_alike(desk, worths[n], key_of(units_of >> 2 * n & 3, counted[n / own].first + n % own));
    }
};

/// Ranks the rows that have been gathered, of all ranks: the last that is read, unless there are too many.
template <int ranks>
__device__ bool rank_rows(const Work& w, Choosing& desk, unsigned above) {
    ptx::publish_to_ranks<ranks>();
    const unsigned thread = threadIdx.x, lane = thread % 32;
    std::uint32_t count[1] = {};
    if (lane < ranks) read_of_rank<ranks>(&desk.count_alike, static_cast<int>(lane), count);
    const unsigned all = __reduce_add_sync(~0u, count[0]);
    if (all > most_alike) return false;                  // the same for all blocks
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
    for (unsigned c = thread / 32; c < all; c += warps) {
        const Alike one = alike[c];
        unsigned before = 0;
        for (unsigned x = lane; x < all; x += 32)
            if (alike[x].is_before(one)) before += weight_of(w, alike[x].key);
        before = above + __reduce_add_sync(~0u, before);
        const unsigned with = before + weight_of(w, one.key);
        if (lane == 0 && before < w.reached && with >= w.reached) desk.cutoff = {one.worth, one.key + (with <= w.affordable)};
    }
    __syncthreads();
    return true;
}

/// By windows of 9 bits, of worths and then of keys: for any worths.
template <int ranks>
__device__ void narrow_down(const Work& w, const Range& all, Choosing& desk, float scale, int rank) {
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
        if (threadIdx.x == 0) desk.above = desk.count_alike = 0;
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
        if (rank_rows<ranks>(w, desk, found.above)) return;
        const bool is_exact = !is_by_keys && in.shift == 0;
        in = in.bin(found.bin);
        if (is_exact) is_by_keys = true, alike = static_cast<unsigned>(in.lowest), in = {0, bits_of_keys - 9};
    }
}

/// The last row that is read. `ranks` count together what each has. Tells the largest |v|, and the scale that worths have: it's not 1
/// where the cutoff isn't in the window that was guessed, or numbers are very large or small. `meanwhile` is called when all is counted.
template <int ranks, int groups, class Meanwhile>
__device__ float find_cutoff(const Work& w, const Inputs (&counted)[groups], const Range& all, Choosing& desk, int rank, unsigned& most,
                             const Meanwhile& meanwhile) {
    const Window window = guess(desk, w.reached_of_sample);
    const Kept<groups> kept(w, counted, desk, window);
    meanwhile();
    const Found found = Found::in<ranks>(desk, w.reached, rank);
    most = found.most;
    if (w.reached == 0) return 1;
    const bool is_plain = most >= least_plain && most < most_plain && __float_as_uint(w.m.most_statistic) < most_plain;
    if (is_plain && found.is_there) {
        kept.gather(desk, all, counted, static_cast<unsigned>(window.lowest) + (found.bin << window.shift), 1u << window.shift);
        __syncwarp();
        if (rank_rows<ranks>(w, desk, found.above)) return 1;
    }
    const float scale = scale_for(most);
    narrow_down<ranks>(w, all, desk, scale, rank);
    return scale;
}

/// How many units of each of the inputs are read; v has the scale that worths had.
__device__ inline void count_units(const Choosing& desk, const Inputs& mine, unsigned (&k)[own]) {
    const Alike cutoff = desk.cutoff;
    bool has_ties = false;
#pragma unroll
    for (int i = 0; i < own; ++i)
#pragma unroll
        for (int u = 0; u < units; ++u) k[i] += mine.worth(u, i) > cutoff.worth, has_ties |= mine.worth(u, i) == cutoff.worth;
    if (has_ties)
#pragma unroll
        for (int i = 0; i < own; ++i)
#pragma unroll
            for (int u = 0; u < units; ++u) k[i] += mine.worth(u, i) == cutoff.worth && key_of(u, mine.first + i) < cutoff.key;
#pragma unroll
    for (int i = 0; i < own; ++i)
        if (i >= mine.there) k[i] = 0;
}

}  // namespace tw::cuda::effort::of_planes
