// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
//         1024 columns                C x must be A (B x) for a vector x of signs. Each matrix is read once: bandwidth
//      +--------------+    M x        is all that this costs. C is read backwards, since its end may still be in L2.
//   64 |  warps side  | -> |M||x|     A matrix by columns is read as its transpose, whose columns are added up: y^T M.
//      |  by side     |               Blocks add what they have by atomic additions of f64: the order changes last bits
//      +--------------+               of sums, which no threshold is near.
//        y^T M, |y||M|
#pragma once

#include <cmath>
#include <cstdint>

#include "backend/cuda/device/elements.cuh"

namespace tw::cuda {
namespace {

constexpr int warps = 8, lanes = 32, own_columns = 4;  // adjacent columns of a lane
constexpr int rows_of_block = 64, columns_of_block = warps * lanes * own_columns;
constexpr unsigned all_lanes = 0xffffffff;

/// A vector and the sizes beside it; null: signs, and ones.
struct Weights {
    const double *values = nullptr, *sizes = nullptr;
};
struct Sums {
    double *values = nullptr, *sizes = nullptr;
};

__device__ double sign_of(std::int64_t number) {
    auto x = static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) & 1 ? 1 : -1;
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

/// Sums along rows, or else along columns, weighted by their elements' numbers.
template <class T, bool along_rows>
__global__ void __launch_bounds__(warps* lanes, 2)
    add_up(Matrix m, bool in_fours, bool backwards, Weights by, Sums sums) {
    constexpr bool along_columns = !along_rows;
    constexpr int at_once = sizeof(T) == 8 ? 4 : 8;
    __shared__ double parts[2][warps][rows_of_block];
    const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const std::int64_t block = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    const std::int64_t strips = (m.cols + columns_of_block - 1) / columns_of_block;
    const std::int64_t first_row = block / strips * rows_of_block;
    const std::int64_t first_column = block % strips * columns_of_block + (warp * lanes + lane) * own_columns;
    const T* const data = static_cast<const T*>(m.data);

    double by_x[own_columns] = {}, by_x_size[own_columns] = {}, down[own_columns] = {}, down_size[own_columns] = {};
    if (along_rows)
#pragma unroll
        for (int e = 0; e < own_columns; ++e)
            if (first_column + e < m.cols)
                by_x[e] = weight(by, first_column + e), by_x_size[e] = weight_size(by, first_column + e);

#pragma unroll 1
    for (int step = 0; step < rows_of_block; step += at_once) {
        Four<T> read[at_once];
#pragma unroll
        for (int q = 0; q < at_once; ++q) {
            const std::int64_t i = first_row + step + q;
            read[q] = {};
            if (i >= m.rows) continue;
            if (in_fours && first_column + own_columns <= m.cols)
                read[q] = *reinterpret_cast<const Four<T>*>(data + i * m.row_step + first_column);
            else
#pragma unroll
                for (int e = 0; e < own_columns; ++e)
                    if (first_column + e < m.cols)
                        read[q].of[e] = data[i * m.row_step + (first_column + e) * m.col_step];
        }
        double across[at_once], across_size[at_once];
#pragma unroll
        for (int q = 0; q < at_once; ++q) {
            const std::int64_t i = first_row + step + q;
            const bool is_row = i < m.rows;
            const double by_y = along_columns && is_row ? weight(by, i) : 0;
            const double by_y_size = along_columns && is_row ? weight_size(by, i) : 0;
            across[q] = across_size[q] = 0;
#pragma unroll
            for (int e = 0; e < own_columns; ++e) {
                const double element = widened(read[q].of[e]);
                if (along_rows) across[q] += element * by_x[e], across_size[q] += fabs(element) * by_x_size[e];
                if (along_columns && is_row) down[e] += element * by_y, down_size[e] += fabs(element) * by_y_size;
            }
        }
        if (along_rows) {
            constexpr int sharing = lanes / at_once;  // lanes that end with the same row
            const double row = added_over_lanes(across, lane), size = added_over_lanes(across_size, lane);
            if (lane % sharing == 0) {
                parts[0][warp][step + lane / sharing] = row;
                parts[1][warp][step + lane / sharing] = size;
            }
        }
    }
    if (along_columns)
#pragma unroll
        for (int e = 0; e < own_columns; ++e)
            if (first_column + e < m.cols) {
                atomicAdd(sums.values + first_column + e, down[e]);
                atomicAdd(sums.sizes + first_column + e, down_size[e]);
            }
    if (!along_rows) return;
    __syncthreads();
    const int row = threadIdx.x % rows_of_block, kind = threadIdx.x / rows_of_block;
    if (kind > 1 || first_row + row >= m.rows) return;
    double sum = 0;
    for (int w = 0; w < warps; ++w) sum += parts[kind][w][row];
    atomicAdd((kind == 0 ? sums.values : sums.sizes) + first_row + row, sum);
}

}  // namespace
}  // namespace tw::cuda
