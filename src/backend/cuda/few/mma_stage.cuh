// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_steps_mma's products of a stage of k: a warp's fragments of both operands, as they lie in shared memory.
#pragma once

#include "backend/cuda/few/fragment_words.cuh"
#include "backend/cuda/few/inside_stage.cuh"
#include "backend/cuda/ptx/mma.cuh"

namespace tw::cuda::inside {

/// An operand's lines of a tile, as bring_a() takes them: padded, so that a warp's words lie in different banks.
template <int lines, int threads_>
struct Lines {
    static constexpr int BM = lines, threads = threads_, warps = threads / 32;
    template <bool across>
    static constexpr int a_pitch = across ? BM * 4 + 32 : BK * 4 + 16;
    template <bool across>
    static constexpr int a_bytes = a_pitch<across> * (across ? BK : BM);
};

/// Warps down and across a tile, each with 16 * down_ rows and 16 * along_ columns.
template <int warps_down, int warps_across_, int down_, int along_, int blocks_>
struct WarpShape {
    static constexpr int down = down_, along = along_, blocks = blocks_, warps_across = warps_across_;
    static constexpr int warps = warps_down * warps_across, threads = 32 * warps;
    static constexpr int BM = 16 * down * warps_down, N = 16 * along * warps_across;
    static constexpr int row_bytes = N * 4 + 32;  ///< of C's tile, on its way out
    using A = Lines<BM, threads>;
    using B = Lines<N, threads>;

    template <bool a_across, bool b_across>
    static constexpr int stage_bytes = A::template a_bytes<a_across> + B::template a_bytes<b_across>;
    template <bool a_across, bool b_across>
    static constexpr int shared(int stages) {
        const int all = stages * stage_bytes<a_across, b_across>, of_c = BM * row_bytes;
        return all > of_c ? all : of_c;
    }
    __device__ static int row_of_warp() { return static_cast<int>(threadIdx.x) / 32 / warps_across * 16 * down; }
    __device__ static int col_of_warp() { return static_cast<int>(threadIdx.x) / 32 % warps_across * 16 * along; }
};

/// A warp's sums: of each product of 16 rows and 16 columns, those of the first eight columns, then of the others.
template <class S>
using Sums = float[S::down][S::along][8];

/// The unit's fragment, rounded to tf32.
template <bool is_across>
__device__ void read_rounded(std::uint32_t (&to)[4], std::uint32_t from, int pitch, int first, int k) {
    read_words<is_across>(to, from, pitch, first, k);
#pragma unroll
    for (int i = 0; i < 4; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(to[i]) : "f"(__uint_as_float(to[i])));
}

/// Adds the products of a stage that has `left` of k, 16 at a time: behind them there are zeros.
template <class S, bool a_across, bool b_across>
__device__ void multiply_stage(Sums<S>& sums, std::uint32_t a, std::uint32_t b, int row, int col, int left) {
#pragma unroll
    for (int k = 0; k < BK; k += of_unit) {
        if (k % 16 == 0 && k >= left) break;
        std::uint32_t of_a[S::down][4];
#pragma unroll
        for (int i = 0; i < S::down; ++i)
            read_rounded<a_across>(of_a[i], a, S::A::template a_pitch<a_across>, row + 16 * i, k);
#pragma unroll
        for (int j = 0; j < S::along; ++j) {
            std::uint32_t of_b[4];
            read_rounded<b_across>(of_b, b, S::B::template a_pitch<b_across>, col + 16 * j, k);
#pragma unroll
            for (int i = 0; i < S::down; ++i)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const std::uint32_t eight[2] = {of_b[half], of_b[2 + half]};
                    ptx::multiply(*reinterpret_cast<float(*)[4]>(&sums[i][j][4 * half]), of_a[i], eight, float());
                }
        }
    }
}

/// A warp's sums to its part of the tile in shared memory. False: one of a thread's is not finite.
template <class S>
__device__ bool keep(const Sums<S>& sums, std::uint32_t to) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    to += lane / 4 * S::row_bytes + lane % 4 * 8;
    float odd = 0;
#pragma unroll
    for (int i = 0; i < S::down; ++i)
#pragma unroll
        for (int j = 0; j < S::along; ++j)
#pragma unroll
            for (int x = 0; x < 8; x += 2) {
                const float one = sums[i][j][x], other = sums[i][j][x + 1];
                odd = fmaf(one, 0, fmaf(other, 0, odd));
                ptx::store_pair(to + (16 * i + x / 2 % 2 * 8) * S::row_bytes + j * 64 + x / 4 * 32, one, other);
            }
    return odd == 0;
}

}  // namespace tw::cuda::inside
