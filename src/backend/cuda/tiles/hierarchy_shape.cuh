// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How r7 cuts a product: a block's tile, a warp's in it, a thread's in that, and what shared memory they need.
#pragma once

#include "backend/cuda/tiles/sums_to_c.cuh"

namespace tw::cuda {

template <int BM_, int BN_, int BK_, int WM_, int WN_, int STAGES_, int lanes_down_, int blocks_ = 1,
          Store store_ = Store::ones>
struct HierarchyShape {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, STAGES = STAGES_;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    static constexpr int blocks = 1;  // for more of them a few registers would be spilled
#else
    static constexpr int blocks = blocks_;  // of a multiprocessor, at least
#endif
    static constexpr int lanes_down = lanes_down_, lanes_across = 32 / lanes_down;
    static constexpr int TM = WM / lanes_down, TN = WN / lanes_across;
    static constexpr int threads = 32 * (BM / WM) * (BN / WN);
    static constexpr int a_pitch = BM + 4, b_pitch = BN + 4;
    static constexpr int stage_bytes = BK * (a_pitch + b_pitch) * 4;
    static constexpr Store store = store_;
    static constexpr bool begins_often = store == Store::slices;  // for few k: what is around the loop counts
    static constexpr int slice_rows = 4 * lanes_down, slice_pitch = WN + 4;  // four rows of each thread of a warp
    static constexpr int slices_bytes = begins_often ? threads / 32 * slice_rows * slice_pitch * 4 : 0;
    static constexpr std::size_t shared{STAGES * stage_bytes > slices_bytes ? STAGES* stage_bytes : slices_bytes};
};

}  // namespace tw::cuda
