// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// All tiles' steps of k in equal shares, a block each, whatever tiles they begin and end in: few rows by long weights
// keep every multiprocessor at its share of what the memory gives. Who has a tile's last step adds what others summed
// of it, the nearest share first, and stores it.
//
//     tiles     |      0      |      1      |      2      |
//     blocks    |   0    |   1    |   2    |   3    |   4 |
//
// Block 1 sends what it has of tile 1 to block 2, and then adds what block 0 has sent of tile 0. A block has its last
// tile first, so that it waits for blocks before it alone, and for what they do first.
#pragma once

#include "backend/cuda/async/across_sums.cuh"
#include "backend/cuda/async/feed.cuh"
#include "backend/cuda/device/scratch.hpp"
#include "backend/cuda/ptx/flag.cuh"
#include "backend/cuda/tiles/heuristics_across_sm90.hpp"

namespace tw::cuda {

struct Shares {
    int each = 0, more = 0;  ///< steps of a block; the first `more` have one more. 0: none are shared
    int steps = 0;           ///< of a tile, two at least
    /// 2^32 of a step's part of a tile, rounded up: which tile a step is in needs no division.
    unsigned part_of_step = 0;
    float4* sums = nullptr;    ///< [block][consumer][8 columns][thread]
    unsigned* come = nullptr;  ///< [block][consumer]: 1 while what it sent has not been read

    __device__ int first(int block) const { return block * each + min(block, more); }
    __device__ int tile_of(int step) const {
        return static_cast<int>(__umulhi(static_cast<unsigned>(step), part_of_step));
    }
};

/// Of so many tiles, where there is room for what blocks send one another; none: tiles stay whole, as those of one step
/// do.
inline Shares shares_of(int tiles, int steps, float4* sums, void* stream) {
    unsigned* const come = sums ? kept_counters(stream) : nullptr;
    const std::int64_t all = std::int64_t{tiles} * steps;
    if (!come || steps < 2 || all < sm90::across_shares || all * steps >= std::int64_t{1} << 32) return {};
    const auto count = static_cast<int>(all);
    return {count / sm90::across_shares,
            count % sm90::across_shares,
            steps,
            static_cast<unsigned>(((std::int64_t{1} << 32) + steps - 1) / steps),
            sums,
            come};
}

/// How k is cut: into parts for a cluster's blocks, `each` of so many steps, or into shares.
struct CutOfSteps {
    int parts, each;  ///< behind the last part's steps the operands are zeros
    Shares shares;
};

/// What a block does, a tile after the other: steps [from, end) of `tile`.
template <class S>
struct Walk {
    const CutOfSteps& cut;
    int tile, from, end;

    __device__ Walk(const CutOfSteps& cut_) : cut(cut_) {
        if (is_shared()) {
            const int block = static_cast<int>(blockIdx.x);
            first_ = cut.shares.first(block), end_ = cut.shares.first(block + 1);
            tile = cut.shares.tile_of(end_ - 1), last_ = cut.shares.tile_of(first_);
            see();
        } else {
            tile = own_cluster(), from = own_part<S>() * cut.each, end = from + cut.each;
        }
    }
    __device__ bool is_shared() const { return S::cuts && cut.shares.each > 0; }
    __device__ bool goes_on(int tiles) const { return is_shared() ? tile >= last_ : tile < tiles; }
    __device__ void next() {
        if (is_shared()) --tile, see();
        else tile += all_clusters();
    }
    /// Others have the tile's first steps, or its last.
    __device__ bool adds() const { return is_shared() && from > 0; }
    __device__ bool sends() const { return is_shared() && end < cut.shares.steps; }

private:
    int first_ = 0, end_ = 0, last_ = 0;

