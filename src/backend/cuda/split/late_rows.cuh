// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Splitting beside the product: the warps of the producer's group that have nothing to copy split the rows that only
// later tiles need. Whoever runs takes the next row, so that nobody waits for a block that has not begun.
#pragma once

#include "backend/cuda/ptx/flag.cuh"
#include "backend/cuda/split/notes.cuh"

namespace tw::cuda {

/// By one warp, a row of a slab: once for its largest element, again, out of L2, for its parts.
template <Parts parts>
__device__ void split_row(const float* from, int end, std::uint16_t* to, int& note, int lane) {
    const int padded = static_cast<int>(parts_pitch(parts, end)) / layout_of(parts).parts;
    const auto read = [&](int k) { return k < end ? __ldcg(reinterpret_cast<const float4*>(from + k)) : float4{}; };
    unsigned largest = 0;
#pragma unroll 1
    for (int first = 4 * lane; first < end; first += 512) {
        float4 x[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) x[i] = read(first + 128 * i);
#pragma unroll
        for (const float4& four : x)
            largest = max(max(max(largest, magnitude_bits(four.x)), magnitude_bits(four.y)),
                          max(magnitude_bits(four.z), magnitude_bits(four.w)));
    }
    const unsigned own = largest;
    largest = __reduce_max_sync(~0u, largest);
    const int lift = lifting_exponent(largest);
    const unsigned classes = classes_of_warp(own, lift);
    if (lane == 0) note = with_classes<parts>(note_of(largest), classes);
    unsigned units = 0;
#pragma unroll 1
    for (int first = 4 * lane; first < padded; first += 256) {
        float4 x[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) x[i] = read(first + 128 * i);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const float four[4] = {x[i].x, x[i].y, x[i].z, x[i].w};
            const int k = first + 128 * i;
            if (k >= padded) continue;
            const uint2 first_parts = store_parts<parts>(to, k, four, lift, is_finite(largest));
            if (may_lose<parts>(least_of(first_parts))) units += lost<parts>(four, lift);
        }
    }
    if constexpr (parts == Parts::bf16x6) return;
    units = __reduce_add_sync(~0u, units);
    if (units != 0 && lane == 0) note = with_losses(note, units);
}

/// By whole warps, until no row is left: each slab of a row by itself.
template <Parts parts>
__device__ void split_late_rows(const LateRows& late) {
    const int lane = static_cast<int>(threadIdx.x) % 32, of_b = static_cast<int>(late.b.rows.rows()) - late.b_first;
    const int all = of_b + static_cast<int>(late.a.rows.rows()) - late.a_first;
    if (all == 0) return;
    for (;;) {
        int claim = 0;
        if (lane == 0) claim = static_cast<int>(atomicAdd(late.claimed, 1u));
        claim = __shfl_sync(~0u, claim, 0);
        if (claim >= all) return;
        const bool is_b = claim < of_b;
        const Splitting& one = is_b ? late.b : late.a;
        const std::int64_t row = is_b ? late.b_first + claim : late.a_first + claim - of_b;
        const int length = static_cast<int>(one.rows.cols());
        const float* from = one.rows.data + row * one.rows.layout.row_step;
        std::uint16_t* to = one.to + row * late.slabs * parts_pitch(parts, length);
        int* note = one.notes + row;
#pragma unroll 1
        for (int slab = 0; slab < late.slabs; ++slab) {
            split_row<parts>(from, length, to, *note, lane);
            from += one.next_rows, to += parts_pitch(parts, length), note += one.next_notes;
        }
        ptx::publish_to_tma();
        __syncwarp();
        if (lane == 0) ptx::count_up((is_b ? late.b_done : late.a_done) + row / LateRows::block);
    }
}

/// Before rows from `first` on are copied: until the late ones of them are split.
__device__ inline void wait_for_rows(const Splitting& one, const unsigned* done, int late_from, int first, int count) {
    const int rows = static_cast<int>(one.rows.rows()), end = min(first + count, rows);
    if (end <= late_from) return;
    for (int from = max(first, late_from) / LateRows::block * LateRows::block; from < end; from += LateRows::block)
        ptx::wait_for_count(done + from / LateRows::block, static_cast<unsigned>(min(LateRows::block, rows - from)));
    ptx::publish_to_tma();
}

}  // namespace tw::cuda
