// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From a consumer's sums to rows of C without shared memory, for any width. A thread has two neighbours of every group
// of 8 columns; four threads have the group. For 16-bit results four threads exchange four groups, so that each stores
// 16 bytes of one:
//
//      thread   0   1   2   3              0         1         2         3
//     group 0   a0  a1  a2  a3             a0..a3    b0..b3    c0..c3    d0..d3
//     group 1   b0  b1  b2  b3      ->     16 bytes  16 bytes  16 bytes  16 bytes: 64 in a row
//     group 2   c0  c1  c2  c3
//     group 3   d0  d1  d2  d3
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"

namespace tw::cuda {

/// Two neighbours of a row, where that row starts at multiples of them, and where it ends between them.
template <class T>
__device__ void store_pair_of(T* to, float x, float y, bool together, int left) {
    if constexpr (sizeof(T) == 4) {
        if (together && left > 1) return void(*reinterpret_cast<float2*>(to) = {x, y});
    } else {
        if (together && left > 1) return void(*reinterpret_cast<std::uint32_t*>(to) = pack<T>(x, y));
    }
    if (left > 0) to[0] = narrow<T>(x);
    if (left > 1) to[1] = narrow<T>(y);
}

/// words[i]: this thread's of group i, becomes the i-th of group `quad`; by all four threads of a row.
__device__ inline void exchange_groups(std::uint32_t (&words)[4], int quad) {
#pragma unroll
    for (int apart = 1; apart <= 2; apart *= 2) {
        const bool upper = (quad & apart) != 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (i & apart) continue;
            std::uint32_t& low = words[i];
            std::uint32_t& high = words[i + apart];
            const std::uint32_t got = __shfl_xor_sync(~0u, upper ? low : high, apart);
            (upper ? low : high) = got;
        }
    }
}

/// The 64 x N sums to C, whose rows are contiguous.
template <class T, int N>
__device__ void store_groups(const float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    const FragmentPlace at(thread);
    const int quad = thread % 4, left = out.cols - first_col;
    const bool together = out.row_step % 2 == 0 && reinterpret_cast<std::uintptr_t>(out.data) % (2 * sizeof(T)) == 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = first_row + at.row + 8 * half;
        const bool inside = row < out.rows;
        T* const c = static_cast<T*>(out.data) + row * out.row_step + first_col;
#pragma unroll
        for (int g = 0; g < N / 8; ++g) {
            if constexpr (sizeof(T) == 2) {
                if (g % 4 == 0 && g + 4 <= N / 8 && out.by_group && left >= 8 * g + 32) {
                    std::uint32_t words[4];
#pragma unroll
                    for (int i = 0; i < 4; ++i)
                        words[i] = pack<T>(sums[4 * (g + i) + 2 * half], sums[4 * (g + i) + 2 * half + 1]);
                    exchange_groups(words, quad);
                    if (inside)
                        *reinterpret_cast<uint4*>(c + 8 * (g + quad)) = {words[0], words[1], words[2], words[3]};
                }
                if (g / 4 * 4 + 4 <= N / 8 && out.by_group && left >= g / 4 * 32 + 32) continue;
            }
            if (inside)
                store_pair_of(c + 8 * g + at.col, sums[4 * g + 2 * half], sums[4 * g + 2 * half + 1], together,
                              left - 8 * g - at.col);
        }
    }
}

