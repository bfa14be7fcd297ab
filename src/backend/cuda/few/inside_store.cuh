// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A tile of few_steps's on its way out: what an Inf made of its sums is made again, and rows go to C wherever they
// begin, 16 bytes at once, 4, or element by element with the epilogue.
#pragma once

#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/few/inside_stage.cuh"

namespace tw::cuda::inside {

/// How C is written. The first two: alpha and beta alone, and rows that are contiguous.
enum class Ending { by_16, by_4, by_element };

template <int count>
__device__ bool are_finite(const float (&sums)[count]) {
    float sum = 0;
#pragma unroll
    for (int x = 0; x < count; ++x) sum = fmaf(sums[x], 0, sum);
    return sum == 0;
}

/// A warp's sums to its rows of shared memory.
template <class S>
__device__ void keep(const float (&sums)[S::N / 2], std::uint32_t to) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    to += lane / 4 * S::row_bytes + lane % 4 * 8;
#pragma unroll
    for (int x = 0; x < S::N / 2; x += 2)
        ptx::store_pair(to + x / 2 % 2 * 8 * S::row_bytes + x / 4 * 32, sums[x], sums[x + 1]);
}

/// A tile's rows from shared memory to C, 16 bytes at once, with alpha and beta. Of an old C several are asked for at a
/// time.
template <class S>
__device__ void store_rows_by_16(std::uint32_t kept, const Output& out, int first_row, int first_col) {
    constexpr int lanes = S::N / 4, down = S::threads / lanes, at_once = 4;
    const int line = static_cast<int>(threadIdx.x) / lanes, x = static_cast<int>(threadIdx.x) % lanes * 4;
    const int rows = min(S::BM, out.rows - first_row);
    if (first_col + x >= out.cols) return;
    float* const c = static_cast<float*>(out.data) + first_row * out.row_step + first_col + x;
#pragma unroll 1
    for (int first = line; first < rows; first += at_once * down) {
        float4 old[at_once] = {};
#pragma unroll
        for (int i = 0; i < at_once; ++i)
            if (out.beta != 0 && first + i * down < rows)
                old[i] = *reinterpret_cast<const float4*>(c + (first + i * down) * out.row_step);
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
            const int row = first + i * down;
            if (row >= rows) break;
            const float4 sum = ptx::load_4(kept + row * S::row_bytes + x * 4);
            const auto one = [&](float of, float before) {
                return out.beta != 0 ? fmaf(out.beta, before, __fmul_rn(of, out.alpha)) : __fmul_rn(of, out.alpha);
            };
            *reinterpret_cast<float4*>(c + row * out.row_step) = {one(sum.x, old[i].x), one(sum.y, old[i].y),
                                                                  one(sum.z, old[i].z), one(sum.w, old[i].w)};
        }
    }
}

/// The same wherever rows begin, an element at a time.
template <class S>
__device__ void store_rows(std::uint32_t kept, const Output& out, int first_row, int first_col) {
    constexpr int down = S::warps, at_once = 4, across = S::N / 32;
    const int line = static_cast<int>(threadIdx.x) / 32, x = static_cast<int>(threadIdx.x) % 32;
    const int rows = min(S::BM, out.rows - first_row), cols = min(S::N, out.cols - first_col);
    float* const c = static_cast<float*>(out.data) + first_row * out.row_step + first_col;
#pragma unroll 1
    for (int first = line; first < rows; first += at_once * down) {
        float old[at_once][across] = {};
        const auto each = [&](const auto& f) {
#pragma unroll
            for (int i = 0; i < at_once; ++i)
#pragma unroll
                for (int j = 0; j < across; ++j) {
                    const int row = first + i * down, col = x + j * 32;
                    if (row < rows && col < cols) f(i, j, row, col);
                }
        };
        if (out.beta != 0) each([&](int i, int j, int row, int col) { old[i][j] = c[row * out.row_step + col]; });
        each([&](int i, int j, int row, int col) {
            const float sum = __fmul_rn(ptx::load_float(kept + row * S::row_bytes + col * 4), out.alpha);
            c[row * out.row_step + col] = out.beta != 0 ? fmaf(out.beta, old[i][j], sum) : sum;
        });
    }
}

/// With all that comes behind the sums, wherever C's elements are. turned: the product is seen from C's other side.
template <class S>
__device__ void store_by_element(std::uint32_t kept, const Output& out, int first_row, int first_col, bool turned) {
    const bool down = out.col_step != 1;
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < S::BM * S::N; x += S::threads) {
        const int i = down ? x % S::BM : x / S::N, j = down ? x / S::BM : x % S::N;
        if (first_row + i < out.rows && first_col + j < out.cols)
            finish_element<float, float>(ptx::load_float(kept + i * S::row_bytes + j * 4), out, first_row + i,
                                         first_col + j, turned);
    }
}

}  // namespace tw::cuda::inside
