// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shared by the kernels of planes: the sizes of a tile, and a warp's shared memory.
#pragma once

#include "backend/cuda/effort/choice/select.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"

namespace tw::cuda::effort::plane_kernels {

constexpr int warps = 16, threads = 32 * warps, units = 3, own = chunk / 32;
constexpr int outputs = on_device::Planes::outputs, blocks = on_device::Planes::blocks;  ///< of a tile
constexpr int share = chunk * warps;  ///< inputs of a block at a time

/// A warp's shared memory for 128 inputs of a tile. Up to x[chunk] it has the layout of the device's memory.
struct alignas(64) WarpMemory {
    uint4 a[4 * chunk];  ///< plane A; of every four inputs the last two have pieces 2 and 3 of their row first
    float step[32];      ///< of each block's scales
    uint4 x[chunk +
            1];  ///< scales, at most 1; then v d as bytes, high of both quarters and low of both. The last one is zero
    std::uint16_t list[units][chunk + 8];  ///< inputs that have the plane, times 16; padded with the one that is zero
    std::uint64_t here;                    ///< a barrier: bulk copies have arrived
};
constexpr int bytes_of_a = on_device::Planes::bytes_of_a, bytes_of_scales = on_device::Planes::bytes_of_scales,
              bytes_of_front = on_device::Planes::bytes_of_front;
static_assert(offsetof(WarpMemory, step) == bytes_of_a &&
                  offsetof(WarpMemory, x) == bytes_of_a + on_device::Planes::bytes_of_steps &&
                  offsetof(WarpMemory, x) + sizeof(uint4) * chunk == bytes_of_front,
              "a chunk is copied with the layout of the device's memory");

/// A tile's rows of one chunk; planes B and C have 64 and 128 bytes an input.
struct Rows {
    const std::byte *front, *b, *c;

    /// `inputs`: with the tile's padding, a multiple of 128.
    __device__ Rows(const std::byte* tile, std::int64_t inputs, int first) {
        using on_device::Planes;
        const std::byte* of_b = tile + Planes::b_at(inputs);
        front = tile + static_cast<std::int64_t>(first / chunk) * bytes_of_front;
        b = of_b + Planes::bytes_of_row_b * std::int64_t{first};
        c = of_b + Planes::bytes_of_row_b * inputs + Planes::bytes_of_row_c * std::int64_t{first};
    }
};

struct Lane {
    int lane, row, four;  ///< row = lane / 4 and four = lane % 4, as in the tensor core's fragments

    __device__ Lane() : lane(static_cast<int>(threadIdx.x % 32)), row(lane / 4), four(lane % 4) {}
};

/// A lane's four neighbouring inputs: how many planes of each are read, and v with all scales except the blocks'.
struct LaneInputs {
    unsigned k[own] = {};
    float v[own] = {};

    /// Bit i: some plane of input i is read.
    __device__ unsigned those() const {
        unsigned bits = 0;
#pragma unroll
        for (int i = 0; i < own; ++i) bits |= k[i] > 0 ? 1u << i : 0u;
        return bits;
    }
};

__device__ inline int piece_of(int input, int piece) {
    return 4 * input + on_device::Planes::place_of_piece(input, piece);
}

__device__ inline void copy_scales(WarpMemory& memory, const Lane& my, const Rows& rows) {
    for (int piece = my.lane; piece < bytes_of_scales / 16; piece += 32)
        ptx::copy_16(ptx::shared_address(memory.step) + 16 * piece, rows.front + bytes_of_a + 16 * piece, 16);
    ptx::commit_copies();
}

/// Copies plane A of those of the lane's inputs that are set in `those`.
__device__ inline void copy_of_a(WarpMemory& memory, const Lane& my, const Rows& rows, unsigned those) {
#pragma unroll
    for (int i = 0; i < own; ++i) {
        const int input = own * my.lane + i;
        if (those >> i & 1)
#pragma unroll
            for (int piece = 0; piece < 4; ++piece)
                ptx::copy_16(ptx::shared_address(memory.a + piece_of(input, piece)),
                             rows.front + 16 * piece_of(input, piece), 16);
    }
    ptx::commit_copies();
}

}  // namespace tw::cuda::effort::plane_kernels
