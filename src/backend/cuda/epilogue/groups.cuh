// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From a consumer's sums to rows of C without shared memory, for any width. A thread has two neighbours of every group
// of 8 columns; four threads have the group. For 16-bit results four threads exchange four groups, so that each stores
// 16 bytes of one, and 8 of two groups that are left:
//
//      thread   0   1   2   3              0         1         2         3
//     group 0   a0  a1  a2  a3             a0..a3    b0..b3    c0..c3    d0..d3
//     group 1   b0  b1  b2  b3      ->     16 bytes  16 bytes  16 bytes  16 bytes: 64 in a row
//     group 2   c0  c1  c2  c3
//     group 3   d0  d1  d2  d3
#pragma once

#include "backend/cuda/epilogue/anywhere.cuh"
#include "backend/cuda/epilogue/columns.cuh"
#include "backend/cuda/ptx/prefetch.cuh"

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
                constexpr int whole = N / 32 * 4;
                if (g == whole && g + 2 <= N / 8 && out.by_group && left >= 8 * g + 16) {
                    const bool odd = quad % 2 != 0;
                    const std::uint32_t word[2] = {pack<T>(sums[4 * g + 2 * half], sums[4 * g + 2 * half + 1]),
                                                   pack<T>(sums[4 * g + 4 + 2 * half], sums[4 * g + 5 + 2 * half])};
                    const std::uint32_t got = __shfl_xor_sync(~0u, odd ? word[0] : word[1], 1);
                    if (inside)
                        *reinterpret_cast<uint2*>(c + 8 * (g + odd) + quad / 2 * 4) =
                            odd ? uint2{got, word[1]} : uint2{word[0], got};
                }
                if (g / 2 * 2 == whole && whole + 2 <= N / 8 && out.by_group && left >= 8 * whole + 16) continue;
            }
            if (inside)
                store_pair_of(c + 8 * g + at.col, sums[4 * g + 2 * half], sums[4 * g + 2 * half + 1], together,
                              left - 8 * g - at.col);
        }
    }
}

/// f(some columns' sums, the first column) for all columns by one small piece of code: sums move past it.
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

/// sums += factor * (a matrix whose rows are contiguous): all loads first, no branch between, their parts behind them.
template <class T, int N>
__device__ void add_pairs(float (&sums)[N / 2], const Output& of, float factor, int first_row, int first_col,
                          int thread) {
    using Both = std::conditional_t<sizeof(T) == 4, float2, std::uint32_t>;
    const FragmentPlace at(thread);
    const bool in_pairs =
        (of.row_step | of.cols) % 2 == 0 && reinterpret_cast<std::uintptr_t>(of.data) % (2 * sizeof(T)) == 0;
    const T* const first = static_cast<const T*>(of.data) + first_col + at.col;
    const auto row_of = [&](int half) { return first_row + at.row + 8 * half; };
    const int left = of.cols - first_col - at.col;
    if (in_pairs) {
        Both pairs[N / 4];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const T* const old = first + min(row_of(half), of.rows - 1) * of.row_step;
#pragma unroll
            for (int g = 0; g < N / 8; ++g)
                pairs[2 * g + half] = *reinterpret_cast<const Both*>(old + min(8 * g, left - 2));
        }
#pragma unroll
        for (int i = 0; i < N / 2; ++i)
            sums[i] += factor * static_cast<float>(reinterpret_cast<const T*>(&pairs[i / 2])[i % 2]);
        return;
    }
    constexpr int columns = N % 16 == 0 ? 16 : 8;
    each_slice<N, columns>(sums, [&](auto& slice, int col) {
        T old[columns / 2];
#pragma unroll
        for (int i = 0; i < columns / 2; ++i) {
            const int last = min(col + i / 4 * 8 + i % 2, left - 1);
            old[i] = first[min(row_of(i / 2 % 2), of.rows - 1) * of.row_step + last];
        }
#pragma unroll
        for (int i = 0; i < columns / 2; ++i) slice[i] += factor * static_cast<float>(old[i]);
    });
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

/// Columns of an old C that are on their way at a time: all that there are registers for, in equal slices.
template <class T, int N>
constexpr int old_columns() {
    constexpr auto slice = [](int most) {
        for (int count = 1;; ++count)
            if (N % (8 * count) == 0 && N / count <= most) return N / count;
    };
    if (sizeof(T) == 2) return slice(128);
    return slice(64) < 32 && N > 64 ? slice(104) : slice(64);
}

template <class T, int N>
__device__ void add_old(float (&sums)[N / 2], const Output& of, float factor, int first_row, int first_col,
                        int thread) {
    constexpr int columns = old_columns<T, N>();
    each_slice<N, columns>(sums, [&](auto& slice, int col) {
        add_pairs<T, columns>(slice, of, factor, first_row, first_col + col, thread);
    });
}

