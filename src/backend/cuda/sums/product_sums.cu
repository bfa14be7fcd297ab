// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
//         1024 columns                C x must be A (B x) for a vector x of signs. Each matrix is read once: bandwidth
//      +--------------+    M x        is all that this costs. C is read backwards, since its end may still be in L2.
//   64 |  warps side  | -> |M||x|     A matrix by columns is read as its transpose, whose columns are added up: y^T M.
//      |  by side     |               Blocks add what they have by atomic additions of f64: the order changes last bits
//      +--------------+               of sums, which no threshold is near.
//        y^T M, |y||M|
#include <cmath>

#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/elements.cuh"
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/sums/product_sums.hpp"

namespace tw::cuda {
namespace {

constexpr int warps = 8, lanes = 32, own_columns = 4;      // adjacent columns of a lane
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

/// The sums of C0, which is about to be overwritten, join those of A B; and are 0 again.
__global__ void __launch_bounds__(256) add_old(double alpha, double beta, Sums wanted, Sums seen, std::int64_t count) {
    const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
    if (i >= count) return;
    wanted.values[i] = alpha * wanted.values[i] + beta * seen.values[i];
    wanted.sizes[i] = fabs(alpha) * wanted.sizes[i] + fabs(beta) * seen.sizes[i];
}

/// counts: of sums that are off, and of those that tell nothing.
__global__ void __launch_bounds__(256)
    count_off(double alpha, Allowance may, Sums wanted, Sums seen, std::int64_t count, double* counts) {
    const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
    if (i >= count) return;
    const double size = fabs(alpha) * wanted.sizes[i];
    const double allowed = may.of_sizes * size + may.of_seen * seen.sizes[i] + may.floor;
    if (!isfinite(size))
        atomicAdd(counts + 1, 1.0);
    else if (!(fabs(seen.values[i] - alpha * wanted.values[i]) <= allowed))
        atomicAdd(counts, 1.0);
}

/// Where each vector of a product lies. What is seen of C comes last, since each look begins with zeros.
struct Layout {
    Sums b_by_signs, wanted, seen;
    double* counts;
    double* end;

    Layout(std::int64_t m, std::int64_t k, double* at) noexcept {
        const auto next = [&](std::int64_t count) {
            const Sums sums{at, at + count};
            at += 2 * count;
            return sums;
        };
        b_by_signs = next(k), wanted = next(m), seen = next(m);
        counts = at, end = at + 2;
    }
};

Layout layout_of(const SumsOf& p, std::span<std::byte> memory) noexcept {
    return {p.c.rows, p.a.cols, reinterpret_cast<double*>(memory.data())};
}

Status clear(double* from, const double* to, void* stream) noexcept {
    const auto bytes = static_cast<std::size_t>(to - from) * sizeof(double);
    return status_of(calls().clear(from, 0, bytes, static_cast<cudaStream_t>(stream)), Step::clear);
}

template <class T>
Status add_up_of(const Matrix& m, bool along_rows, bool backwards, Weights by, Sums sums, void* stream) noexcept {
    const bool in_fours = m.col_step == 1 && m.row_step % own_columns == 0 &&
                          reinterpret_cast<std::uintptr_t>(m.data) % alignof(Four<T>) == 0;
    const std::int64_t blocks = ((m.cols + columns_of_block - 1) / columns_of_block) *
                                ((m.rows + rows_of_block - 1) / rows_of_block);
    const Launch how{.blocks = static_cast<unsigned>(blocks), .threads = warps * lanes};
    return launch(along_rows ? add_up<T, true> : add_up<T, false>, how, stream, m, in_fours, backwards, by, sums);
}

/// Along rows of the matrix as it is meant, however it lies.
Status add_up(const Matrix& meant, bool backwards, Weights by, Sums sums, void* stream) noexcept {
    const bool as_meant = meant.col_step == 1 || meant.row_step != 1;
    const Matrix m = as_meant ? meant : meant.transposed();
    switch (m.type) {
        case Type::f64: return add_up_of<double>(m, as_meant, backwards, by, sums, stream);
        case Type::f32: return add_up_of<float>(m, as_meant, backwards, by, sums, stream);
        case Type::f16: return add_up_of<__half>(m, as_meant, backwards, by, sums, stream);
        case Type::bf16: return add_up_of<__nv_bfloat16>(m, as_meant, backwards, by, sums, stream);
        case Type::c64:
        case Type::c128: break;  // complex products are not verified
    }
    return {};
}

Launch one_each(std::int64_t count) noexcept {
    return {.blocks = static_cast<unsigned>((count + 255) / 256), .threads = 256};
}

std::size_t bytes(std::int64_t m, std::int64_t k) noexcept {
    return static_cast<std::size_t>(4 * m + 2 * k + 2) * sizeof(double);
}

Status expect(const SumsOf& p, std::span<std::byte> memory, void* stream) noexcept {
    const Layout at = layout_of(p, memory);
    Status status = clear(reinterpret_cast<double*>(memory.data()), at.end, stream);
    if (status) status = add_up(p.b, false, {}, at.b_by_signs, stream);
    if (status) status = add_up(p.a, false, {at.b_by_signs.values, at.b_by_signs.sizes}, at.wanted, stream);
    if (!status || p.beta == 0) return status;
    status = add_up(p.c, false, {}, at.seen, stream);
    const std::int64_t m = p.c.rows;
    return status ? launch(add_old, one_each(m), stream, p.alpha, p.beta, at.wanted, at.seen, m) : status;
}

Status compare(const SumsOf& p, const Allowance& allowed, std::span<std::byte> memory, void* stream,
               SumsOff& found) noexcept {
    const Layout at = layout_of(p, memory);
    const double alpha = p.beta == 0 ? p.alpha : 1;  // add_old() has seen to it
    const std::int64_t m = p.c.rows;
    Status status = clear(at.seen.values, at.end, stream);
    if (status) status = add_up(p.c, true, {}, at.seen, stream);
    if (status) status = launch(count_off, one_each(m), stream, alpha, allowed, at.wanted, at.seen, m, at.counts);
    double counts[2] = {};
    if (status) status = copy({counts, Type::f64, 1, 2, 2}, {at.counts, Type::f64, 1, 2, 2}, stream);
    if (status) status = wait(stream);
    found = {static_cast<std::int64_t>(counts[0]), static_cast<std::int64_t>(counts[1])};
    return status;
}

constexpr ProductSums product_sums{.bytes = bytes, .expect = expect, .compare = compare};

}  // namespace
}  // namespace tw::cuda

extern "C" TW_API const tw::ProductSums* tilewright_cuda_sums(unsigned long long stamp) noexcept {
    return stamp == tw::cuda::contract_stamp ? &tw::cuda::product_sums : nullptr;
}
