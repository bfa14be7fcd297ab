// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What few_rows_split does with a stage: TMA fills it, the few rows are cut into parts of tf32 where they stand, the
// weights on their way through registers, and the unit multiplies the parts.
#pragma once

#include <cuda.h>

#include <algorithm>

#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/ptx/wgmma_registers.cuh"
#include "backend/cuda/tiles/pipeline.cuh"
#include "tilewright/layout.hpp"

namespace tw::cuda::split_tile {

inline constexpr int BM = 128, BK = 32, consumers = 256,
                     threads = consumers + 128;  // the third group gives its registers
inline constexpr int of_period = 2;              // stages whose products the unit adds up by itself

/// N: of the few rows.
template <int N_>
struct Cut {
    static constexpr int N = N_;
    static constexpr int weights = BM * 128, tokens = N * 128, stage = weights + tokens, small = 2 * tokens;
    static constexpr int STAGES = std::min(8, (220 * 1024 - small) / stage);
    static constexpr int small_at = STAGES * stage, barriers_at = small_at + small;
    static constexpr std::size_t shared = barriers_at + 16 * STAGES + 1024;
};

/// Tiles of weights times parts of k, and where their sums go.
struct Work {
    int tiles, parts, steps, share;  ///< of k: all steps, and those of a part
    float* sums;
    std::int64_t few_step, weights_step, apart;
    Tensor<const float> few, weights;  ///< rows along k, both

    /// What the parts of an Inf made of an element, plainly.
    __device__ float again(int i, int j, int from, int end) const {
        float sum = 0;
        for (int k = from * BK; k < min(end * BK, static_cast<int>(few.cols())); ++k)
            sum = fmaf(few(i, k), weights(j, k), sum);
        return sum;
    }
};

template <class C>
struct Memory {
    std::uint32_t base;
    __device__ std::uint32_t weights(int stage) const { return base + stage * C::stage; }
    __device__ std::uint32_t tokens(int stage) const { return weights(stage) + C::weights; }
    __device__ std::uint32_t small(int turn) const { return base + C::small_at + turn * C::tokens; }
    __device__ std::uint32_t full(int stage) const { return base + C::barriers_at + 16 * stage; }
    __device__ std::uint32_t empty(int stage) const { return full(stage) + 8; }
};

/// f(tile, part, its first step, its end) for all that is this block's.
template <class F>
__device__ void each_item(const Work& work, const F& f) {
    for (int item = static_cast<int>(blockIdx.x); item < work.tiles * work.parts; item += static_cast<int>(gridDim.x)) {
        const int part = item / work.tiles, from = min(part * work.share, work.steps);
        f(item % work.tiles, part, from, min(from + work.share, work.steps));
    }
}

/// All that the producer does.
template <class C>
__device__ void fetch(const Memory<C>& memory, const CUtensorMap& weights, const CUtensorMap& tokens,
                      const Work& work) {
    const std::uint64_t once = ptx::leaves_l2_first();
    Turn<C::STAGES> turn;
    each_item(work, [&](int tile, int, int from, int end) {
        for (int step = from; step < end; ++step, turn.next()) {
            const std::uint32_t full = memory.full(turn.stage), to = memory.weights(turn.stage);
            ptx::wait_barrier(memory.empty(turn.stage), turn.parity ^ 1);
            ptx::expect_bytes(full, C::stage);
            ptx::load_box(to, weights, full, step * BK, tile * BM, once);
            ptx::load_box(memory.tokens(turn.stage), tokens, full, step * BK, 0);
        }
    });
}

/// A NaN's small part is one, whatever rounding makes of the large one.
__device__ inline void cut(float x, std::uint32_t& large, std::uint32_t& small) {
    large = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
    small = __float_as_uint(x - __uint_as_float(large));
}

/// The few rows' part of a stage: the large parts in place, the small ones at `small`.
template <class C>
__device__ void cut_tokens(std::uint32_t tokens, std::uint32_t small) {
#pragma unroll
    for (int q = static_cast<int>(threadIdx.x); q < C::N * 4; q += consumers) {
        const int row = q / 4;
        const std::uint32_t first = row * 128 + ((q % 4 * 2 ^ row % 8) << 4), second = first ^ 16;
        const float4 x = ptx::load_4(tokens + first), y = ptx::load_4(tokens + second);
        const float of_k[8] = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w};
        std::uint32_t large[2][4], rest[2][4];
#pragma unroll
        for (int i = 0; i < 8; ++i) cut(of_k[i], large[i / 4][i % 4], rest[i / 4][i % 4]);
        ptx::store_16(tokens + first, large[0]);
        ptx::store_16(tokens + second, large[1]);
        ptx::store_16(small + first, rest[0]);
        ptx::store_16(small + second, rest[1]);
    }
}

/// A lane's weights of 8 of k, cut.
__device__ inline void read_weights(std::uint32_t weights, int step, std::uint32_t (&large)[4],
                                    std::uint32_t (&small)[4]) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = warp * 16 + lane / 4 + i % 2 * 8;
        const int k = step * 8 + lane % 4 + i / 2 * 4;
        const std::uint32_t at = row * 128 + ((k / 4 ^ row % 8) << 4) + k % 4 * 4;
        cut(ptx::load_float(weights + at), large[i], small[i]);
    }
}

/// Adds a stage's products to the unit's sums.
template <class C>
__device__ void multiply(float (&unit)[C::N / 2], const Memory<C>& memory, int stage, int turn, bool keep) {
    using Unit = ptx::UnitOfRegisters<C::N>;
    std::uint32_t large[BK / 8][4], small[BK / 8][4];
#pragma unroll
    for (int s = 0; s < BK / 8; ++s) read_weights(memory.weights(stage), s, large[s], small[s]);
    const std::uint64_t of_large = ptx::tile_descriptor(memory.tokens(stage)),
                        of_small = ptx::tile_descriptor(memory.small(turn));
    ptx::pin(unit);
    ptx::fence_products();
#pragma unroll
    for (int s = 0; s < BK / 8; ++s) {
        Unit::add(unit, small[s], of_large + s * (32 >> 4), s > 0 || keep);
        Unit::add(unit, large[s], of_small + s * (32 >> 4), 1);
        Unit::add(unit, large[s], of_large + s * (32 >> 4), 1);
    }
    ptx::commit_products();
    ptx::wait_for_products<0>();
    ptx::pin(unit);
}

/// j, i: the first of the lane's weights and of its few rows.
template <class C>
__device__ void store(const float (&sums)[C::N / 2], const Work& work, int part, int j, int i, int from, int end) {
    float* const to = work.sums + part * work.apart;
    const auto each = [&](int x, const auto& f) {
        const int row = j + x / 2 % 2 * 8, col = i + x / 4 * 8 + x % 2;
        if (row < work.weights.rows() && col < work.few.rows())
            f(to[col * work.few_step + row * work.weights_step], col, row);
    };
    bool finite = true;
#pragma unroll
    for (int x = 0; x < C::N / 2; ++x) each(x, [&](float& at, int, int) { at = sums[x], finite &= isfinite(sums[x]); });
    if (finite) return;
#pragma unroll 1
    for (int x = 0; x < C::N / 2; ++x)
        each(x, [&](float& at, int col, int row) {
            if (!isfinite(at)) at = work.again(col, row, from, end);
        });
}

}  // namespace tw::cuda::split_tile
