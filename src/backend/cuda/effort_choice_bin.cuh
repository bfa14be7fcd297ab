// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How blocks of planes find the bin of the last row that is read. Each warp weighs the rows of 64 bins, and the one in which the sum
// reaches what was ordered looks which bin it is. Counters lie from the last bin up, with zeros behind the first: a row that fell by f
// steps is counted f further on.
//
//   keys -> places, two in a word -> counters -> weight of 64 bins of each warp, of all ranks -> of 32 of one warp -> of one bin
#pragma once

#include "backend/cuda/effort_choice.cuh"
#include "backend/cuda/ptx/half_pairs.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::effort::of_choice {

/// In shared memory, of blocks of planes. `most_alike`: rows of the cutoff's bin that can be ranked.
template <int ranks, int threads, int alike>
struct Search : Counts<ranks, threads> {
    static constexpr int warps = threads / 32, parts = 2, of_warp = bins / parts / warps, of_lane = of_warp / 32, most_alike = alike;
    static_assert(ranks <= 2 && of_lane == 2);

    /// What a lane knows of its bins in the block that has the other half of the inputs: their rows' weights, and how many rows, two in a word.
    struct OfLane {
        unsigned weights[of_lane], rows;
    };

    unsigned weights[parts][ranks * warps];       ///< of rows in the bins of each warp, of all ranks
    unsigned above, in_bin, of_other;             ///< what rows before the bin weigh; of two ranks, how many rows are in it here, and there
    std::uint64_t all_weights[parts], in_other, rows_here;  ///< of two ranks, barriers: what the names say has come
    OfLane other[ranks > 1 ? 32 : 1];
    unsigned cut;                                 ///< codes of rows that are read are above it
    unsigned codes[most_alike + 2 * warps];       ///< rows of the bin, of the first rank first; no row is 0

    __device__ void clear() {
        Counts<ranks, threads>::template clear<2 * bins>();
        if (threadIdx.x < most_alike + 2 * warps) codes[threadIdx.x] = 0;
        if (threadIdx.x != 0) return;
        this->bin = bins;
        if constexpr (ptx::are_together<ranks>) {
#pragma unroll
            for (int part = 0; part < parts; ++part) ptx::init_barrier(ptx::shared_address(all_weights + part), 1);
            ptx::init_barrier(ptx::shared_address(&in_other), 1), ptx::init_barrier(ptx::shared_address(&rows_here), 1);
            ptx::publish_barriers();
#pragma unroll
            for (int part = 0; part < parts; ++part) ptx::expect_bytes(ptx::shared_address(all_weights + part), sizeof weights / parts);
            ptx::expect_bytes(ptx::shared_address(&in_other), sizeof other);
        }
    }
};

/// What is asked of the matrix again and again, in registers: constants would have to be waited for.
struct Known {
    unsigned shift;                               ///< twice what brings the upper half of a key to its place
    unsigned end;                                 ///< of the bins that say enough, 0 where not all is finite
    unsigned weights;                             ///< of rows, a byte a unit

    template <int units>
    __device__ void ask(const Work& w) {
        shift = (bins - 1 - (top_of(w) >> step) & 0xffffu) * 0x10001u;
        end = __float_as_uint(w.m.most_importance) < 0x7f800000u ? static_cast<unsigned>(end_of_bins(w)) : 0;
        weights = 0;
#pragma unroll
        for (int u = 0; u < units; ++u) weights |= w.m.weights[u] << 8 * u;
        shift = __shfl_sync(~0u, shift, 0), end = __shfl_sync(~0u, end, 0), weights = __shfl_sync(~0u, weights, 0);  // so they are made here
    }
    /// Where keys are counted, from the last bin up: two of them in a word.
    __device__ unsigned places_of(unsigned one, unsigned other) const { return ptx::add_within(ptx::upper_halves(one, other), shift, (bins - 1) * 0x10001u); }
    /// The upper half of what rows of a bin are worth.
    __device__ unsigned upper_of(unsigned bin) const { return (bins - 1 - shift & 0xffffu) - bin; }
};

/// A key that is 0 stands for no input, too: what lies that far down is not chosen by bins.
template <int ranks, int threads, int alike, int pairs>
__device__ void count_places(Search<ranks, threads, alike>& desk, const unsigned (&places)[pairs]) {
    const std::uint32_t counters = ptx::shared_address(desk.counters);
#pragma unroll
    for (int p = 0; p < pairs; ++p) ptx::add(__dp2a_lo(places[p], 4u, counters), 1), ptx::add(__dp2a_lo(places[p], 4u << 8, counters), 1);
}

