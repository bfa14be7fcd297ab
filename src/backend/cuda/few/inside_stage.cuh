// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What few_steps brings for a stage of k: A's rows as they lie, B's columns along k, wherever they lie, as the unit
// reads them. There B is cut into its parts.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/copy_some.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/ldmatrix.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/ptx/tf32_parts.cuh"

namespace tw::cuda::inside {

/// Bytes that one copy brings.
enum class By { four, sixteen };

/// An operand as its lines lie, along k or across.
struct Lie {
    const void* data;
    std::int64_t pitch;  ///< elements from line to line
    int width;           ///< of C's rows or columns
    By by;
};

/// Of k, what a stage has of it: 128 bytes, as many as a swizzled row of the unit's; and what one product takes.
inline constexpr int BK = 32, of_unit = 8;

/// A tile: so many groups of 64 rows by N columns.
template <int groups_, int N_, int blocks_>
struct Shape {
    static constexpr int groups = groups_, BM = 64 * groups, N = N_, blocks = blocks_, warps = 4 * groups,
                         threads = 32 * warps;
    static constexpr int row_bytes = N * 4 + 16;  ///< of C's tile, on its way out
    static constexpr int b_bytes = N * BK * 4;

    template <bool a_across>
    static constexpr int a_pitch = a_across ? BM * 4 + 32 : BK * 4 + 16;
    template <bool a_across>
    static constexpr int a_bytes = a_pitch<a_across> * (a_across ? BK : BM);
    template <bool a_across>
    static constexpr int stage_bytes = b_bytes + a_bytes<a_across>;
    /// With so many stages and B's small parts, or C's tile; and what the swizzle's alignment takes.
    template <bool a_across>
    static constexpr int shared(int stages) {
        const int all = 2 * b_bytes + stages * stage_bytes<a_across>, of_c = BM * row_bytes;
        return 1024 + (all > of_c ? all : of_c);
    }
};

/// B's small parts of two stages, then stages: B, then A.
template <class S, bool a_across>
struct Memory {
    std::uint32_t base;

    __device__ std::uint32_t small_b(int step) const { return base + step % 2 * S::b_bytes; }
    __device__ std::uint32_t b(int stage) const {
        return base + 2 * S::b_bytes + stage * S::template stage_bytes<a_across>;
    }
    __device__ std::uint32_t a(int stage) const { return b(stage) + S::b_bytes; }
};

inline constexpr int most_stages = 6;

/// Until at most so many of the stages that are on their way are not there.
__device__ inline void wait_for_all_but(int stages) {
    switch (stages) {
        case 0: return ptx::wait_for_copies<0>();
        case 1: return ptx::wait_for_copies<1>();
        case 2: return ptx::wait_for_copies<2>();
        case 3: return ptx::wait_for_copies<3>();
        case 4: return ptx::wait_for_copies<4>();
        default: return ptx::wait_for_copies<most_stages - 1>();
    }
}

/// This thread's number, asked for anew: what follows from it is not kept in registers from stage to stage.
__device__ inline int thread_anew() {
    int x;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
    return x;
}

__device__ inline int row_of_warp() { return thread_anew() / 32 * 16; }

/// Of a swizzled row, its 16 bytes `x`.
__device__ inline std::uint32_t swizzled(int row, int x) { return row * 128 + ((x ^ (row & 7)) << 4); }

/// Brings `count` lines of 4 or 16 bytes, `step` elements apart, `apart` bytes apart in shared memory; of those from
/// `valid` on zeros.
template <int count, int apart, By by>
__device__ void bring_lines(std::uint32_t to, const float* from, std::int64_t step, int valid, int bytes) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int real = i < valid ? bytes : 0;
        if constexpr (by == By::sixteen) ptx::copy_16(to + i * apart, from, real);
        else ptx::copy_some_of_4(to + i * apart, from, real);
        from += step;
    }
}

__device__ inline int bytes_left(int elements, int most) {
    const int bytes = elements * 4;
    return bytes < 0 ? 0 : bytes < most ? bytes : most;
}
/// Of lines first, first + each, ...: those below `end`.
__device__ inline int count_below(int end, int first, int each) {
    return end > first ? (end - first + each - 1) / each : 0;
}

