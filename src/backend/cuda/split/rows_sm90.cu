// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Splitting rows whose k is contiguous: a block a row, which stays in registers, so that each element is read once and
// each part written once. Rows too long for that are read twice.
#include <algorithm>

#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/split/kernels.hpp"
#include "backend/cuda/split/notes.cuh"

namespace tw::cuda {
namespace {

template <int threads>
__device__ unsigned largest_of_block(unsigned mine) {
    __shared__ unsigned of_warp[threads / 32];
    mine = __reduce_max_sync(~0u, mine);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    unsigned all = of_warp[threadIdx.x % (threads / 32)];
    return __reduce_max_sync(~0u, all);
}

/// By thread `from` of so many: what tallies add to notes.
template <Parts parts>
__device__ void end_notes(const Tallies& tallies, unsigned from, unsigned threads) {
    const auto rows = static_cast<unsigned>(tallies.rows);
#pragma unroll 1  // a thread has one or two
    for (unsigned i = from; i < rows; i += threads)
        tallies.notes[i] = with_losses(with_classes<parts>(tallies.notes[i], tallies.classes[i]), tallies.units[i]);
}

/// `whole`: a row fits into its block's registers, of which a multiprocessor then holds 1024 threads' (128 KB of rows
/// on their way), with one part an eighth more, of short rows twice as many.
template <Parts parts, int threads, int fours, bool whole>
__global__ void __launch_bounds__(threads, (!whole                   ? threads
                                            : fours == 2             ? 2048
                                            : parts == Parts::fp16x1 ? 1152
                                                                     : 1024) /
                                               threads)
    split_rows(Splitting a, Splitting b, std::int64_t width, bool by_4, unsigned* counters, int counted,
               Tallies first_other, Tallies second_other) {
    constexpr unsigned at_once = threads * fours * 4;
    const bool of_a = blockIdx.x < a.rows.rows();
    const auto mine = [&](const auto& of_one, const auto& of_other) { return of_a ? of_one : of_other; };
    const std::int64_t index = blockIdx.x - (of_a ? 0 : a.rows.rows());
    const auto end = static_cast<unsigned>(a.rows.cols()),
               padded = static_cast<unsigned>(width / layout_of(parts).parts);
    const float* const row = mine(a.rows.data, b.rows.data) +
                             index * mine(a.rows.layout.row_step, b.rows.layout.row_step) +
                             blockIdx.y * mine(a.next_rows, b.next_rows);
    std::uint16_t* const to = mine(a.to, b.to) + (index * gridDim.y + blockIdx.y) * width;
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    float x[fours][4];
    const auto read = [&](unsigned first) {  // what lies behind the row's end is 0
        first += 4 * threadIdx.x;
        if (by_4) {
#pragma unroll
            for (int i = 0; i < fours; ++i) {
                const unsigned k = first + 4 * i * threads;
                const float4 four = k < end ? __ldcs(reinterpret_cast<const float4*>(row + k)) : float4{};
                x[i][0] = four.x, x[i][1] = four.y, x[i][2] = four.z, x[i][3] = four.w;
            }
        } else {
#pragma unroll
            for (int i = 0; i < 4 * fours; ++i) {
                const unsigned k = first + i / 4 * 4 * threads + i % 4;
                x[i / 4][i % 4] = k < end ? row[k] : 0;
            }
        }
    };
    for (unsigned i = blockIdx.x * threads + threadIdx.x; i < static_cast<unsigned>(counted); i += gridDim.x * threads)
        counters[i] = 0;
    end_notes<parts>(first_other.of(blockIdx.y), blockIdx.x * threads + threadIdx.x, gridDim.x * threads);
    end_notes<parts>(second_other.of(blockIdx.y), blockIdx.x * threads + threadIdx.x, gridDim.x * threads);
    if (!of_a && index >= b.rows.rows()) return;
    __shared__ unsigned classes, units;
    if (threadIdx.x == 0) classes = units = 0;
    unsigned own = 0;
    for (unsigned first = 0; first < (whole ? 1 : end); first += at_once) {
        read(first);
#pragma unroll
        for (int i = 0; i < 4 * fours; ++i) own = max(own, magnitude_bits(x[i / 4][i % 4]));
    }
    const unsigned largest = largest_of_block<threads>(own);
    const int lift = lifting_exponent(largest);
    const unsigned of_warp = classes_of_warp(own, lift);
    if (threadIdx.x % 32 == 0) atomicOr(&classes, of_warp);
    unsigned own_units = 0;
    for (unsigned first = 0; first < (whole ? 1 : padded); first += at_once) {
        if (!whole) read(first);
#pragma unroll
        for (int i = 0; i < fours; ++i) {
            const unsigned k = first + 4 * (i * threads + threadIdx.x);
            if (k >= padded) continue;
            const uint2 first_parts = store_parts<parts>(to, k, x[i], lift, is_finite(largest));
            if (may_lose<parts>(least_of(first_parts))) own_units += lost<parts>(x[i], lift);
        }
    }
    if constexpr (parts != Parts::bf16x6) {
        own_units = __reduce_add_sync(~0u, own_units);
        if (threadIdx.x % 32 == 0 && own_units != 0) atomicAdd(&units, own_units);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        mine(a.notes, b.notes)[index + blockIdx.y * mine(a.next_notes, b.next_notes)] =
            with_losses(with_classes<parts>(note_of(largest), classes), units);
}

template <Parts parts>
Status start(const Splitting& a, const Splitting& b, int slabs, unsigned* counters, int counted,
             const Tallies (&others)[2], void* stream) {
    const std::int64_t k = a.rows.layout.cols, width = parts_pitch(parts, k);
    const auto suits = [](const Tensor<const float>& rows) { return rows.layout.rows == 0 || starts_at_16(rows); };
    const bool by_4 = k % 4 == 0 && suits(a.rows) && suits(b.rows);
    const auto go = [&](auto kernel, unsigned threads) {
        const std::int64_t rows = a.rows.layout.rows + b.rows.layout.rows,
                           for_others = tiles_over(others[0].rows + others[1].rows, threads);
        const auto blocks = static_cast<unsigned>(std::max(rows, for_others));
        const Launch how{
            .blocks = blocks, .threads = threads, .products = static_cast<unsigned>(slabs), .overlaps = true};
        return launch(kernel, how, stream, a, b, width, by_4, counters, counted, others[0], others[1]);
    };
    // bf16x6 is chosen for nothing: it has no kernels for rows that are short, nor for the longest that fit.
    constexpr bool is_chosen = parts != Parts::bf16x6;
    if constexpr (is_chosen) {
        if (k <= 1024) return go(split_rows<parts, 128, 2, true>, 128);
        if (k <= 2048) return go(split_rows<parts, 64, 8, true>, 64);
        if (k <= 4096) return go(split_rows<parts, 128, 8, true>, 128);
    }
    if (k <= 8192) return go(split_rows<parts, 256, 8, true>, 256);
    if constexpr (is_chosen)
        if (k <= 16384) return go(split_rows<parts, 512, 8, true>, 512);
    return go(split_rows<parts, 512, 8, false>, 512);
}

}  // namespace

Status split_along_k(const Splitting& a, const Splitting& b, Parts parts, int slabs, unsigned* counters, int counted,
                     const Tallies (&others)[2], void* stream) noexcept {
    switch (parts) {
        case Parts::fp16x1: return start<Parts::fp16x1>(a, b, slabs, counters, counted, others, stream);
        case Parts::fp16x3: return start<Parts::fp16x3>(a, b, slabs, counters, counted, others, stream);
        case Parts::bf16x6: return start<Parts::bf16x6>(a, b, slabs, counters, counted, others, stream);
    }
    return {};
}

void LateRows::leave(std::int64_t a_wanted, std::int64_t b_wanted) noexcept {
    const auto first = [](const Tensor<const float>& rows, std::int64_t wanted) {
        const std::int64_t whole = tiles_over(wanted, block) * block, all = rows.layout.rows;
        const bool by_4 = rows.layout.col_step == 1 && rows.layout.cols % 4 == 0 && starts_at_16(rows);
        return static_cast<int>(by_4 && whole < all ? whole : all);
    };
    a_first = first(a.rows, a_wanted), b_first = first(b.rows, b_wanted);
}

Status split_first(const LateRows& late, Parts parts, void* stream) noexcept {
    const auto is_along = [](const Splitting& one) { return one.rows.layout.col_step == 1; };
    const auto counted = static_cast<int>(LateRows::counters(late.a.rows.layout.rows, late.b.rows.layout.rows));
    Splitting a = late.a, b = late.b;
    a.rows.layout.rows = late.a_first, b.rows.layout.rows = late.b_first;
    const bool all_along = is_along(a) && is_along(b);
    if (!all_along && a.rows.layout.cols <= longest_of_blocks)
        return split_by_blocks(a, b, parts, late.slabs, late.claimed, counted, stream);
    Tallies others[2];
    for (int i = 0; i < 2; ++i) {
        Splitting& one = i == 0 ? a : b;
        if (is_along(one)) continue;
        if (const Status bad = split_across_k(one, parts, late.slabs, stream); !bad) return bad;
        others[i] = Tallies(one);
        one.rows.layout.rows = 0;
    }
    return split_along_k(a, b, parts, late.slabs, late.claimed, counted, others, stream);
}

}  // namespace tw::cuda
