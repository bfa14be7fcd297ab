// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a pass by blocks that stay takes its pieces through shared memory.
#pragma once

#include "backend/cuda/ptx/cp_async.cuh"

namespace tw::cuda {

/// load(piece, stage) asks for a piece, a group of copies, and use(piece, stage) has it there; the next is on its way
/// while one is used. Pieces are taken as blocks come, by `taken`, which is 0 at first: of the blocks of a
/// multiprocessor the oldest is served first, and if each had as many, it would be done when the youngest has half of
/// its own left. Without `taken` each has as many.
template <class Load, class Use>
__device__ void take_pieces(int pieces, int* taken, const Load& load, const Use& use) {
    __shared__ int ticket;
    const int blocks = static_cast<int>(gridDim.x);
    int piece = static_cast<int>(blockIdx.x), following = piece + blocks;
    load(piece, 0);
    for (int stage = 0; piece < pieces; stage ^= 1) {
        if (following < pieces) load(following, stage ^ 1);
        else ptx::commit_copies();
        int mine = 0;
        if (taken && threadIdx.x == 0) mine = atomicAdd(taken, 1);
        ptx::wait_for_copies<1>();
        __syncthreads();
        use(piece, stage);
        if (taken && threadIdx.x == 0) ticket = mine;
        __syncthreads();
        piece = following;
        following = taken ? 2 * blocks + ticket : following + blocks;
    }
}

}  // namespace tw::cuda