/// A's rows from the tile's first on, `rows` of them, and of k `left`.
template <class S, bool across>
__device__ void bring_a(std::uint32_t to, const Lie& lie, const float* data, int rows, int left) {
    const int thread = thread_anew(), warp = thread / 32, lane = thread % 32;
    constexpr int pitch = S::template a_pitch<across>;
    if constexpr (across) {
        constexpr int lanes = S::BM / 4, each = S::threads / lanes;
        if (lie.by == By::sixteen) {
            const int line = thread / lanes, x = thread % lanes * 4;
            bring_lines<BK / each, each * pitch, By::sixteen>(to + line * pitch + x * 4, data + line * lie.pitch + x,
                                                              each * lie.pitch, count_below(left, line, each),
                                                              bytes_left(rows - x, 16));
            return;
        }
#pragma unroll 1
        for (int x = lane; x < S::BM; x += 32)
            bring_lines<BK / S::warps, S::warps * pitch, By::four>(to + warp * pitch + x * 4,
                                                                   data + warp * lie.pitch + x, S::warps * lie.pitch,
                                                                   count_below(left, warp, S::warps), x < rows ? 4 : 0);
    } else if (lie.by == By::sixteen) {
        constexpr int each = S::warps * 4;
        const int line = warp * 4 + lane / 8, x = lane % 8 * 4;
        bring_lines<S::BM / each, each * pitch, By::sixteen>(to + line * pitch + x * 4, data + line * lie.pitch + x,
                                                             each * lie.pitch, count_below(rows, line, each),
                                                             bytes_left(left - x, 16));
    } else {
        bring_lines<S::BM / S::warps, S::warps * pitch, By::four>(
            to + warp * pitch + lane * 4, data + warp * lie.pitch + lane, S::warps * lie.pitch,
            count_below(rows, warp, S::warps), lane < left ? 4 : 0);
    }
}

/// The same of B's columns, which become rows along k.
template <class S, bool across>
__device__ void bring_b(std::uint32_t to, const Lie& lie, const float* data, int columns, int left) {
    const int thread = thread_anew(), warp = thread / 32, lane = thread % 32;
    if constexpr (across) {
        // Eight columns by four of k: what a warp writes lies in different banks, and it reads whole sectors.
        const int k = lane / 8;
#pragma unroll 1
        for (int x = warp; x < S::N / 4; x += S::warps) {
            // of its 32 of k a warp takes half a time
            const int n = x / 2 * 8 + lane % 8, first = x % 2 * 16 + k;
            const float* from = data + first * lie.pitch + n;
            const int bytes = n < columns ? 4 : 0;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                ptx::copy_some_of_4(to + swizzled(n, x % 2 * 4 + i) + k * 4, from, first + i * 4 < left ? bytes : 0);
                from += 4 * lie.pitch;
            }
        }
    } else if (lie.by == By::sixteen) {
        constexpr int each = S::warps * 4;
        const int line = warp * 4 + lane / 8, x = lane % 8;
        bring_lines<S::N / each, each * 128, By::sixteen>(to + swizzled(line, x), data + line * lie.pitch + x * 4,
                                                          each * lie.pitch, count_below(columns, line, each),
                                                          bytes_left(left - x * 4, 16));
    } else {
        // Eight lines on, the swizzle is the same.
#pragma unroll 1
        for (int line = warp; line < 8; line += S::warps)
            bring_lines<S::N / 8, 8 * 128, By::four>(to + swizzled(line, lane / 4) + lane % 4 * 4,
                                                     data + line * lie.pitch + lane, 8 * lie.pitch,
                                                     count_below(columns, line, 8), lane < left ? 4 : 0);
    }
}

/// Into two parts of tf32: the large one stays, rounded; the unit cuts the small one, which is given back. What is not
/// finite, or has no two parts since it is near f32's least numbers, gives a NaN.
__device__ inline std::uint32_t cut(std::uint32_t& x) {
    std::uint32_t large, small;
    ptx::cut_to_tf32(__uint_as_float(x), large, small);
    x = large;
    return small;
}

template <class S>
__device__ void cut_b(std::uint32_t b, std::uint32_t small_b) {
    const int thread = thread_anew();
#pragma unroll
    for (int x = 0; x < S::N * 8 / S::threads; ++x) {
        const std::uint32_t at = (x * S::threads + thread) * 16;
        const float4 of = ptx::load_4(b + at);
        std::uint32_t large[4] = {__float_as_uint(of.x), __float_as_uint(of.y), __float_as_uint(of.z),
                                  __float_as_uint(of.w)};
        std::uint32_t small[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) small[i] = cut(large[i]);
        ptx::store_16(b + at, large);
        ptx::store_16(small_b + at, small);
    }
}

}  // namespace tw::cuda::inside
