// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What few_rows_anywhere does with a stage: rows of weights that begin at any address, as several maps bring them, go
// through registers to the unit, beside the few rows as lay_tokens laid them.
#pragma once

#include <cuda.h>

#include <algorithm>

#include "backend/cuda/few/anywhere_depth.hpp"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"
#include "backend/cuda/ptx/shared_half.cuh"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/ptx/tf32_parts.cuh"
#include "backend/cuda/ptx/wgmma_registers.cuh"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda::anywhere {

inline constexpr int BM = 128, consumers = 256, threads = consumers + 128;  // the third group gives its registers
inline constexpr int of_period = 2;                      // stages whose products of f32 the unit adds up by itself
inline constexpr int most_stages = 8, small_tokens = 8;  // the latter: boxes of 8 lines

/// Every MAPS-th line of a matrix is a multiple of 16 bytes behind the one before, wherever lines begin.
template <class T>
inline constexpr int MAPS = 16 / sizeof(T);
template <class T>
inline constexpr int BK = 128 / sizeof(T);

/// N: of the few rows. along: the weights' k is contiguous. A stage has 128 bytes of k, or HALVES times that, where
/// lines along it would be short for TMA.
template <class T_, int N_, bool along_, bool holds_all_ = false>
struct Cut {
    using T = T_;
    static constexpr bool holds_all = holds_all_;  ///< numbers near f32's least, too
    static constexpr int N = N_, maps = MAPS<T>, size = sizeof(T);
    static constexpr bool along = along_, cuts = size == 4;
    static constexpr int HALVES = halves_of(along, N, size), deep = HALVES * BK<T>;
    static constexpr int of_period = cuts ? 2 / HALVES : 1;  ///< stages whose products the unit adds up by itself
};

/// One map for each of the weights' lines that begin as far behind a multiple of 16 bytes.
struct Maps {
    CUtensorMap of[8];
};

/// A stage: a region for each map, then the few rows, twice where they are cut. Lines have room for what lies before
/// their first element in its 16 bytes, and no two that a warp reads at once stand in the same banks.
struct Stage {
    int height, pitch, region, weights, tokens, bytes, stages;

    template <class C>
    static constexpr Stage of(int height, int products) {
        const int whole = 128, lines = C::along ? height / C::maps : small_tokens;
        const int pitch = C::along ? C::HALVES * 128 + 16 : (height + 8) * C::size;
        const int region = (lines * pitch + whole - 1) / whole * whole;
        const int weights = (C::maps * region + 1023) / 1024 * 1024, tokens = C::N * 128;
        const int bytes = weights + tokens * C::HALVES * (products > 1 ? 2 : 1);
        return {height, pitch, region, weights, tokens, bytes, std::min(most_stages, 224 * 1024 / bytes)};
    }
    __host__ __device__ int barriers() const { return stages * bytes; }
    __host__ __device__ int shared() const { return barriers() + 16 * stages + 1024; }
};

/// Tiles of weights, times those of few rows, times parts of k, and where their sums go.
struct Work {
    int tiles, across, parts, steps, share;  ///< of k: all steps, and those of a part
    int few, rows, products;
    std::uint32_t shifts;  ///< 4 bits for each map: elements before a line's first in its 16 bytes
    float* sums;
    std::int64_t few_step, rows_step, apart;

    __device__ int shift(int map) const { return static_cast<int>(shifts >> (4 * map) & 15); }
};

struct Item {
    int tile, across, part, from, end;
};

/// f(item) for all that is this block's.
template <class F>
__device__ void each_item(const Work& work, const F& f) {
    const int of_part = work.tiles * work.across;
    for (int x = static_cast<int>(blockIdx.x); x < of_part * work.parts; x += static_cast<int>(gridDim.x)) {
        const int part = x / of_part, tile = x % of_part / work.across, from = min(part * work.share, work.steps);
        f(Item{tile, x % work.across, part, from, min(from + work.share, work.steps)});
    }
}

struct Memory {
    std::uint32_t base;
    const Stage& stage;
    __device__ std::uint32_t weights(int s) const { return base + s * stage.bytes; }
    __device__ std::uint32_t tokens(int s) const { return weights(s) + stage.weights; }
    __device__ std::uint32_t full(int s) const { return base + stage.barriers() + 16 * s; }
    __device__ std::uint32_t empty(int s) const { return full(s) + 8; }
};

/// As Turn, in a ring whose length is known when it is launched.
struct Place {
    int stage = 0;
    std::uint32_t parity = 0;
    __device__ void next(int stages) {
        if (++stage == stages) stage = 0, parity ^= 1;
    }
};

