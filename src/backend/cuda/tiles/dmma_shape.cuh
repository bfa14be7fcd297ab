// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r8_dmma's blocks: how a tile of doubles is cut among warps, which of its sums a thread has, and how operands lie.
#pragma once

namespace tw::cuda {

template <int BM_, int BN_, int WM_, int WN_, int STAGES_, int blocks_>
struct DmmaShape {
    // With one product a step (16 x 8) nvcc 13.0 makes code that is wrong: fragments are read over those in use.
    static_assert(WM_ * WN_ >= 2 * 16 * 8);
    static constexpr int BM = BM_, BN = BN_, BK = 16, WM = WM_, WN = WN_, STAGES = STAGES_, blocks = blocks_;
    static constexpr int warps_across = BN / WN, threads = 32 * (BM / WM) * warps_across;

    /// A thread's, two neighbours of a row at a time: where the q-th pair stands in the tile.
    static constexpr int sums = WM * WN / 64;
    __device__ static int row_of(int q) {
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        return warp / warps_across * WM + q / 2 / (WN / 8) * 16 + q % 2 * 8 + lane / 4;
    }
    __device__ static int col_of(int q) {
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        return warp % warps_across * WN + q / 2 % (WN / 8) * 8 + lane % 4 * 2;
    }
};

/// How the operands lie: neighbours across k or along it, copied two at a time or one.
template <bool a_across_, bool b_across_, bool by_16_>
struct Lies {
    static constexpr bool a_across = a_across_, b_across = b_across_, by_16 = by_16_;
};

}  // namespace tw::cuda
