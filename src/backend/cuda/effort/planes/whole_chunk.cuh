// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A warp's chunk of 128 inputs of which all planes are read, once for several vectors. Planes lie in shared memory;
// what a word is and how it is multiplied: chunk.cuh.
#pragma once

#include "backend/cuda/effort/planes/chunk.cuh"

namespace tw::cuda::effort::whole {

namespace of_planes = plane_kernels;
using of_planes::Lane;
using of_planes::outputs;
using of_planes::own;

constexpr int warps = 6, threads = 32 * warps;
constexpr int step_bytes = on_device::Planes::bytes_of_row_b * chunk;  ///< plane B of a chunk, or half of its plane C
constexpr int parts = 3;                                               ///< plane B, both halves of plane C
static_assert(parts * step_bytes == (on_device::Planes::bytes_of_row_b + on_device::Planes::bytes_of_row_c) * chunk);

/// Steps that a warp has on their way: three where the memory for v d leaves room.
constexpr int slots_of(int vectors) { return vectors == 1 ? 3 : 2; }

/// A warp's shared memory. Up to `ring` it has the layout of the device's memory.
template <int vectors>
struct alignas(128) WarpMemory {
    uint4 a[4 * chunk];
    float step[32];
    uint4 levels[chunk];
    uint4 ring[slots_of(vectors)][step_bytes / 16];
    uint4 x[vectors][chunk];  ///< v d as bytes, high of both quarters and low of both
    std::uint64_t front_here, here[slots_of(vectors)];
};

/// The sums of a chunk for every vector.
template <int vectors>
struct Products {
    of_planes::Sums of[vectors];
    const uint2* x[vectors];  ///< high or low by the lane's column
    unsigned mask;            ///< of the byte of the lane's block

    __device__ Products(const WarpMemory<vectors>& memory, const Lane& my) : mask(0xffu << 8 * (my.row / 2)) {
#pragma unroll
        for (int k = 0; k < vectors; ++k) x[k] = reinterpret_cast<const uint2*>(memory.x[k]) + my.row % 2;
    }

    /// Four bits of the outputs of both quarters: word n is of quarter n / 2, k = n % 2, for two inputs.
    __device__ void add(const unsigned (&w)[4][2], int first, int second) {
        unsigned upper[4][2];
#pragma unroll
        for (int n = 0; n < 4; ++n) upper[n][0] = w[n][0] & 0xf0f0f0f0u, upper[n][1] = w[n][1] & 0xf0f0f0f0u;
#pragma unroll
        for (int k = 0; k < vectors; ++k) {
            const uint2 x0 = x[k][2 * first], x1 = x[k][2 * second];
#pragma unroll
            for (int n = 0; n < 4; ++n)
                ptx::multiply(of[k].of[n / 2][n % 2], w[n][0], upper[n][0], w[n][1], upper[n][1],
                              (n < 2 ? x0.x : x0.y) & mask, (n < 2 ? x1.x : x1.y) & mask);
        }
    }

    /// Planes A and B of the chunk.
    __device__ void add_ab(const uint4* plane_a, const uint4* plane_b, const Lane& my) {
        const uint2* a = reinterpret_cast<const uint2*>(plane_a) + 8 * my.four + (my.row ^ (my.four & 2) * 2);
        const uint2* b = reinterpret_cast<const uint2*>(plane_b) + 8 * my.four + my.row;
        constexpr int at_once = vectors > 2 ? 2 : 4;
#pragma unroll at_once
        for (int group = 0; group < chunk / 8; ++group) {
            unsigned w[4][2];
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const uint2 of_a = a[64 * group + 32 * half], of_b = b[64 * group + 32 * half];
                w[0][half] = of_planes::pairs_of(of_a.x << 2, of_b.x);
                w[1][half] = of_planes::pairs_of(of_a.x, of_b.x >> 2);
                w[2][half] = of_planes::pairs_of(of_a.y << 2, of_b.y);
                w[3][half] = of_planes::pairs_of(of_a.y, of_b.y >> 2);
            }
            add(w, 8 * group + my.four, 8 * group + 4 + my.four);
        }
    }

    /// Plane C of half of the chunk.
    __device__ void add_c(const uint4* plane_c, int first_input, const Lane& my) {
        const uint4* c = plane_c + 8 * my.four + my.row;
        constexpr int at_once = vectors > 2 ? 2 : 4;
#pragma unroll at_once
        for (int group = 0; group < chunk / 16; ++group) {
            unsigned w[4][2];
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const uint4 all = c[64 * group + 32 * half];
                w[0][half] = all.x, w[2][half] = all.y, w[1][half] = all.z, w[3][half] = all.w;
            }
            add(w, first_input + 8 * group + my.four, first_input + 8 * group + 4 + my.four);
        }
    }

    __device__ void multiply_by_16() {
#pragma unroll
        for (int k = 0; k < vectors; ++k) of[k].multiply_by(16);
    }
};

}  // namespace tw::cuda::effort::whole