/// All that the producer does.
template <class C>
__device__ void fetch(const Memory& memory, const Maps& maps, const CUtensorMap& tokens, const Work& work) {
    const Stage& stage = memory.stage;
    const int lines = C::along ? stage.height / C::maps : small_tokens;
    const int parts = work.products > 1 ? 2 : 1,
              bytes = C::maps * lines * stage.pitch + stage.tokens * C::HALVES * parts;
    Place at;
    each_item(work, [&](const Item& item) {
        for (int step = item.from; step < item.end; ++step, at.next(stage.stages)) {
            const std::uint32_t full = memory.full(at.stage), to = memory.weights(at.stage);
            ptx::wait_barrier(memory.empty(at.stage), at.parity ^ 1);
            ptx::expect_bytes(full, bytes);
#pragma unroll
            for (int map = 0; map < C::maps; ++map)
                ptx::load_box(to + map * stage.region, maps.of[map], full,
                              C::along ? step * C::deep : item.tile * stage.height,
                              (C::along ? item.tile : step) * lines);
#pragma unroll
            for (int half = 0; half < C::HALVES; ++half)
                for (int part = 0; part < parts; ++part)
                    ptx::load_box(memory.tokens(at.stage) + (half * parts + part) * stage.tokens, tokens, full,
                                  step * C::deep + half * BK<typename C::T>, part * work.few + item.across * C::N);
        }
    });
}

/// Where a lane's two rows of weights stand in a stage, and which they are in their tile.
template <class C>
struct Rows {
    std::uint32_t at[2];
    int row[2];

    __device__ Rows(const Stage& stage, const Work& work) {
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int place = warp * 16 + lane / 4 + 8 * i, inside = place < stage.height ? place : 0;
            if constexpr (C::along) {
                const int lines = stage.height / C::maps, map = inside / lines, line = inside % lines;
                at[i] = map * stage.region + line * stage.pitch + work.shift(map) * C::size + lane % 4 * 4;
                row[i] = line * C::maps + map;
            } else {
                at[i] = inside * C::size + lane % 4 * stage.pitch;
                row[i] = inside;
            }
            if (place >= stage.height) row[i] = work.rows;  // none
        }
    }
};

/// Into two parts of tf32. A NaN stays one: of all ones it would become a zero by rounding.
__device__ inline void cut(float x, std::uint32_t& large, std::uint32_t& small) {
    const std::uint32_t bits = __float_as_uint(x), rounded = (bits + 0x1000u) & 0xffffe000u;
    large = x == x ? rounded : bits;
    small = __float_as_uint(x - __uint_as_float(rounded));
}

/// The word of a lane's weights that the unit's register `i` + 2 * `half` holds of 32 bytes of k. Across k a lane has
/// lines 4 apart, whose banks differ; lay_tokens has the few rows in that order.
template <class C>
__device__ std::uint32_t word_of(std::uint32_t weights, const Stage& stage, const Work& work, const Rows<C>& rows,
                                 int quarter, int i, int half) {
    if constexpr (C::along) {
        const std::uint32_t at = weights + rows.at[i] + quarter * 32 + half * 16;
        if constexpr (C::cuts) return ptx::load_word(at);
        const std::uint32_t word = at & ~3u;
        return __funnelshift_r(ptx::load_word(word), ptx::load_word(word + 4), (at & 2) * 8);
    } else {
        const std::uint32_t at = weights + rows.at[i] + half * 4 * stage.pitch;
        if constexpr (C::cuts) return ptx::load_word(at + quarter * stage.region + work.shift(quarter) * 4);
        const int map = 2 * quarter;
        const std::uint32_t low = ptx::load_half(at + map * stage.region + work.shift(map) * 2),
                            high = ptx::load_half(at + (map + 1) * stage.region + work.shift(map + 1) * 2);
        return low | high << 16;
    }
}

/// Adds the products of 128 bytes of k to the unit's sums.
template <class C>
__device__ void multiply(float (&unit)[C::N / 2], const Memory& memory, int s, int part, const Work& work,
                         const Rows<C>& rows, bool keep) {
    using Unit = ptx::UnitOfRegisters<C::N, typename C::T>;
    std::uint32_t large[4][4], small[4][4];
#pragma unroll
    for (int q = 0; q < 4; ++q)
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            const std::uint32_t word =
                word_of<C>(memory.weights(s) + part * 128, memory.stage, work, rows, q, x % 2, x / 2);
            if constexpr (C::holds_all) ptx::cut_to_tf32(__uint_as_float(word), large[q][x], small[q][x]);
            else if constexpr (C::cuts) cut(__uint_as_float(word), large[q][x], small[q][x]);
            else large[q][x] = word;
        }
    const std::uint32_t at = memory.tokens(s) + part * memory.stage.tokens * (work.products > 1 ? 2 : 1);
    const std::uint64_t tokens = ptx::tile_descriptor(at);
    ptx::pin(unit);
    ptx::fence_products();
    if (C::cuts && work.products > 1) {
        const std::uint64_t of_small = ptx::tile_descriptor(at + memory.stage.tokens);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            Unit::add(unit, small[q], tokens + q * (32 >> 4), q > 0 || keep);
            Unit::add(unit, large[q], of_small + q * (32 >> 4), 1);
            Unit::add(unit, large[q], tokens + q * (32 >> 4), 1);
        }
        ptx::commit_products();
        ptx::wait_for_products<0>();
    } else {
#pragma unroll
        for (int q = 0; q < 4; ++q) Unit::add(unit, large[q], tokens + q * (32 >> 4), q > 0 || keep);
        ptx::commit_products();
        ptx::wait_for_products<0>();
    }
    ptx::pin(unit);
}

}  // namespace tw::cuda::anywhere
