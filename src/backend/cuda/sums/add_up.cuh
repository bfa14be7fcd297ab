// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// C x must be A (B x) for a vector x of signs. Each matrix is read once: bandwidth is all that this may cost.
//
//      2048 columns             M x, |M||x|: a warp reads four rows at once, and its lanes add up what they have at the
//   +--------------+            end alone. A matrix by columns is read as its transpose, whose columns are added up:
// 4 | a warp       | -> M x     there a lane keeps its own four columns' sums. Blocks add theirs by atomic additions of
//   +--------------+            f64: the order changes last bits of sums, which no threshold is near.
#pragma once

#include <cmath>
#include <cstdint>

#include "backend/cuda/device/elements.cuh"

namespace tw::cuda {
namespace {

constexpr int warps = 8, lanes = 32, own_columns = 4;                              // adjacent columns of a lane
constexpr int strip = 2048, rows_at_once = 4;                                      // of a warp that sums along rows
constexpr int rows_of_block = 64, columns_of_block = warps * lanes * own_columns;  // where it sums along columns
constexpr unsigned all_lanes = 0xffffffff;

/// A vector and the sizes beside it; null: signs, and ones.
struct Weights {
    const double *values = nullptr, *sizes = nullptr;
};
struct Sums {
    double *values = nullptr, *sizes = nullptr;
};

__device__ double sign_of(std::int64_t number) {
    auto x = static_cast<unsigned>(number ^ (number >> 32)) + 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return (x ^ (x >> 16)) & 1 ? 1 : -1;
}
__device__ double weight(const Weights& weights, std::int64_t number) {
    return weights.values ? weights.values[number] : sign_of(number);
}
__device__ double weight_size(const Weights& weights, std::int64_t number) {
    return weights.sizes ? weights.sizes[number] : 1;
}

__device__ double widened(double x) { return x; }
__device__ double widened(float x) { return x; }
__device__ double widened(__half x) { return __half2float(x); }
__device__ double widened(__nv_bfloat16 x) { return __bfloat162float(x); }

template <class T>
struct alignas(sizeof(T) * own_columns < 16 ? sizeof(T) * own_columns : 16) Four {
    T of[own_columns];
};

/// Four elements of a row; zeros beyond the matrix.
template <class T>
__device__ Four<T> four_at(const Matrix& m, bool in_fours, std::int64_t i, std::int64_t j) {
    Four<T> read{};
    if (i >= m.rows) return read;
    const T* const row = static_cast<const T*>(m.data) + i * m.row_step;
    if (in_fours && j + own_columns <= m.cols) return *reinterpret_cast<const Four<T>*>(row + j);
#pragma unroll
    for (int e = 0; e < own_columns; ++e)
        if (j + e < m.cols) read.of[e] = row[(j + e) * m.col_step];
    return read;
}

/// Lane l ends with the sum over all lanes of value l / (32 / count): halves are exchanged, not whole vectors.
template <int count>
__device__ double added_over_lanes(double (&values)[count], int lane) {
    int mask = lanes / 2;
#pragma unroll
    for (int half = count / 2; half >= 1; half /= 2, mask /= 2) {
        const bool upper = lane & mask;
#pragma unroll
        for (int q = 0; q < half; ++q) {
            const double kept = upper ? values[half + q] : values[q], given = upper ? values[q] : values[half + q];
            values[q] = kept + __shfl_xor_sync(all_lanes, given, mask);
        }
    }
    for (; mask >= 1; mask /= 2) values[0] += __shfl_xor_sync(all_lanes, values[0], mask);
    return values[0];
}

template <class T>
__global__ void __launch_bounds__(warps* lanes, 2)
    add_rows(Matrix m, bool in_fours, bool backwards, Weights by, Sums sums) {
    const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const std::int64_t block = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    const std::int64_t strips = (m.cols + strip - 1) / strip;
    const std::int64_t first_row = (block / strips * warps + warp) * rows_at_once;
    const std::int64_t first = block % strips * strip, end = first + strip < m.cols ? first + strip : m.cols;
    double sum[rows_at_once] = {}, size[rows_at_once] = {};
#pragma unroll 2
    for (std::int64_t j = first + lane * own_columns; j < end; j += lanes * own_columns) {
        Four<T> read[rows_at_once];
#pragma unroll
        for (int q = 0; q < rows_at_once; ++q) read[q] = four_at<T>(m, in_fours, first_row + q, j);
#pragma unroll
        for (int e = 0; e < own_columns; ++e) {
            const std::int64_t column = j + e < m.cols ? j + e : m.cols - 1;
            const double x = weight(by, column), x_size = weight_size(by, column);
#pragma unroll
            for (int q = 0; q < rows_at_once; ++q) {
                const double element = widened(read[q].of[e]);
                sum[q] += element * x, size[q] += fabs(element) * x_size;
            }
        }
    }
    constexpr int sharing = lanes / rows_at_once;  // lanes that end with the same row
    const double row_sum = added_over_lanes(sum, lane), row_size = added_over_lanes(size, lane);
    const std::int64_t row = first_row + lane / sharing;
    if (lane % sharing != 0 || row >= m.rows) return;
    atomicAdd(sums.values + row, row_sum);
    atomicAdd(sums.sizes + row, row_size);
}

template <class T>
__global__ void __launch_bounds__(warps* lanes, 2)
    add_columns(Matrix m, bool in_fours, bool backwards, Weights by, Sums sums) {
    constexpr int at_once = sizeof(T) == 4 ? 8 : 4;  // what registers hold without spills
    const std::int64_t block = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    const std::int64_t strips = (m.cols + columns_of_block - 1) / columns_of_block;
    const std::int64_t first_row = block / strips * rows_of_block;
    const std::int64_t column = block % strips * columns_of_block + threadIdx.x * own_columns;
    double down[own_columns] = {}, down_size[own_columns] = {};
#pragma unroll 1
    for (std::int64_t i = first_row; i < first_row + rows_of_block && i < m.rows; i += at_once) {
        Four<T> read[at_once];
#pragma unroll
        for (int q = 0; q < at_once; ++q) read[q] = four_at<T>(m, in_fours, i + q, column);
#pragma unroll
        for (int q = 0; q < at_once; ++q) {
            const std::int64_t row = i + q < m.rows ? i + q : m.rows - 1;
            const double y = weight(by, row), y_size = weight_size(by, row);
#pragma unroll
            for (int e = 0; e < own_columns; ++e) {
                const double element = widened(read[q].of[e]);
                down[e] += element * y, down_size[e] += fabs(element) * y_size;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < own_columns; ++e)
        if (column + e < m.cols) {
            atomicAdd(sums.values + column + e, down[e]);
            atomicAdd(sums.sizes + column + e, down_size[e]);
        }
}

}  // namespace
}  // namespace tw::cuda