/// sums = sums + factor * (a matrix whose rows are contiguous), all on their way at a time.
template <class T, int N>
__device__ void add_pairs(float (&sums)[N / 2], const Output& of, float factor, int first_row, int first_col,
                          int thread) {
    const FragmentPlace at(thread);
    const bool together = of.row_step % 2 == 0 && reinterpret_cast<std::uintptr_t>(of.data) % (2 * sizeof(T)) == 0;
    const int left = of.cols - first_col - at.col;
    T pairs[N / 4][2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = first_row + at.row + 8 * half;
        const T* const old = static_cast<const T*>(of.data) + row * of.row_step + first_col + at.col;
#pragma unroll
        for (int g = 0; g < N / 8; ++g) {
            const int here = row < of.rows ? left - 8 * g : 0;
            T(&pair)[2] = pairs[2 * g + half];
            if (together && here > 1) {
                using Both = std::conditional_t<sizeof(T) == 4, float2, std::uint32_t>;
                const Both both = *reinterpret_cast<const Both*>(old + 8 * g);
                pair[0] = reinterpret_cast<const T*>(&both)[0], pair[1] = reinterpret_cast<const T*>(&both)[1];
            } else {
                pair[0] = here > 0 ? old[8 * g] : T(0.0f), pair[1] = here > 1 ? old[8 * g + 1] : T(0.0f);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < N / 2; ++i) sums[i] += factor * static_cast<float>(pairs[i / 2][i % 2]);
}

/// f(sums of so many columns, the first of them) for all columns by one piece of code: the sums wander through the
/// registers that it works on. Written out for every column an epilogue is larger than the product's loop, many times.
template <int N, int columns, class F>
__device__ void each_slice(float (&sums)[N / 2], const F& f) {
    constexpr int count = columns / 2;
#pragma unroll 1
    for (int col = 0; col < N; col += columns) {
        float slice[count];
#pragma unroll
        for (int i = 0; i < count; ++i) slice[i] = sums[i];
        f(slice, col);
#pragma unroll
        for (int i = 0; i < N / 2 - count; ++i) sums[i] = sums[i + count];
#pragma unroll
        for (int i = 0; i < count; ++i) sums[N / 2 - count + i] = slice[i];
    }
}

/// Scale and a bias that goes down the rows.
template <class T, int N>
__device__ void add_bias_down(float (&sums)[N / 2], const Fused& by, int rows, int first_row, int thread) {
    const int row = first_row + FragmentPlace(thread).row;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int i = min(row + 8 * half, rows - 1);
        const float bias = by.wide_bias ? static_cast<const float*>(by.bias)[i]
                                        : static_cast<float>(static_cast<const T*>(by.bias)[i]);
#pragma unroll
        for (int g = 0; g < N / 8; ++g)
#pragma unroll
            for (int x = 0; x < 2; ++x) sums[4 * g + 2 * half + x] = fmaf(sums[4 * g + 2 * half + x], by.scale, bias);
    }
}

/// sums = epilogue(alpha * sums + beta * C)
template <class T, int N>
__device__ void apply_by_slices(float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    if (out.alpha != 1) each_sum<N>(sums, [&](float x) { return x * out.alpha; });
    if (out.beta == 0 && out.fused.empty) return;
    constexpr int columns = N % 32 == 0 && N > 64 ? 32 : N % 16 == 0 ? 16 : 8;  // small tiles share their registers
    each_slice<N, columns>(sums, [&](auto& slice, int col) {
        Output added = out;
        float factor = out.beta;
#pragma unroll 1
        for (bool last = false;; last = true) {  // C's and the residual's elements take turns
            if (factor != 0) {
                if (added.wide) add_pairs<float, columns>(slice, added, factor, first_row, first_col + col, thread);
                else add_pairs<T, columns>(slice, added, factor, first_row, first_col + col, thread);
            }
            if (last) return;
            Fused rest = out.fused;
            if (out.bias_down && rest.bias) {
                add_bias_down<T, columns>(slice, rest, out.rows, first_row, thread);
                rest.bias = nullptr, rest.scale = 1;
            }
            apply<T, columns>(slice, rest, out.cols, first_col + col, thread);
            added.data = const_cast<void*>(out.fused.residual);
            added.row_step = out.fused.row_step;
            factor = added.data ? 1 : 0;
        }
    });
}

/// C and residual have contiguous rows.
template <class T, int N>
__device__ void finish_groups(float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    apply_by_slices<T, N>(sums, out, first_row, first_col, thread);
    if (out.wide) store_groups<float, N>(sums, out, first_row, first_col, thread);
    else store_groups<T, N>(sums, out, first_row, first_col, thread);
}

/// The same through a warp's boxes in shared memory.
template <class T, int N>
__device__ void finish_boxes(float (&sums)[N / 2], const Output& out, const CUtensorMap& map, std::uint32_t buffers,
                             int first_row, int first_col, int thread) {
    apply_by_slices<T, N>(sums, out, first_row, first_col, thread);
    if (out.wide) store_boxes<float, N>(sums, out, map, buffers, first_row, first_col, thread);
    else store_boxes<T, N>(sums, out, map, buffers, first_row, first_col, thread);
}

}  // namespace tw::cuda
