// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The few rows as few_rows_anywhere reads them: lines of whole 128 bytes behind one another, zeros behind k, in the
// order in which the weights' lanes have k; f32 rounded to tf32, and what that left, where it counts, below.
#pragma once

#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/few/anywhere_tile.cuh"
#include "backend/cuda/operands/product.cuh"

namespace tw::cuda::anywhere {

/// Which of 128 bytes of k stands at `place`: as it is, or, for weights that lie across k, lines that are MAPS apart
/// beside one another.
template <class T>
__device__ int k_at(int place, bool across) {
    if (!across) return place;
    constexpr int pair = 4 / sizeof(T);
    const int word = place / pair, line = word % 8, quarter = word / 8;
    return line * MAPS<T> + quarter * pair + place % pair;
}

inline constexpr int rows_at_once = 32;

/// A block has 128 bytes of k of 32 rows, by shared memory, so that it reads and writes along memory however they lie.
template <class T, bool holds_all>
__global__ void __launch_bounds__(256)
    lay_tokens(T* to, int pitch, Tensor<const T> tokens, bool across, bool with_small) {
    constexpr int deep = BK<T>, all = rows_at_once * deep;
    __shared__ T tile[rows_at_once][deep + 4 / sizeof(T)];
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    const int rows = static_cast<int>(tokens.rows()), depth = static_cast<int>(tokens.cols());
    const int first = static_cast<int>(blockIdx.x) * deep, top = static_cast<int>(blockIdx.y) * rows_at_once;
    const bool down = tokens.layout.row_step == 1;
    for (int x = static_cast<int>(threadIdx.x); x < all; x += 256) {
        const int i = down ? x % rows_at_once : x / deep, k = down ? x / rows_at_once : x % deep;
        tile[i][k] = top + i < rows && first + k < depth ? tokens(top + i, first + k) : T{};
    }
    __syncthreads();
    for (int x = static_cast<int>(threadIdx.x); x < all; x += 256) {
        const int i = x / deep, place = x % deep;
        if (top + i >= rows) break;
        const T value = tile[i][k_at<T>(place, across)];
        T* const here = to + (top + i) * std::int64_t{pitch} + first + place;
        if constexpr (sizeof(T) == 4) {
            std::uint32_t large, small;
            if constexpr (holds_all) ptx::cut_to_tf32(value, large, small);
            else cut(value, large, small);
            *here = __uint_as_float(large);
            if (with_small) here[rows * std::int64_t{pitch}] = __uint_as_float(small);
        } else {
            *here = value;
        }
    }
}

inline std::int64_t tokens_pitch(std::int64_t k, std::size_t size) {
    const auto whole = static_cast<std::int64_t>(128 / size);
    return (k + whole - 1) / whole * whole;
}

template <class T, bool holds_all>
Status lay(void* to, const Matrix& tokens, bool across, bool with_small, void* stream) {
    const auto pitch = static_cast<int>(tokens_pitch(tokens.cols, sizeof(T)));
    const Launch how{.blocks = static_cast<unsigned>(pitch / BK<T>),
                     .threads = 256,
                     .products = static_cast<unsigned>(tiles_over(tokens.rows, rows_at_once)),
                     .overlaps = true};
    return launch(lay_tokens<T, holds_all>, how, stream, static_cast<T*>(to), pitch, tensor_of<const T>(tokens), across,
                  with_small);
}

}  // namespace tw::cuda::anywhere
