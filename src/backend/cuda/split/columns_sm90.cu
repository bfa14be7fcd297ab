// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Splitting rows whose k is not contiguous, as those of a row-major B: the largest of each row is found first, reading
// along the other direction; then tiles are read that way again, turned in shared memory and written along k. What
// tiles find out of a row goes into its note when all are done, by the kernel behind: tiles that wait for each other's
// writes cost a third more. Nothing is cleared first: each slab of k has its own largest.
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/split/kernels.hpp"
#include "backend/cuda/split/notes.cuh"

namespace tw::cuda {
namespace {

constexpr int across = 64, deep = 8, threads = across * deep;  // neighbouring threads: neighbouring rows

__global__ void __launch_bounds__(threads)
    scan(Tensor<const float> from, std::int64_t next, Tallies tallies, TileGrid grid, int slab) {
    from.data += blockIdx.y * next, tallies = tallies.of(blockIdx.y);
    __shared__ unsigned partial[deep][across];
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
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
    tallies.largest[grid.row() * from.rows() + row] = largest;
    if (grid.row() == 0) tallies.classes[row] = tallies.units[row] = 0;
}

/// Four blocks share a multiprocessor.
template <Parts parts>
__global__ void __launch_bounds__(threads, 4)
    turn(Splitting one, std::int64_t width, Tallies tallies, TileGrid grid, int slabs) {
    __shared__ float tile[across][across + 1];
    __shared__ unsigned largest[across], classes[across], units[across];
    one.rows.data += blockIdx.y * one.next_rows, tallies = tallies.of(blockIdx.y);
    const Tensor<const float>& from = one.rows;
    const int x = static_cast<int>(threadIdx.x) % across, y = static_cast<int>(threadIdx.x) / across;
    const int first_row = grid.col() * across, first_k = grid.row() * across, rows = static_cast<int>(from.rows());
    if (threadIdx.x < across) largest[threadIdx.x] = classes[threadIdx.x] = units[threadIdx.x] = 0;
    ptx::let_next_kernel_begin();
    __syncthreads();
    ptx::wait_for_kernel_before();
    const bool is_row = first_row + x < rows;
    const unsigned* const of_slabs = tallies.largest + first_row + x;
    unsigned some = is_row && y < slabs ? of_slabs[y * from.rows()] : 0;  // on its way beside the tile
    const float* element = &from(first_row + x, first_k + y);
    const int left = is_row ? static_cast<int>(from.cols()) - first_k - y : 0;
#pragma unroll
    for (int s = 0; s < across; s += deep, element += deep * from.layout.col_step)
        tile[x][s + y] = s < left ? *element : 0;
    for (int slab = y + deep; is_row && slab < slabs; slab += deep) some = max(some, of_slabs[slab * from.rows()]);
    if (some != 0) atomicMax(largest + x, some);
    __syncthreads();
    constexpr int fours = across / 4;
    const auto padded = static_cast<int>(width / layout_of(parts).parts);
#pragma unroll 1
    for (int s = static_cast<int>(threadIdx.x); s < across * fours; s += threads) {
        const int r = s / fours, k = s % fours * 4;  // a warp has two rows, 16 classes of each
        const float four[4] = {tile[r][k], tile[r][k + 1], tile[r][k + 2], tile[r][k + 3]};
        const int lift = lifting_exponent(largest[r]);
        uint2 first_parts{};
        if (first_row + r < rows && first_k + k < padded)
            first_parts = store_parts<parts>(one.to + ((first_row + r) * gridDim.y + blockIdx.y) * width, first_k + k,
                                             four, lift, is_finite(largest[r]));
        if constexpr (parts == Parts::fp16x3) {
            const float2 most = __half22float2(largest_of(first_parts));
            const unsigned of_warp = __ballot_sync(~0u, counts(fmaxf(most.x, most.y)));
            if (s % fours == 0) classes[r] = of_warp >> threadIdx.x % 32 & 0xffffu;
        }
        if constexpr (parts != Parts::bf16x6) {
            const unsigned some = may_lose<parts>(least_of(first_parts)) ? lost<parts>(four, lift) : 0;
            if (__any_sync(~0u, some != 0)) {  // 16 lanes lose less than 2^16
                const unsigned both = __reduce_add_sync(~0u, some << threadIdx.x % 32 / 16 * 16);
                if (s % fours == 0) units[r] = both >> threadIdx.x % 32 & 0xffffu;
            }
        }
    }
    __syncthreads();
    const int own_row = first_row + static_cast<int>(threadIdx.x);  // of the first threads
    if (threadIdx.x >= across || own_row >= rows) return;
    if (grid.row() == 0) tallies.notes[own_row] = note_of(largest[threadIdx.x]);
    if constexpr (parts == Parts::fp16x3)
        atomicOr(tallies.classes + own_row, classes[threadIdx.x] << grid.row() % 2 * 16);
    if (units[threadIdx.x] != 0) atomicAdd(tallies.units + own_row, units[threadIdx.x]);
}

}  // namespace

Status split_across_k(const Splitting& one, Parts parts, int of_tree, void* stream) noexcept {
    const std::int64_t k = one.rows.layout.cols, wide = tiles_over(one.rows.layout.rows, across), slabs = slabs_of(k),
                       slab = tiles_over(k, slabs);
    const Tallies tallies(one);
    const TileGrid grid{static_cast<int>(wide)};
    const auto over = [&](std::int64_t high) {
        return Launch{.blocks = static_cast<unsigned>(wide * high),
                      .threads = threads,
                      .products = static_cast<unsigned>(of_tree),
                      .overlaps = true};
    };
    if (const Status bad =
            launch(scan, over(slabs), stream, one.rows, one.next_rows, tallies, grid, static_cast<int>(slab));
        !bad)
        return bad;
    const auto start = [&](auto kernel) {
        return launch(kernel, over(tiles_over(k, across)), stream, one, parts_pitch(parts, k), tallies, grid,
                      static_cast<int>(slabs));
    };
    switch (parts) {
        case Parts::fp16x1: return start(turn<Parts::fp16x1>);
        case Parts::fp16x3: return start(turn<Parts::fp16x3>);
        case Parts::bf16x6: return start(turn<Parts::bf16x6>);
    }
    return {};
}

}  // namespace tw::cuda