/// sums = epilogue(alpha * sums + beta * C)
template <class T, int N>
__device__ void apply_by_slices(float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    if (out.alpha != 1) each_sum<N>(sums, [&](float x) { return x * out.alpha; });
    if (out.beta == 0 && out.fused.empty) return;
    constexpr int columns = N % 32 == 0 && N > 64 ? 32 : N % 16 == 0 ? 16 : 8;  // small tiles share their registers
    Output added = out;
    float factor = out.beta;
#pragma unroll 1
    for (bool last = false;; last = true) {  // C's and the residual's elements take turns
        if (factor != 0) {
            if (std::is_same_v<T, float> || added.wide)
                add_old<float, N>(sums, added, factor, first_row, first_col, thread);
            else add_old<T, N>(sums, added, factor, first_row, first_col, thread);
        }
        if (last || out.fused.empty) return;
        each_slice<N, columns>(sums, [&](auto& slice, int col) {
            Fused rest = out.fused;
            if (out.bias_down && rest.bias) {
                add_bias_down<T, columns>(slice, rest, out.rows, first_row, thread);
                rest.bias = nullptr, rest.scale = 1;
            }
            apply<T, columns>(slice, rest, out.cols, first_col + col, thread);
        });
        added.data = const_cast<void*>(out.fused.residual);
        added.row_step = out.fused.row_step;
        factor = added.data ? 1 : 0;
    }
}

/// Asks L2 for what a consumer's 64 x N sums will be added to: each slice would wait for the memory.
template <class T, int N>
__device__ void bring_old_closer(const Output& out, int first_row, int first_col, int thread) {
    const int row = first_row + thread, size = out.wide ? 4 : static_cast<int>(sizeof(T)),
              cols = min(N, out.cols - first_col);
    if (thread >= 64 || row >= out.rows || cols <= 0) return;
    const auto ask = [&](const void* data, std::int64_t row_step) {
        ptx::prefetch_bytes(static_cast<const char*>(data) + (row * row_step + first_col) * size, cols * size);
    };
    if (out.beta != 0) ask(out.data, out.row_step);
    if (out.fused.residual) ask(out.fused.residual, out.fused.row_step);
}

/// C and residual have contiguous rows; or, where it `turns`, C's columns may be, with nothing to add.
template <class T, int N, bool turns = false>
__device__ void finish_groups(float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    apply_by_slices<T, N>(sums, out, first_row, first_col, thread);
    if constexpr (turns)
        if (!out.by_row) return store_columns<T, N>(sums, out, first_row, first_col, thread);
    if (std::is_same_v<T, float> || out.wide) store_groups<float, N>(sums, out, first_row, first_col, thread);
    else store_groups<T, N>(sums, out, first_row, first_col, thread);
}

/// What 128 bytes of a row hold goes through a warp's boxes in shared memory, and columns that are left as above.
template <class T, int N>
__device__ void store_boxes_and_groups(const float (&sums)[N / 2], const Output& out, const CUtensorMap& map,
                                       std::uint32_t buffers, int first_row, int first_col, int thread) {
    constexpr int columns = 128 / sizeof(T), boxed = N / columns * columns, left = N - boxed;
    if constexpr (boxed > 0)
        store_boxes<T, boxed>(reinterpret_cast<const float(&)[boxed / 2]>(sums), out, map, buffers, first_row,
                              first_col, thread);
    if constexpr (left > 0)
        store_groups<T, left>(reinterpret_cast<const float(&)[left / 2]>(sums[boxed / 2]), out, first_row,
                              first_col + boxed, thread);
}

/// C as finish_groups has it; where it turns, its columns suit TMA. `group`: which of the block's consumers.
template <class T, int N, bool turns = false>
__device__ void finish_boxes(float (&sums)[N / 2], const Output& out, const CUtensorMap& map, std::uint32_t buffers,
                             int first_row, int first_col, int group, int thread) {
    apply_by_slices<T, N>(sums, out, first_row, first_col, thread);
    if constexpr (turns)
        if (!out.by_row) return store_column_boxes<T, N>(sums, map, buffers, first_row, first_col, group, thread);
    if (std::is_same_v<T, float> || out.wide) {
        if constexpr (N == 208) store_groups<float, N>(sums, out, first_row, first_col, thread);  // boxes would spill
        else store_boxes_and_groups<float, N>(sums, out, map, buffers, first_row, first_col, thread);
    } else {
        if constexpr (stores_anywhere<N>)
            if (!out.by_box) return store_anywhere<T, N>(sums, out, buffers, first_row, first_col, thread);
        store_boxes_and_groups<T, N>(sums, out, map, buffers, first_row, first_col, thread);
    }
}

}  // namespace tw::cuda
