// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A warp's own slice of k: eight neighbours of every sixty-four, in a ring that no other warp waits for.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/tiles/async_tile.cuh"

namespace tw::cuda::sliced {

inline constexpr int warps = 8, threads = 32 * warps, BK = 8;

/// How a block's tile, which each warp has whole, is cut over lanes, and what shared memory it needs. A thread's groups
/// of 4 x 4 stand 16 rows and 32 columns apart.
template <int BM_, int BN_, int blocks_>
struct Shape {
    static constexpr int BM = BM_, BN = BN_, STAGES = 4;
    static constexpr int blocks = blocks_;  // of a multiprocessor, at least
    static constexpr int lanes_across = 8, rows_apart = 16, cols_apart = 32, TM = BM / 4, TN = BN / 8;
    static constexpr int a_pitch = BM + 4, b_pitch = BN + 4, c_pitch = BN + 4;
    static constexpr int stage_bytes = BK * (a_pitch + b_pitch) * 4, ring_bytes = STAGES * stage_bytes;
    static constexpr int sums_bytes = BM * c_pitch * 4;  // of a warp
    static constexpr std::size_t shared = warps * (ring_bytes > sums_bytes ? ring_bytes : sums_bytes);
};

using Large = Shape<64, 64, 1>;
using Small = Shape<32, 32, 2>;

__device__ inline float tree(const float (&of)[warps]) {
    return ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]));
}

/// An operand's rows or columns of a tile on their way to a warp's ring, k-major there. One of its steps is 1. by_4:
/// they lie across k, 16 bytes at once; else 4, along k or across it.
template <bool by_4, int width, int pitch>
class Slice {
    static constexpr int wide = by_4 ? width / 4 : 32, down = 32 / wide;  // lanes of a row of k, rows at a time

public:
    /// Of rows `first` to `end` in `other_step`, k up to k_end.
    __device__ Slice(const float* data, std::int64_t k_step, std::int64_t other_step, std::int64_t k_end,
                     std::int64_t first, std::int64_t end, int warp, int lane)
        : along_(!by_4 && k_step == 1), jump_(along_ ? 32 / BK * other_step : down * k_step) {
        const int wide_lane = by_4 ? lane % wide * 4 : lane;
        const int q = along_ ? lane % BK : lane / wide, x = along_ ? lane / BK : wide_lane;
        place_ = static_cast<std::uint32_t>((q * pitch + x) * 4);
        k_left_ = static_cast<int>(k_end) - warp * BK - q;
        const int left = static_cast<int>(end - first < width ? end - first : width) - x;
        valid_ = !by_4 ? left : left < 0 ? 0 : left < 4 ? left * 4 : 16;
        from_ = data + (warp * BK + q) * k_step + (first + x) * other_step;
    }

    /// The warp's next 8 of k.
    __device__ void fill(std::uint32_t stage) {
        const std::uint32_t to = stage + place_;
        const float* from = from_;
        if constexpr (by_4) {
#pragma unroll
            for (int q = 0; q < BK; q += down, from += jump_)
                ptx::copy_16(to + q * pitch * 4, from, q < k_left_ ? valid_ : 0);
        } else if (along_) {
#pragma unroll
            for (int x = 0; x < width; x += 32 / BK, from += jump_)
                ptx::copy_4(to + x * 4, from, k_left_ > 0 && x < valid_);
        } else {
#pragma unroll
            for (int x = 0; x < width; x += 32, from += 32 - BK * jump_)
#pragma unroll
                for (int q = 0; q < BK; ++q, from += jump_)
                    ptx::copy_4(to + (q * pitch + x) * 4, from, q < k_left_ && x < valid_);
        }
        from_ += by_4 ? jump_ * (warps * BK / down) : along_ ? warps * BK : jump_ * (warps * BK);
        k_left_ -= warps * BK;
    }

private:
    bool along_;
    std::int64_t jump_;  ///< from copy to copy
    const float* from_;
    int k_left_, valid_;  ///< the latter: rows or columns of the tile, or bytes of the copy's 16
    std::uint32_t place_;
};

/// A lane's part of a warp's whole tile, over the warp's slice of k.
template <class S, class A, class B>
__device__ void multiply(float (&sums)[S::TM][S::TN], A& a, B& b, int own, std::uint32_t base, int lane) {
    const auto fill = [&](std::uint32_t stage, int chunk) {
        if (chunk < own) a.fill(stage), b.fill(stage + BK * S::a_pitch * 4);
        ptx::commit_copies();
    };
    const int row = lane / S::lanes_across * 4, col = lane % S::lanes_across * 4;
    float down[2][S::TM], across[2][S::TN];
    const auto read = [&](int to, std::uint32_t stage, int q) {
        read_groups<S::TM / 4, S::rows_apart>(down[to], stage + (q * S::a_pitch + row) * 4);
        read_groups<S::TN / 4, S::cols_apart>(across[to], stage + (BK * S::a_pitch + q * S::b_pitch + col) * 4);
    };
    const std::uint32_t end = base + S::ring_bytes;
#pragma unroll
    for (int s = 0; s < S::STAGES - 1; ++s) fill(base + s * S::stage_bytes, s);
    ptx::wait_for_copies<S::STAGES - 2>();
    __syncwarp();
    read(0, base, 0);
    std::uint32_t stage = base, free_stage = end - S::stage_bytes;
    for (int chunk = 0; chunk < own; ++chunk) {
        const std::uint32_t next = stage + S::stage_bytes == end ? base : stage + S::stage_bytes;
        fill(free_stage, chunk + S::STAGES - 1);
#pragma unroll
        for (int q = 0; q < BK; ++q) {
            if (q + 1 == BK) {
                ptx::wait_for_copies<S::STAGES - 2>();
                __syncwarp();
            }
            read((q + 1) % 2, q + 1 == BK ? next : stage, (q + 1) % BK);
            // There and back, so that one operand is always the last product's.
#pragma unroll
            for (int i = 0; i < S::TM; ++i)
#pragma unroll
                for (int t = 0; t < S::TN; ++t) {
                    const int j = i % 2 ? S::TN - 1 - t : t;
                    sums[i][j] = fmaf(down[q % 2][i], across[q % 2][j], sums[i][j]);
                }
        }
        free_stage = stage, stage = next;
    }
    ptx::wait_for_copies<0>();
}

/// Each warp's sums behind one another.
template <class S>
__device__ void leave_sums(char* memory, const float (&sums)[S::TM][S::TN], int warp, int lane) {
    const int row = lane / S::lanes_across * 4, col = lane % S::lanes_across * 4;
    float* const mine = reinterpret_cast<float*>(memory + warp * S::sums_bytes) + row * S::c_pitch + col;
#pragma unroll
    for (int i = 0; i < S::TM; ++i)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4)
            *reinterpret_cast<float4*>(mine + (i / 4 * S::rows_apart + i % 4) * S::c_pitch + j / 4 * S::cols_apart) =
                make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
}

}  // namespace tw::cuda::sliced