    __device__ void see() {
        const int begin = tile * cut.shares.steps;
        from = max(first_ - begin, 0), end = min(end_ - begin, cut.shares.steps);
    }
};

/// A consumer's sums of a tile's first `columns`, to whoever stores it.
template <int WIDTH>
__device__ void send_sums(const Shares& shares, const float (&sums)[WIDTH / 2], int columns, int consumers,
                          int consumer, int thread) {
    const int place = static_cast<int>(blockIdx.x) * consumers + consumer;
    float4* const to = shares.sums + place * (WIDTH / 8 * 128) + thread;
#pragma unroll
    for (int g = 0; g < WIDTH / 8; ++g)
        if (g * 8 < columns)
            __stcg(to + g * 128, float4{sums[4 * g], sums[4 * g + 1], sums[4 * g + 2], sums[4 * g + 3]});
    ptx::sync_named(6 + consumer, 128);
    if (thread == 0) ptx::count_up(shares.come + place);
}

/// What the blocks before this one summed of `tile`.
template <int WIDTH>
__device__ void add_sums(const Shares& shares, float (&sums)[WIDTH / 2], int tile, int columns, int consumers,
                         int consumer, int thread) {
    const int begin = tile * shares.steps;
    int block = static_cast<int>(blockIdx.x);
    do {
        --block;
        const int place = block * consumers + consumer;
        if (thread == 0) ptx::wait_for_count(shares.come + place, 1), shares.come[place] = 0;
        ptx::sync_named(6 + consumer, 128);
        const float4* const its = shares.sums + place * (WIDTH / 8 * 128) + thread;
#pragma unroll
        for (int g = 0; g < WIDTH / 8; ++g) {
            const float4 four = g * 8 < columns ? __ldcg(its + g * 128) : float4{};
            sums[4 * g] += four.x, sums[4 * g + 1] += four.y, sums[4 * g + 2] += four.z, sums[4 * g + 3] += four.w;
        }
    } while (shares.first(block) > begin);
}

/// By one thread, before the kernel in front has ended: the first lines of shared tiles' steps, on their way to L2.
template <class S>
__device__ void bring_first_closer(const CUtensorMap& a, const BatchRaster& raster, const CutOfSteps& cut, bool along) {
    const Walk<S> at(cut);
    int row, col;
    raster.place(at.tile, row, col);
    for (int step = at.from; step < min(at.end, at.from + S::Ring::STAGES); ++step)
        for (int line = row * S::LINES; line < (row + 1) * S::LINES; line += 32)
            ptx::prefetch_box(a, along ? step * 32 : line, along ? line : step * 32);
}

/// What becomes of a consumer's sums of a tile: they are sent to whoever adds them, or stored, added up before.
template <class S>
__device__ __forceinline__ void end_tile(float (&sums)[S::WIDTH / 2], const typename S::Ring& pipe, const Walk<S>& at,
                                         const OfProduct& c, const CUtensorMap& c_map, const BatchRaster& raster,
                                         int box, int consumer, int thread) {
    using P = typename S::Ring;
    int row, col;
    raster.place(at.tile, row, col);
    const int columns = c.all.cols - col * S::WIDTH, parts = S::cuts ? at.cut.parts : 1;
    if constexpr (S::cuts) {
        if (at.sends()) return send_sums<S::WIDTH>(at.cut.shares, sums, columns, S::consumers, consumer, thread);
        if (at.adds()) add_sums<S::WIDTH>(at.cut.shares, sums, at.tile, columns, S::consumers, consumer, thread);
    }
    const SumsOfParts kept{pipe.base + consumer * S::WIDTH * 256 + thread * 16, parts, own_part<S>()};
    if (parts > 1) {
        ptx::sync_named(5, 128 * S::consumers);  // nobody of the block reads a stage any longer
        kept.keep<S::WIDTH>(sums);
        meet_for_sums();
    }
    const WayOut way(pipe.base + P::staging + consumer * WayOut::bytes, consumer, thread);
    way.template store<S::WIDTH>(sums, kept, c, c_map, raster.products > 1,
                                 (row * P::CLUSTER + P::rank()) * P::BM + box * 32, col * S::WIDTH);
}

}  // namespace tw::cuda