/// Which bin holds the row that brings the sum to `reached`, to desk.bin, or `bins`: it is looked for in the upper octaves, and then in the lower.
/// `meanwhile` is called by each warp.
template <int units, int ranks, int threads, int alike, class Meanwhile>
__device__ void find_bin(const Work& w, Search<ranks, threads, alike>& desk, int rank, const Meanwhile& meanwhile) {
    using Desk = Search<ranks, threads, alike>;
    constexpr int warps = Desk::warps, of_warp = Desk::of_warp, of_lane = Desk::of_lane;
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    __syncthreads();
    unsigned in_front = 0;
#pragma unroll 1
    for (int part = 0; part < Desk::parts; ++part) {
        const int start = bins / Desk::parts * part + of_warp * warp + lane;
        unsigned weights[of_lane] = {}, rows[of_lane] = {};
        const std::uint32_t first = ptx::shared_address(desk.counters + bins - 1) - 4 * start;
#pragma unroll
        for (int u = 0; u < units; ++u) {
            const std::uint32_t from = first + 4 * min(w.m.falls[u], static_cast<unsigned>(bins));
#pragma unroll
            for (int n = 0; n < of_lane; ++n) {
                const unsigned keys = ptx::load_word(from - 128 * n);
                weights[n] += w.m.weights[u] * keys, rows[n] += keys;
            }
        }
        const unsigned own = __reduce_add_sync(~0u, weights[0] + weights[1]);
        if constexpr (ptx::are_together<ranks>) {
            const std::uint32_t barrier = ptx::shared_address(desk.all_weights + part);
            if (lane < ranks) ptx::send_to(desk.weights[part] + rank * warps + warp, lane, own, barrier);
            __syncwarp();
            ptx::wait_barrier(barrier, 0);
        } else {
            if (lane == 0) desk.weights[part][warp] = own;
            __syncthreads();
        }
        const unsigned of_warps = lane < ranks * warps ? desk.weights[part][lane] : 0;
        unsigned above = in_front + __reduce_add_sync(~0u, lane % warps < warp ? of_warps : 0);
        const unsigned with = in_front + __reduce_add_sync(~0u, of_warps);
        const unsigned upto = ranks > 1 ? in_front + __reduce_add_sync(~0u, lane % warps <= warp ? of_warps : 0) : above + own;
        if (part == 0) meanwhile();
        if (above < w.reached && upto >= w.reached) {     // of one warp, of all ranks the same
            unsigned there = 0;
            if constexpr (ptx::are_together<ranks>) {
                auto& other = desk.other[lane];
                const std::uint32_t barrier = ptx::shared_address(&desk.in_other);
                ptx::send_to(&other.weights[0], rank ^ 1, weights[0], barrier), ptx::send_to(&other.weights[1], rank ^ 1, weights[1], barrier);
                ptx::send_to(&other.rows, rank ^ 1, rows[0] | rows[1] << 16, barrier);
                ptx::wait_barrier(barrier, 0);
                weights[0] += other.weights[0], weights[1] += other.weights[1], there = other.rows;
            }
            const unsigned upper = __reduce_add_sync(~0u, weights[0]);
            const bool is_lower = above + upper < w.reached;
            const unsigned weight = is_lower ? weights[1] : weights[0], upto_bin = above + (is_lower ? upper : 0) + ptx::prefix_of_warp(weight);
            if (lane == __ffs(static_cast<int>(__ballot_sync(~0u, upto_bin >= w.reached))) - 1) {
                desk.bin = static_cast<unsigned>(start + (is_lower ? 32 : 0)), desk.above = upto_bin - weight;
                if constexpr (ptx::are_together<ranks>) {
                    there = is_lower ? there >> 16 : there & 0xffffu;
                    desk.in_bin = is_lower ? rows[1] : rows[0], desk.of_other = there;
                    ptx::expect_bytes(ptx::shared_address(&desk.rows_here), 4 * static_cast<int>(there));
                }
            }
        }
        __syncwarp();
        if (with >= w.reached) break;
        in_front = with;
    }
    __syncthreads();
}

}  // namespace tw::cuda::effort::of_choice
