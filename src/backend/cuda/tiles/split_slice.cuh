// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A warp's own slice of k, as in sliced_tile.cuh, for the matrix unit: eight neighbours of every sixty-four, which lie
// in the warp's ring as they do in memory, and are cut into parts of tf32 on their way to registers.
//
//     along k: [row][8 of k]               across k: [k][row, its groups of eight moved by k / 2]
//     lane: 8 bytes, k 2t and 2t + 1       lane: 4 bytes of k 2t and of k 2t + 1            t = lane % 4
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/mma.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::split_slice {

inline constexpr int warps = 8, BK = 8;

template <int BM_, int BN_, int blocks_>
struct Shape {
    static constexpr int BM = BM_, BN = BN_, STAGES = 4, threads = 32 * warps;
    static constexpr int blocks = blocks_;  // of a multiprocessor, at least
    static constexpr int c_pitch = BN + 8;
    static constexpr int stage_bytes = BK * (BM + BN) * 4, ring_bytes = STAGES * stage_bytes;
    static constexpr int sums_bytes = BM * c_pitch * 4;  // of a warp
    static constexpr std::size_t shared = warps * (ring_bytes > sums_bytes ? ring_bytes : sums_bytes);
};

/// Where (k, x) is across k, in words: lanes that read eight of x at four pairs of k meet no bank twice.
template <int width>
__device__ constexpr int across_k(int k, int x) {
    return k * width + (x ^ k / 2 % 4 * 8);
}

/// An operand's rows or columns of a tile on their way to a warp's ring: 16 bytes at once, or 4.
template <bool along, int width>
class Slice {
    static constexpr int wide = width / 4, down = 32 / wide;  // across k, 16 bytes: lanes of a row of k, rows at a time

public:
    /// Of rows `first` to `end` in `other_step`, k up to k_end.
    __device__ Slice(const float* data, std::int64_t k_step, std::int64_t other_step, std::int64_t k_end,
                     std::int64_t first, std::int64_t end, bool by_16, int warp, int lane)
        : by_16_(by_16) {
        int q = 0, x = lane;  // the lane's place
        if (along) q = by_16 ? lane % 2 * 4 : lane % BK, x = by_16 ? lane / 2 : lane / BK;
        else if (by_16) q = lane / wide, x = lane % wide * 4;
        place_ = static_cast<std::uint32_t>((along ? x * BK + q : across_k<width>(q, x)) * 4);
        jump_ = along ? (by_16 ? 16 : 4) * other_step : (by_16 ? down : 1) * k_step;
        k_left_ = static_cast<int>(k_end) - warp * BK - q;
        left_ = static_cast<int>(end - first < width ? end - first : width) - x;
        from_ = data + (warp * BK + q) * k_step + (first + x) * other_step;
    }

    /// The warp's next 8 of k.
    __device__ void fill(std::uint32_t stage) {
        const float* from = from_;
        // Across k, what lies q below the lane's own place: q is a multiple of what a copy's lanes have.
        const auto below = [&](int q) { return stage + (place_ ^ q / 2 % 4 * 32) + q * width * 4; };
        if (along && by_16_) {
            const int valid = k_left_ < 0 ? 0 : k_left_ < 4 ? k_left_ * 4 : 16;
#pragma unroll
            for (int x = 0; x < width; x += 16, from += jump_)
                ptx::copy_16(stage + place_ + x * BK * 4, from, x < left_ ? valid : 0);
        } else if (along) {
#pragma unroll 4
            for (int x = 0; x < width; x += 4, from += jump_)
                ptx::copy_4(stage + place_ + x * BK * 4, from, k_left_ > 0 && x < left_);
        } else if (by_16_) {
            const int valid = left_ < 0 ? 0 : left_ < 4 ? left_ * 4 : 16;
#pragma unroll
            for (int q = 0; q < BK; q += down, from += jump_) ptx::copy_16(below(q), from, q < k_left_ ? valid : 0);
        } else {
#pragma unroll 1
            for (int x = 0; x < width; x += 32, from += 32 - BK * jump_)
#pragma unroll
                for (int q = 0; q < BK; ++q, from += jump_)
                    ptx::copy_4(below(q) + x * 4, from, q < k_left_ && x < left_);
        }
        from_ += along ? warps * BK : jump_ * (by_16_ ? warps * BK / down : warps * BK);
        k_left_ -= warps * BK;
    }

private:
    bool by_16_;
    const float* from_;
    std::int64_t jump_;  ///< from copy to copy
    int k_left_, left_;  ///< from the lane's place on
    std::uint32_t place_;
};

/// What a lane has of k 2t and 2t + 1 of a group of eight rows.
template <bool along, int width>
__device__ float2 pair_of(std::uint32_t stage, int group, int lane) {
    const int row = group * 8 + lane / 4, t = lane % 4;
    if constexpr (along) return ptx::load_2(stage + (row * BK + 2 * t) * 4);
    const std::uint32_t at = stage + across_k<width>(2 * t, row) * 4;
    return {ptx::load_float(at), ptx::load_float(at + width * 4)};
}

/// The large part is rounded to what the unit reads, the small one is cut by it. A NaN stays one: of all ones it would
/// become a zero by rounding.
template <int products>
__device__ void cut(float x, std::uint32_t& large, std::uint32_t& small) {
    const std::uint32_t bits = __float_as_uint(x), rounded = (bits + 0x1000u) & 0xffffe000u;
    if constexpr (products == 1) {
        large = x == x ? rounded : bits;
    } else {
        large = rounded;
        small = __float_as_uint(x - __uint_as_float(rounded));
    }
}

/// Adds a stage's products: of three, small * large and large * small first, by the unit alone for these 8 of k.
template <class S, int products, bool a_along, bool b_along>
__device__ void multiply(float (&sums)[S::BM / 16][S::BN / 8][4], std::uint32_t a, std::uint32_t b, int lane) {
    constexpr int across = S::BN / 8;
    std::uint32_t large_b[across][2], small_b[across][2];
#pragma unroll
    for (int j = 0; j < across; ++j) {
        const float2 pair = pair_of<b_along, S::BN>(b, j, lane);
        cut<products>(pair.x, large_b[j][0], small_b[j][0]);
        cut<products>(pair.y, large_b[j][1], small_b[j][1]);
    }
#pragma unroll
    for (int i = 0; i < S::BM / 16; ++i) {
        const float2 upper = pair_of<a_along, S::BM>(a, 2 * i, lane),
                     lower = pair_of<a_along, S::BM>(a, 2 * i + 1, lane);
        std::uint32_t large[4], small[4];
        cut<products>(upper.x, large[0], small[0]);
        cut<products>(lower.x, large[1], small[1]);
        cut<products>(upper.y, large[2], small[2]);
        cut<products>(lower.y, large[3], small[3]);
        if constexpr (products == 1) {
#pragma unroll
            for (int j = 0; j < across; ++j) ptx::multiply(sums[i][j], large, large_b[j], float{});
        } else {
            float unit[across][4] = {};
#pragma unroll
            for (int j = 0; j < across; ++j) ptx::multiply(unit[j], small, large_b[j], float{});
#pragma unroll
            for (int j = 0; j < across; ++j) ptx::multiply(unit[j], large, small_b[j], float{});
#pragma unroll
            for (int j = 0; j < across; ++j) ptx::multiply(unit[j], large, large_b[j], float{});
#pragma unroll
            for (int j = 0; j < across; ++j)
#pragma unroll
                for (int x = 0; x < 4; ++x) sums[i][j][x] += unit[j][x];
        }
    }
}

}  // namespace tw::cuda::split_slice
