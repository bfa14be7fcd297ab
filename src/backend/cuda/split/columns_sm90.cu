// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Splitting rows whose k is not contiguous, as those of a row-major B: the largest of each row is found first, reading
// along the other direction; then tiles are read that way again, turned in shared memory and written along k.
#include "backend/cuda/device/failure.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/split/kernels.hpp"
#include "backend/cuda/split/parts.cuh"

namespace tw::cuda {
namespace {

constexpr int across = 64, deep = 8, threads = across * deep;  // neighbouring threads: neighbouring rows
constexpr int slab = 256;                                      // of k that one block scans

/// exponents[i] becomes the bits of row i's largest magnitude.
__global__ void __launch_bounds__(threads) scan(Tensor<const float> from, unsigned* largest_of_row, TileGrid grid) {
    __shared__ unsigned partial[deep][across];
    const int x = static_cast<int>(threadIdx.x) % across, y = static_cast<int>(threadIdx.x) / across;
    const std::int64_t row = grid.col() * std::int64_t{across} + x, first = grid.row() * std::int64_t{slab};
    unsigned largest = 0;
    if (row < from.rows()) {
        const std::int64_t end = first + slab < from.cols() ? first + slab : from.cols();
#pragma unroll 8
        for (std::int64_t k = first + y; k < end; k += deep) largest = max(largest, magnitude_bits(from(row, k)));
    }
    partial[y][x] = largest;
    __syncthreads();
    if (y != 0 || row >= from.rows()) return;
#pragma unroll
    for (int i = 1; i < deep; ++i) largest = max(largest, partial[i][x]);
    atomicMax(largest_of_row + row, largest);
}

__global__ void __launch_bounds__(256) to_exponents(int* exponents, std::int64_t rows) {
    const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
    if (i < rows) exponents[i] = stored_exponent(static_cast<unsigned>(exponents[i]));
}

template <Parts parts>
__global__ void __launch_bounds__(threads)
    turn(Tensor<const float> from, std::uint16_t* to, std::int64_t pitch, const int* exponents, TileGrid grid) {
    __shared__ float tile[across][across + 1];
    const int x = static_cast<int>(threadIdx.x) % across, y = static_cast<int>(threadIdx.x) / across;
    const std::int64_t first_row = grid.col() * std::int64_t{across}, first_k = grid.row() * std::int64_t{across};
#pragma unroll
    for (int s = y; s < across; s += deep) {
        const bool inside = first_row + x < from.rows() && first_k + s < from.cols();
        tile[x][s] = inside ? from(first_row + x, first_k + s) : 0;
    }
    __syncthreads();
    constexpr int fours = across / 4;
    const std::int64_t padded = pitch / layout_of(parts).parts;
#pragma unroll
    for (int s = static_cast<int>(threadIdx.x); s < across * fours; s += threads) {
        const int r = s / fours, k = s % fours * 4;
        if (first_row + r >= from.rows() || first_k + k >= padded) continue;
        const float four[4] = {tile[r][k], tile[r][k + 1], tile[r][k + 2], tile[r][k + 3]};
        const int exponent = exponents[first_row + r];
        store_parts<parts>(to + (first_row + r) * pitch, first_k + k, four, -exponent, exponent != not_finite);
    }
}

template <Parts parts>
Status start_turn(const Tensor<const float>& rows, std::uint16_t* to, int* exponents, void* stream) {
    const std::int64_t wide = tiles_over(rows.layout.rows, across), high = tiles_over(rows.layout.cols, across);
    return launch(turn<parts>, {.blocks = static_cast<unsigned>(wide * high), .threads = threads}, stream, rows, to,
                  parts_pitch(parts, rows.layout.cols), exponents, TileGrid{static_cast<int>(wide)});
}

}  // namespace

Status split_across_k(const Splitting& one, Parts parts, void* stream) noexcept {
    const auto& [rows, to, exponents] = one;
    const std::int64_t count = rows.layout.rows, wide = tiles_over(count, across),
                       high = tiles_over(rows.layout.cols, slab);
    const auto queue = static_cast<cudaStream_t>(stream);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
    if (const Status bad = status_of(calls().clear(exponents, 0, bytes, queue), Step::clear); !bad) return bad;
    const Launch scanning{.blocks = static_cast<unsigned>(wide * high), .threads = threads};
    Status done =
        launch(scan, scanning, stream, rows, reinterpret_cast<unsigned*>(exponents), TileGrid{static_cast<int>(wide)});
    if (done)
        done = launch(to_exponents, {.blocks = static_cast<unsigned>(tiles_over(count, 256)), .threads = 256}, stream,
                      exponents, count);
    if (!done) return done;
    switch (parts) {
        case Parts::fp16x1: return start_turn<Parts::fp16x1>(rows, to, exponents, stream);
        case Parts::fp16x3: return start_turn<Parts::fp16x3>(rows, to, exponents, stream);
        case Parts::bf16x6: return start_turn<Parts::bf16x6>(rows, to, exponents, stream);
    }
    return {};
}

}  // namespace tw::cuda
