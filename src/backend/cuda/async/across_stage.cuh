// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A stage of the ring where an operand lies across k: how a block's barriers begin, and where a lane's words stand.
#pragma once

#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda {

inline constexpr int bytes_of_box = 32 * 128;

/// Where a lane's words stand in a stage: of its two rows, and of two lines of each 8 of k.
struct WordsOfStage {
    std::uint32_t at[2][2], step;  ///< of each 8 of k, which is a bit or two that they have not
    int box;                       ///< of 32 rows

    __device__ WordsOfStage(int consumer, int thread, bool along) : step(along ? 32 : 1024) {
        const int lane = thread % 32, warp = thread / 32, g = lane / 4, t = lane % 4, upper = lane / 16;
        box = 2 * consumer + warp / 2;
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int four = 4 * upper + 2 * (warp % 2) + (i ^ upper), row = 4 * four + g % 4, line = t + 4 * half;
                const int in_box =
                    along ? row * 128 + ((half ^ row % 8) << 4) + t * 4 : line * 128 + ((four ^ line) << 4) + g % 4 * 4;
                at[i][half] = static_cast<std::uint32_t>(box * bytes_of_box + in_box);
            }
    }
    __device__ void load(std::uint32_t (&words)[4][4], std::uint32_t stage) const {
#pragma unroll
        for (int q = 0; q < 4; ++q)
#pragma unroll
            for (int x = 0; x < 4; ++x) words[q][x] = ptx::load_word(stage + (at[x % 2][x / 2] ^ (q * step)));
    }
};

/// By every thread. `lanes`: those of a block that give a stage back.
template <class P, int lanes>
__device__ void begin_ring(const P& pipe, const CUtensorMap& a, const CUtensorMap& b) {
    if (threadIdx.x == 0) {
        ptx::prefetch_map(a), ptx::prefetch_map(b);
        for (int s = 0; s < P::STAGES; ++s) {
            ptx::init_barrier(pipe.full(s), 1);
            ptx::init_barrier(pipe.empty(s), lanes * P::CLUSTER);
        }
        ptx::publish_barriers();
    }
    if constexpr (P::CLUSTER > 1) P::arrive_all(), P::wait_for_all();
    else __syncthreads();
}

}  // namespace tw::cuda
