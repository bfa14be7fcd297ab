// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Lists of a warp's inputs that have a plane, so that groups of eight are full. A lane takes two inputs of a group.
//
//   k = 1 0 2 | 3 0 1 ..  ->  A: 0 2 3 5 ..   B: 2 3 ..   C: 3 ..   each padded with the input that is zero
#pragma once

#include "backend/cuda/effort/planes/planes.cuh"
#include "backend/cuda/ptx/prefix.cuh"

namespace tw::cuda::effort::plane_kernels {

/// Writes the lane's inputs that have the plane, after those of the lanes before.
__device__ inline void put_in_list(std::uint16_t (&list)[chunk + 8], int in_front, int count, int plane, const Lane& my,
                                   const LaneInputs& mine) {
    std::uint16_t* to = list + in_front;
#pragma unroll
    for (int i = 0; i < own; ++i)
        if (mine.k[i] > static_cast<unsigned>(plane)) *to++ = static_cast<std::uint16_t>(16 * (own * my.lane + i));
    if (my.lane < 8) list[count + my.lane] = 16 * chunk;
}

/// The lists of all planes, by one prefix sum.
struct Lists {
    WarpMemory& memory;
    unsigned counts = 0;    ///< a byte for each plane: how many inputs have it
    unsigned in_front = 0;  ///< the same for the lanes before this one

    __device__ Lists(WarpMemory& of_warp, const LaneInputs& mine) : memory(of_warp) {
        unsigned of_lane = 0;
#pragma unroll
        for (int i = 0; i < own; ++i)
#pragma unroll
            for (unsigned plane = 0; plane < units; ++plane) of_lane += mine.k[i] > plane ? 1u << 8 * plane : 0u;
        const unsigned upto = ptx::prefix_of_warp(of_lane);
        counts = __shfl_sync(~0u, upto, 31), in_front = upto - of_lane;
    }

    __device__ int count_of(int plane) const { return static_cast<int>(counts >> 8 * plane & 0xff); }
    __device__ int groups_of(int plane) const { return (count_of(plane) + 7) / 8; }

    /// Writes one plane's list. Synchronize the warp before reading it.
    __device__ void put(int plane, const Lane& my, const LaneInputs& mine) const {
        put_in_list(memory.list[plane], static_cast<int>(in_front >> 8 * plane & 0xff), count_of(plane), plane, my,
                    mine);
    }
};

/// Writes only one plane's list, which is faster; returns how many inputs have it.
__device__ inline int list_plane(WarpMemory& memory, int plane, const Lane& my, const LaneInputs& mine) {
    int count = 0, in_front = 0;
#pragma unroll
    for (int i = 0; i < own; ++i) {
        const unsigned those = __ballot_sync(~0u, mine.k[i] > static_cast<unsigned>(plane));
        count += __popc(those), in_front += __popc(those & ((1u << my.lane) - 1));
    }
    if (count > 0) put_in_list(memory.list[plane], in_front, count, plane, my, mine);
    return count;
}

}  // namespace tw::cuda::effort::plane_kernels
