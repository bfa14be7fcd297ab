// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which planes of which inputs are read, chosen by the blocks that multiply them: every block or pair of blocks of a product chooses the
// same, and nothing is handed through the device's memory. A sample says within which octave the cutoff is likely to be; the
// rows there are counted in 512 bins and those above in one sum, which shows whether it is; the few rows of the cutoff's bin are ranked.
//
//   worths -> sample -> ....[|..|###|..|]++++ -> bin -> its rows, of all blocks -> the last row that is read -> k = 2 0 | 1 3 ..
//
// Atomics count whole numbers alone, or gather what is ranked in no order: the choice is the CPU's on any run.
#pragma once

#include "backend/cuda/effort_planes_ranked.cuh"

namespace tw::cuda::effort::of_planes {

/// What rows of the window's bins weigh, and those above it. Few threads have inputs with two rows in a window as narrow as this: the
/// first row below its upper end is counted first.
template <int groups>
__device__ void count(const Work& w, const Worths<groups>& worths, Choosing& desk, const Window& in) {
    const std::uint32_t window = ptx::shared_address(desk.window);
    const int lowest = in.lowest, span = bins << in.shift;
    const unsigned weights[units] = {w.m.weights[0], w.m.weights[1], w.m.weights[2]};
    // What is not in the window goes to a counter of the lane's own behind it: a branch would take longer.
    const unsigned nowhere = bins + threadIdx.x % 32;
    const auto add = [&](int past, unsigned weight) { ptx::add(window + 4 * min(static_cast<unsigned>(past) >> in.shift, nowhere), weight); };
    unsigned above = 0;
    int more = -1;
#pragma unroll
    for (int n = 0; n < own * groups; ++n) {
        int past[units];
        bool is_above[units];
#pragma unroll
        for (int u = 0; u < units; ++u) {
            past[u] = static_cast<int>(worths.of[n][u]) - lowest, is_above[u] = past[u] >= span;
            if (is_above[u]) above += weights[u];
        }
        add(!is_above[0] ? past[0] : !is_above[1] ? past[1] : past[2], !is_above[0] ? weights[0] : !is_above[1] ? weights[1] : weights[2]);
        more = max(more, !is_above[0] ? past[1] : !is_above[1] ? past[2] : -1);
    }
    if (more >= 0)
#pragma unroll
        for (int n = 0; n < own * groups; ++n)
#pragma unroll
            for (int u = 1; u < units; ++u) {
                const bool is_second = static_cast<int>(worths.of[n][u - 1]) - lowest < span;
                add(is_second ? static_cast<int>(worths.of[n][u]) - lowest : -1, weights[u]);
            }
    add_above(desk, above);
}

/// The rows from `lowest` on, so many values. Few threads have any, and they seldom two.
template <int groups>
__device__ void gather(const Worths<groups>& worths, const Range& range, Choosing& desk, unsigned lowest, unsigned span) {
    for (;;) {
        unsigned least = ~0u;
        worths.each([&](int, int, unsigned worth) { least = __viaddmin_u32(worth, 0 - lowest, least); });
        if (least >= span) return;
        const unsigned worth = lowest + least;
#pragma unroll
        for (int half = 0; half < (groups + 1) / 2; ++half) {  // 24 rows
            unsigned those = 0;
#pragma unroll
            for (int row = 0; row < min(2, groups) * own * units; ++row)
                if (worths.of[2 * own * half + row / units][row % units] == worth) those |= 1u << row;
            for (; those != 0; those &= those - 1) {
                const int row = __ffs(static_cast<int>(those)) - 1, n = row / units;
                put_alike(desk, worth, key_of(row % units, range.at(place_of(2 * half + n / own)) + n % own));
            }
        }
        lowest = worth + 1, span -= least + 1;
    }
}

/// Which rows are read, and how that was found.
struct Choice {
    Cutoff cutoff;
    unsigned most = 0;                                   ///< the largest |v|
    float scale = 1;                                     ///< of worths: not 1 where the cutoff isn't in the window that was guessed, or numbers are very large or small
};

/// `ranks` count together what each has. `meanwhile` is called when all is counted (2), and when the cutoff's bin has been found (3).
template <int ranks, int groups, class Meanwhile>
__device__ Choice choose(const Work& w, const Worths<groups>& worths, const Counted& all, Choosing& desk, int rank, const Meanwhile& meanwhile) {
    const Window window = guess(desk, w.reached_of_sample, w.window_shift);
    count(w, worths, desk, window);
    meanwhile(2);
    const Found found = Found::in<ranks>(desk, w.reached, rank);
    Choice made{.most = found.most};
    meanwhile(3);
    if (w.reached == 0) return made;
    const bool is_plain = made.most >= least_plain && made.most < most_plain && __float_as_uint(w.m.most_importance) < most_plain;
    if (is_plain && found.is_there) {
        gather(worths, all.range, desk, static_cast<unsigned>(window.lowest) + (found.bin << window.shift), 1u << window.shift);
        __syncwarp();
        if (rank_rows<ranks>(w, desk, found.above, made.cutoff)) return made;
    }
    made.scale = scale_for(made.most);
    narrow_down<ranks>(w, all, desk, made.scale, rank, made.cutoff);
    return made;
}

/// How many units of each of the inputs from `first` on, so many, are read; worths have the scale that they had.
__device__ inline void count_units(const Cutoff& cutoff, const unsigned (&worths)[own][units], int first, int there, unsigned (&k)[own]) {
    if (!cutoff.has_ties)
#pragma unroll
        for (int i = 0; i < own; ++i) k[i] = i < there ? (worths[i][0] >= cutoff.least) + (worths[i][1] >= cutoff.least) + (worths[i][2] >= cutoff.least) : 0;
    else
#pragma unroll
        for (int i = 0; i < own; ++i)
#pragma unroll
            for (int u = 0; u < units; ++u) k[i] += i < there && Alike{worths[i][u], key_of(u, first + i)}.is_before(cutoff.row);
}

}  // namespace tw::cuda::effort::of_planes
