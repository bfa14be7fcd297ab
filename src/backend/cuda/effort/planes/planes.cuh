// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the kernels of planes share: the sizes of a tile, how a block's shared memory is cut, and what a warp does with
// it.
#pragma once

#include "backend/cuda/effort/choice/select.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"

namespace tw::cuda::effort::of_planes {

constexpr int warps = 16, threads = 32 * warps, units = 3, own = chunk / 32;
constexpr int outputs = on_device::Planes::outputs, blocks = on_device::Planes::blocks;  ///< of a tile
constexpr int share = chunk * warps;  ///< inputs that a block takes at once

/// One warp's: 128 inputs of a tile. What lies before x[chunk] lies so in the device's memory.
struct alignas(64) Room {
    uint4 a[4 * chunk];  ///< plane A, pieces 2 and 3 of a row first for inputs 2 and 3 of four
    float step[32];      ///< what the scales of each block are counted in
    uint4 x[chunk +
            1];  ///< scales, at most 1; then v d as bytes: high of the tile's two quarters, low of both. Last: zero
    std::uint16_t list[units][chunk + 8];  ///< inputs that have the plane, times 16; behind them the one that is zero
    std::uint64_t here;                    ///< a barrier: what was copied in bulk has come
};
constexpr int bytes_of_a = on_device::Planes::bytes_of_a, bytes_of_scales = on_device::Planes::bytes_of_scales,
              bytes_of_front = on_device::Planes::bytes_of_front;
static_assert(offsetof(Room, step) == bytes_of_a &&
                  offsetof(Room, x) == bytes_of_a + on_device::Planes::bytes_of_steps &&
                  offsetof(Room, x) + sizeof(uint4) * chunk == bytes_of_front,
              "a chunk is copied as it lies in the device's memory");

/// A tile's rows of one chunk; of planes B and C 64 and 128 bytes an input.
struct Rows {
    const std::byte *front, *b, *c;

    /// `inputs`: a multiple of 128, as many as the tile has been filled up to.
    __device__ Rows(const std::byte* tile, std::int64_t inputs, int first) {
        using on_device::Planes;
        const std::byte* of_b = tile + Planes::b_at(inputs);
        front = tile + static_cast<std::int64_t>(first / chunk) * bytes_of_front;
        b = of_b + Planes::bytes_of_row_b * std::int64_t{first};
        c = of_b + Planes::bytes_of_row_b * inputs + Planes::bytes_of_row_c * std::int64_t{first};
    }
};

struct Lane {
    int lane, row, four;  ///< row = lane / 4 and four = lane % 4 of the matrix unit

    __device__ Lane() : lane(static_cast<int>(threadIdx.x % 32)), row(lane / 4), four(lane % 4) {}
};

/// Four neighbouring inputs as one lane has them: how many planes of each are read, and v with all scales but the
/// blocks'.
struct Own {
    unsigned k[own] = {};
    float v[own] = {};

    /// Bit i: of input i something is read.
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

__device__ inline void copy_scales(Room& room, const Lane& my, const Rows& rows) {
    for (int piece = my.lane; piece < bytes_of_scales / 16; piece += 32)
        ptx::copy_16(ptx::shared_address(room.step) + 16 * piece, rows.front + bytes_of_a + 16 * piece, 16);
    ptx::commit_copies();
}

/// Plane A of those of the lane's own inputs.
__device__ inline void copy_of_a(Room& room, const Lane& my, const Rows& rows, unsigned those) {
#pragma unroll
    for (int i = 0; i < own; ++i) {
        const int input = own * my.lane + i;
        if (those >> i & 1)
#pragma unroll
            for (int piece = 0; piece < 4; ++piece)
                ptx::copy_16(ptx::shared_address(room.a + piece_of(input, piece)),
                             rows.front + 16 * piece_of(input, piece), 16);
    }
    ptx::commit_copies();
}

}  // namespace tw::cuda::effort::of_planes
