// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From a consumer's sums to C: alpha and beta, what the caller fuses, then through shared memory where C's rows are
// contiguous: by TMA where they suit it, else a warp a row. Else element by element.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda {

/// C as the epilogue sees it.
struct Output {
    void* data;
    std::int64_t row_step, col_step;
    int rows, cols;
    float alpha, beta;
    bool wide;    ///< f32, else the operands' type
    bool by_row;  ///< its rows are contiguous
    bool by_box;  ///< and suit TMA
    Fused fused;
    std::int64_t depth_bytes = 0,
                 residual_bytes = 0;  ///< of a batch: what `depth` counts, and from one residual to the next
    int depth = -1;                   ///< the map's third coordinate, if it has one
    bool by_group = false;            ///< its rows are contiguous and start at multiples of 16 bytes
    bool bias_down = false;           ///< the bias has an element for each row

    /// C of one product of a batch.
    __device__ Output of(int product, int its_depth) const {
        Output one = *this;
        one.data = static_cast<char*>(data) + its_depth * depth_bytes;
        if (fused.residual) one.fused.residual = static_cast<const char*>(fused.residual) + product * residual_bytes;
        one.depth = its_depth;
        return one;
    }
};

template <class T>
__device__ T narrow(float x) {
    if constexpr (std::is_same_v<T, float>) return x;
    else if constexpr (std::is_same_v<T, __half>) return __float2half_rn(x);
    else return __float2bfloat16_rn(x);
}
template <class T>
__device__ std::uint32_t pack(float x, float y) {
    const T pair[2] = {narrow<T>(x), narrow<T>(y)};
    return *reinterpret_cast<const std::uint32_t*>(pair);
}

/// f(sum, element of C) for what lies inside C of the 64 x N of one consumer, from (first_row, first_col) on.
template <class T, int N, class F>
__device__ void with_elements(float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread,
                              const F& f) {
    const FragmentPlace at(thread);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = first_row + at.row + 8 * half, col = first_col + at.col;
        if (row >= out.rows) continue;
        T* c = static_cast<T*>(out.data) + row * out.row_step + col * out.col_step;
#pragma unroll
        for (int g = 0; g < N / 8; ++g, c += 8 * out.col_step) {
            if (col + 8 * g < out.cols) f(sums[4 * g + 2 * half], *c);
            if (col + 8 * g + 1 < out.cols) f(sums[4 * g + 2 * half + 1], c[out.col_step]);
        }
    }
}

/// A warp's box of 16 rows in shared memory to rows of C that may start anywhere: whole words of 4 bytes are stored
/// along them. Where a row starts between two words, its first and last element go by themselves.
template <class T>
__device__ void store_rows(std::uint32_t buffer, const Output& out, int first_row, int first_col, int lane) {
    constexpr int columns = 128 / sizeof(T);
    const int rows = min(16, out.rows - first_row), cols = min(columns, out.cols - first_col);
    const auto word = [&](int row, int x) {
        return ptx::load_word(buffer + row * 128 + (((x / 4) ^ (row % 8)) << 4) + x % 4 * 4);
    };
    T* const c = static_cast<T*>(out.data) + first_row * out.row_step + first_col;
    if constexpr (sizeof(T) == 4) {
        for (int r = 0; r < rows; ++r)
            if (lane < cols) c[r * out.row_step + lane] = __uint_as_float(word(r, lane));
    } else {
        const auto element = [&](int row, int x) {
            const auto bits = static_cast<std::uint16_t>(word(row, x / 2) >> (x % 2 * 16));
            return *reinterpret_cast<const T*>(&bits);
        };
        for (int r = 0; r < rows; ++r) {
            T* const to = c + r * out.row_step;
            const int odd = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) / 2 % 2), x = 2 * lane + odd;
            const std::uint32_t low = word(r, lane), high = word(r, min(lane + 1, 31));
            if (x + 1 < cols) *reinterpret_cast<std::uint32_t*>(to + x) = odd ? __funnelshift_r(low, high, 16) : low;
        }
        // What the words leave: lanes 0 to 15 the first element of a row, the others the last.
        const int row = lane % 16;
        T* const to = c + row * out.row_step;
        const bool odd = reinterpret_cast<std::uintptr_t>(to) / 2 % 2 != 0, at_end = lane >= 16;
        const int x = at_end ? cols - 1 : 0;
        if (row < rows && cols > 0 && (at_end ? (cols - odd) % 2 != 0 : odd)) to[x] = element(row, x);
    }
}

/// A warp's sums of one box to shared memory.
template <class T, int row_bytes = 128>
__device__ void fill_box(const float* sums, std::uint32_t buffer, int lane) {
    constexpr int groups = row_bytes / sizeof(T) / 8;
    if constexpr (sizeof(T) == 2) {
        const int row = lane % 16, swizzle = row % 8;
#pragma unroll
        for (int g = 0; g < groups; g += 2) {
            const float* s = sums + g * 4;
            const std::uint32_t f[4] = {pack<T>(s[0], s[1]), pack<T>(s[2], s[3]), pack<T>(s[4], s[5]),
                                        pack<T>(s[6], s[7])};
            ptx::store_fragments(buffer + row * 128 + (((g + lane / 16) ^ swizzle) << 4), f);
        }
    } else {
        const int row = lane / 4, swizzle = row_bytes == 128 ? row % 8 : row / 2 % 4;
#pragma unroll
        for (int g = 0; g < groups; ++g) {
            const float* s = sums + g * 4;
            const std::uint32_t place = (((g * 2 + lane % 4 / 2) ^ swizzle) << 4) + lane % 2 * 8;
            ptx::store_pair(buffer + row * row_bytes + place, s[0], s[1]);
            ptx::store_pair(buffer + (row + 8) * row_bytes + place, s[2], s[3]);
        }
    }
}

