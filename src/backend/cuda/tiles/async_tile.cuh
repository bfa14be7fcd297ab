// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A block's tile of f32 on its way to shared memory by asynchronous copies, k-major there however it lies in global
// memory; and from there to registers.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/shared_load.cuh"

namespace tw::cuda {

/// Which way a tile's elements lie in global memory, seen from its k-major place in shared memory. `by_4`: 16 bytes at
/// once.
enum class Lie { along_k, across_k_by_4, any };

/// Fills a tile of BK rows of `width`, k-major with `pitch` floats a row; a thread copies every jump-th piece.
template <Lie lie, int BK, int width, int pitch, int threads>
class AsyncTile {
    static constexpr int piece = lie == Lie::across_k_by_4 ? 4 : 1, wide = width / piece, pieces = BK * wide / threads;
    static_assert(threads % wide == 0 && threads % BK == 0);

public:
    /// Rows of k go on for k_step, and end after k_end; across k it is other_step, and the tile starts at `first` of
    /// `end`.
    __device__ AsyncTile(const float* data, std::int64_t k_step, std::int64_t other_step, std::int64_t k_end,
                         std::int64_t first, std::int64_t end)
        : k_step_(lie == Lie::along_k ? 1 : k_step) {
        const int thread = static_cast<int>(threadIdx.x);
        const bool along_k = lie == Lie::along_k || (lie == Lie::any && k_step == 1);
        const int q = along_k ? thread % BK : thread / wide, x = along_k ? thread / BK : thread % wide * piece;
        k_jump_ = along_k ? 0 : threads / wide;
        other_jump_ = along_k ? threads / BK : 0;
        place_ = static_cast<std::uint32_t>((q * pitch + x) * 4);
        k_left_ = static_cast<int>(k_end) - q;
        other_left_ = static_cast<int>(end - first < width ? end - first : width) - x;
        from_ = data + q * k_step + (first + x) * other_step;
        jump_ = k_jump_ * k_step + other_jump_ * other_step;
    }

    /// The next BK rows.
    __device__ void fill(std::uint32_t tile) {
        const float* from = from_;
#pragma unroll
        for (int s = 0; s < pieces; ++s, from += jump_) {
            const std::uint32_t to =
                tile + place_ + static_cast<std::uint32_t>(s * (k_jump_ * pitch + other_jump_) * 4);
            if constexpr (lie == Lie::across_k_by_4) {
                const int width_valid = other_left_ < 0 ? 0 : other_left_ < 4 ? other_left_ * 4 : 16;
                ptx::copy_16(to, from, s * k_jump_ < k_left_ ? width_valid : 0);
            } else {
                ptx::copy_4(to, from, s * k_jump_ < k_left_ && s * other_jump_ < other_left_);
            }
        }
        from_ += BK * k_step_;
        k_left_ -= BK;
    }

private:
    const float* from_;
    std::int64_t k_step_, jump_;
    int k_left_, other_left_, k_jump_, other_jump_;
    std::uint32_t place_;
};

/// Groups of four neighbours, `apart` floats from one to the next.
template <int groups, int apart>
__device__ void read_groups(float (&to)[groups * 4], std::uint32_t from) {
#pragma unroll
    for (int g = 0; g < groups; ++g) {
        const float4 four = ptx::load_4(from + g * apart * 4);
        to[4 * g] = four.x, to[4 * g + 1] = four.y, to[4 * g + 2] = four.z, to[4 * g + 3] = four.w;
    }
}

}  // namespace tw::cuda
