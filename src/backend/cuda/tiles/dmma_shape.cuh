// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r8_dmma's blocks: how a tile of doubles is cut among warps, which of its sums a thread has, and how operands lie.
#pragma once

#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"

namespace tw::cuda {

template <int BM_, int BN_, int WM_, int WN_, int STAGES_, int blocks_, int BK_ = 16, int DEPTH_ = 4,
          bool SPREADS_ = false, int GROUPS_ = 1, bool SWAPS_ = false>
struct DmmaShape {
    // With one product a step (16 x 8) nvcc 13.0 makes code that is wrong: fragments are read over those in use.
    static_assert(WM_ * WN_ >= 2 * 16 * 8);
    static_assert(BK_ / DEPTH_ % 2 == 0);
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, STAGES = STAGES_, blocks = blocks_;
    static constexpr int DEPTH = DEPTH_;                  ///< k of one instruction
    static constexpr bool SPREADS = SPREADS_;             ///< operands are read one by one between products
    static constexpr bool SWAPS = SWAPS_;                 ///< stages have no pads: see Doubles
    static constexpr int DEEP = STAGES < 5 ? 5 : STAGES;  ///< stages, where few blocks leave room for them
    /// Of warps: each has all of the tile, a part of k and stages of its own.
    static constexpr int GROUPS = GROUPS_;
    static constexpr int warps_across = BN / WN, of_group = 32 * (BM / WM) * warps_across, threads = of_group * GROUPS;
    using OneGroup = DmmaShape<BM, BN, WM, WN, STAGES, blocks, BK, DEPTH, SPREADS, 1, SWAPS>;
    __device__ static int thread() { return static_cast<int>(threadIdx.x) % of_group; }

    /// A thread's, two neighbours of a row at a time: where the q-th pair stands in the tile.
    static constexpr int sums = WM * WN / 64;
    __device__ static int row_of(int q) {
        const int warp = thread() / 32, lane = thread() % 32;
        return warp / warps_across * WM + q / 2 / (WN / 8) * 16 + q % 2 * 8 + lane / 4;
    }
    __device__ static int col_of(int q) {
        const int warp = thread() / 32, lane = thread() % 32;
        return warp % warps_across * WN + q / 2 % (WN / 8) * 8 + lane % 4 * 2;
    }
};

/// r8_dmma's.
namespace dmma_shapes {
using Large = DmmaShape<128, 128, 32, 64, 4, 1, 16, 8>;
using Flat = DmmaShape<64, 128, 32, 64, 3, 2, 16, 8>;
using Flatter = DmmaShape<32, 128, 32, 32, 3, 2, 16, 8, true>;
using Thin = DmmaShape<16, 128, 16, 32, 3, 3, 16, 8, true>;
using Wide = DmmaShape<96, 128, 48, 32, 4, 1, 16, 8, true>;
using Middle = DmmaShape<64, 64, 32, 32, 3, 3, 16, 8>;
using Slim = DmmaShape<32, 64, 16, 32, 3, 3, 32, 16, false, 1, true>;
using SlimAlong = DmmaShape<32, 64, 16, 32, 3, 3, 32, 16, true, 1, true>;  ///< its B lies along k
using Small = DmmaShape<32, 32, 16, 16, 4, 2, 32, 16, true>;
using Tiny = DmmaShape<16, 32, 16, 16, 4, 4, 32, 16, true>;
/// Groups of warps, each with half of k, where a tile is alone on a multiprocessor. Their sides are such that a wave is
/// full where squares of 64 are two waves: 768 cubed is 128 tiles of 48 x 96.
using Shared = DmmaShape<64, 64, 32, 32, 3, 1, 16, 8, false, 2>;
using SharedFlat = DmmaShape<48, 96, 48, 24, 3, 1, 16, 8, false, 2>;
using SharedLarge = DmmaShape<96, 96, 48, 48, 3, 1, 16, 4, false, 2>;
/// Copied one double at a time.
using LargeOnes = DmmaShape<128, 128, 32, 64, 4, 1>;
using SlimOnes = DmmaShape<32, 64, 16, 32, 3, 3>;
using SmallOnes = DmmaShape<32, 32, 16, 16, 8, 2>;
using SharedOnes = DmmaShape<64, 64, 32, 32, 3, 1, 16, 4, false, 2>;
}  // namespace dmma_shapes

/// How the operands lie: neighbours across k or along it, copied two at a time or one.
template <bool a_across_, bool b_across_, bool by_16_>
struct Lies {
    static constexpr bool a_across = a_across_, b_across = b_across_, by_16 = by_16_;
};

/// Whether pairs along the direction in which `step` is 1 start at multiples of 16 bytes, in every product of a batch.
inline bool lies_in_pairs(const BatchedOperand& operand, std::int64_t step, std::int64_t other_step) {
    return step == 1 && other_step % 2 == 0 && operand.address_bits() % 16 == 0;
}

/// How the operands lie, and whether they can be copied 16 bytes at a time.
struct Lie {
    bool a_across, b_across, by_16;

    explicit Lie(const Call& call)
        : a_across(call.a.row_step == 1 && call.a.col_step != 1),
          b_across(call.b.col_step == 1 && call.b.row_step != 1),
          by_16((a_across ? lies_in_pairs(a_of(call), call.a.row_step, call.a.col_step)
                          : lies_in_pairs(a_of(call), call.a.col_step, call.a.row_step)) &&
                (b_across ? lies_in_pairs(b_of(call), call.b.col_step, call.b.row_step)
                          : lies_in_pairs(b_of(call), call.b.row_step, call.b.col_step))) {}
};

}  // namespace tw::cuda
