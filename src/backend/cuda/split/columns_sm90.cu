// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Splitting rows whose k is not contiguous, as those of a row-major B: the largest of each row is found first, reading
// along the other direction; then tiles are read that way again, turned in shared memory and written along k. What
// tiles find out of a row becomes its note when all are done: tiles that wait for each other's writes cost a third
// more.
#include "backend/cuda/device/failure.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/split/kernels.hpp"
#include "backend/cuda/split/notes.cuh"

namespace tw::cuda {
namespace {

constexpr int across = 64, deep = 8, threads = across * deep;  // neighbouring threads: neighbouring rows
constexpr int slab = 256;                                      // of k that one block scans

/// What blocks add up of each row, all 0 at first.
struct Tallies {
    unsigned *largest, *classes, *units;
    Tallies(unsigned* first, std::int64_t rows) : largest(first), classes(first + rows), units(first + 2 * rows) {}
};

__global__ void __launch_bounds__(threads) scan(Tensor<const float> from, Tallies tallies, TileGrid grid) {
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
    atomicMax(tallies.largest + row, largest);
}

template <Parts parts>
__global__ void __launch_bounds__(threads) turn(Splitting one, std::int64_t pitch, Tallies tallies, TileGrid grid) {
    __shared__ float tile[across][across + 1];
    __shared__ unsigned largest[across], classes[across], units[across];
    const Tensor<const float>& from = one.rows;
    const int x = static_cast<int>(threadIdx.x) % across, y = static_cast<int>(threadIdx.x) / across;
    const std::int64_t first_row = grid.col() * std::int64_t{across}, first_k = grid.row() * std::int64_t{across};
    const std::int64_t own_row = first_row + threadIdx.x;  // of the first threads
    const bool has_row = threadIdx.x < across && own_row < from.rows();
    if (threadIdx.x < across) {
        largest[threadIdx.x] = has_row ? tallies.largest[own_row] : 0;
        classes[threadIdx.x] = units[threadIdx.x] = 0;
    }
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
        const int r = s / fours, k = s % fours * 4;  // a warp has two rows, 16 classes of each
        const float four[4] = {tile[r][k], tile[r][k + 1], tile[r][k + 2], tile[r][k + 3]};
        const int lift = lifting_exponent(largest[r]);
        uint2 first_parts{};
        if (first_row + r < from.rows() && first_k + k < padded)
            first_parts =
                store_parts<parts>(one.to + (first_row + r) * pitch, first_k + k, four, lift, is_finite(largest[r]));
        if constexpr (parts == Parts::fp16x3) {
            const float2 most = __half22float2(largest_of(first_parts));
            const unsigned of_warp = __ballot_sync(~0u, counts(fmaxf(most.x, most.y)));
            if (s % fours == 0) classes[r] = of_warp >> threadIdx.x % 32 & 0xffffu;
        }
        if (!may_lose<parts>(least_of(first_parts))) continue;
        if (const unsigned some = lost<parts>(four, lift); some != 0) atomicAdd(units + r, some);
    }
    __syncthreads();
    if (!has_row) return;
    if constexpr (parts == Parts::fp16x3)
        atomicOr(tallies.classes + own_row, classes[threadIdx.x] << grid.row() % 2 * 16);
    if (units[threadIdx.x] != 0) atomicAdd(tallies.units + own_row, units[threadIdx.x]);
}

template <Parts parts>
__global__ void __launch_bounds__(256) to_notes(int* notes, Tallies tallies, std::int64_t rows) {
    const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
    if (i < rows) notes[i] = with_losses(note_of<parts>(tallies.largest[i], tallies.classes[i]), tallies.units[i]);
}

template <Parts parts>
Status start_turn(const Splitting& one, const Tallies& tallies, void* stream) {
    const std::int64_t rows = one.rows.layout.rows, wide = tiles_over(rows, across),
                       high = tiles_over(one.rows.layout.cols, across);
    const Status turned =
        launch(turn<parts>, {.blocks = static_cast<unsigned>(wide * high), .threads = threads}, stream, one,
               parts_pitch(parts, one.rows.layout.cols), tallies, TileGrid{static_cast<int>(wide)});
    if (!turned) return turned;
    return launch(to_notes<parts>, {.blocks = static_cast<unsigned>(tiles_over(rows, 256)), .threads = 256}, stream,
                  one.notes, tallies, rows);
}

}  // namespace

Status split_across_k(const Splitting& one, Parts parts, void* stream) noexcept {
    const std::int64_t count = one.rows.layout.rows, wide = tiles_over(count, across),
                       high = tiles_over(one.rows.layout.cols, slab);
    const auto queue = static_cast<cudaStream_t>(stream);
    const std::size_t bytes = static_cast<std::size_t>(tallies_of(count)) * sizeof(unsigned);
    if (const Status bad = status_of(calls().clear(one.tallies, 0, bytes, queue), Step::clear); !bad) return bad;
    const Tallies tallies(one.tallies, count);
    const Launch scanning{.blocks = static_cast<unsigned>(wide * high), .threads = threads};
    if (const Status bad = launch(scan, scanning, stream, one.rows, tallies, TileGrid{static_cast<int>(wide)}); !bad)
        return bad;
    switch (parts) {
        case Parts::fp16x1: return start_turn<Parts::fp16x1>(one, tallies, stream);
        case Parts::fp16x3: return start_turn<Parts::fp16x3>(one, tallies, stream);
        case Parts::bf16x6: return start_turn<Parts::bf16x6>(one, tallies, stream);
    }
    return {};
}

}  // namespace tw::cuda