/// Boxes that TMA does not take, one after the other by one piece of code: a copy for each was a quarter of r9's
/// machine code.
template <class T, int N, int ring>
__device__ void store_boxes_by_rows(const float (&sums)[N / 2], const Output& out, std::uint32_t buffers, int first_row,
                                    int first_col, int thread) {
    constexpr int columns = 128 / sizeof(T), boxes = N / columns;
    const int lane = thread % 32, own = thread / 32 * 16;
    if (lane == 0) ptx::wait_for_reads_of_stores<0>();
    __syncwarp();
#pragma unroll 1
    for (int box = 0; box < boxes; ++box) {
        const std::uint32_t buffer = buffers + (thread / 32 * ring + box % ring) * 16 * 128;
#pragma unroll
        for (int its = 0; its < boxes; ++its)
            if (its == box) fill_box<T>(sums + its * columns / 2, buffer, lane);
        __syncwarp();
        store_rows<T>(buffer, out, first_row + own, first_col + box * columns, lane);
    }
    __syncwarp();
}

/// row_bytes (128, or 64 of f32) of each of a warp's 16 rows at a time, in a ring of its own: no warp waits for
/// another, and some boxes are read while one is written.
template <class T, int N, int row_bytes = 128, int ring = 2, class Out>
__device__ void store_boxes(const float (&sums)[N / 2], const Out& out, const CUtensorMap& map, std::uint32_t buffers,
                            int first_row, int first_col, int thread) {
    constexpr int columns = row_bytes / sizeof(T), boxes = N / columns;
    static_assert(N % columns == 0 && (row_bytes == 128 || (row_bytes == 64 && sizeof(T) == 4)));
    if constexpr (std::is_same_v<Out, Output>) {
        static_assert(row_bytes == 128);
        if (!out.by_box) return store_boxes_by_rows<T, N, ring>(sums, out, buffers, first_row, first_col, thread);
    }
    const int lane = thread % 32, own = thread / 32 * 16;
#pragma unroll
    for (int box = 0; box < boxes; ++box) {
        const std::uint32_t buffer = buffers + (thread / 32 * ring + box % ring) * 16 * row_bytes;
        if (lane == 0) {
            if (box == 0 && boxes % ring != 0)
                ptx::wait_for_reads_of_stores<0>();  // the last tile ended where this one begins
            else ptx::wait_for_reads_of_stores<ring - 1>();
        }
        __syncwarp();
        fill_box<T, row_bytes>(sums + box * columns / 2, buffer, lane);
        ptx::publish_to_async_proxy();
        __syncwarp();
        if (lane == 0) {
            const int row = first_row + own, col = first_col + box * columns;
            if constexpr (!std::is_same_v<Out, Output>) ptx::stream_box(map, buffer, col, row);
            else if (out.depth < 0) ptx::store_box(map, buffer, col, row);
            else ptx::store_box(map, buffer, col, row, out.depth);
            ptx::commit_stores();
        }
    }
}

/// sums = sums + factor * (C, or a matrix of its type)
template <class T, int N>
__device__ void add_elements(float (&sums)[N / 2], const Output& of, float factor, int first_row, int first_col,
                             int thread) {
    const auto add = [&](float& sum, const auto& old) { sum += factor * static_cast<float>(old); };
    if (of.wide) with_elements<float, N>(sums, of, first_row, first_col, thread, add);
    else with_elements<T, N>(sums, of, first_row, first_col, thread, add);
}

/// sums = epilogue(alpha * sums + beta * C). Most of its instructions add elements: C's and the residual's take turns
/// at them.
template <class T, int N>
__device__ void apply_all(float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    if (out.alpha != 1) each_sum<N>(sums, [&](float x) { return x * out.alpha; });
    Output added = out;
    float factor = out.beta;
#pragma unroll 1
    for (bool last = false;; last = true) {
        if (factor != 0) add_elements<T, N>(sums, added, factor, first_row, first_col, thread);
        if (last) return;
        apply<T, N>(sums, out.fused, out.cols, first_col, thread);
        added.data = const_cast<void*>(out.fused.residual);
        added.row_step = out.fused.row_step, added.col_step = out.fused.col_step;
        factor = added.data ? 1 : 0;
    }
}

template <class T, int N>
__device__ void store_elements(float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    const auto store = [](float sum, auto& to) { to = narrow<std::remove_reference_t<decltype(to)>>(sum); };
    if (out.wide) with_elements<float, N>(sums, out, first_row, first_col, thread, store);
    else with_elements<T, N>(sums, out, first_row, first_col, thread, store);
}

/// T: the operands' type.
template <class T, int N>
__device__ void finish_elements(float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    apply_all<T, N>(sums, out, first_row, first_col, thread);
    store_elements<T, N>(sums, out, first_row, first_col, thread);
}

}  // namespace tw::cuda
