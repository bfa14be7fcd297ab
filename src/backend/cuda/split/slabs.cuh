// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What r10 in slabs of k (slabs_sm90.cu) does beside r10: sums that wait for the other half of a node, a slab's end,
// and operands whose slabs lie below one another.
#pragma once

#include "backend/cuda/split/late_rows.cuh"
#include "backend/cuda/split/scaled_epilogue.cuh"
#include "backend/cuda/split/stage.cuh"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {

/// From one slab to the next, in elements: of the operands, of their parts, and of the notes of both.
struct Slabs {
    int count, levels;
    std::int64_t a, b, a_parts, b_parts, notes;
    float4* sums;

    __device__ ScaledOutput of(int slab, ScaledOutput out) const {
        out.a.data += slab * a, out.b.data += slab * b;
        out.parts.rows += slab * a_parts, out.parts.cols += slab * b_parts;
        out.row_notes += slab * notes, out.col_notes += slab * notes;
        return out;
    }
    __host__ __device__ Splitting of(int slab, Splitting one, bool is_a) const {
        one.rows.data += slab * (is_a ? a : b), one.to += slab * (is_a ? a_parts : b_parts);
        one.notes += slab * notes;
        return one;
    }
};

/// A consumer's sums where they wait: four of each thread side by side. One matrix for each level, and one for sums
/// some of which are summed anew.
template <int N>
struct Waiting {
    static constexpr int matrix = N / 8 * 128;
    float4* first;

    __device__ Waiting(const Slabs& slabs, int consumer, int thread)
        : first(slabs.sums + (static_cast<std::int64_t>(blockIdx.x) * 2 + consumer) * (slabs.levels + 1) * matrix +
                thread) {}
    __device__ void put(const float (&sums)[N / 2], int level) const {
#pragma unroll
        for (int g = 0; g < N / 8; ++g)
            __stcg(first + level * matrix + 128 * g,
                   float4{sums[4 * g], sums[4 * g + 1], sums[4 * g + 2], sums[4 * g + 3]});
    }
    template <class F>
    __device__ void each(float (&sums)[N / 2], int level, const F& f) const {
#pragma unroll
        for (int g = 0; g < N / 8; ++g) {
            const float4 four = __ldcg(first + level * matrix + 128 * g);
            f(sums[4 * g], four.x), f(sums[4 * g + 1], four.y), f(sums[4 * g + 2], four.z), f(sums[4 * g + 3], four.w);
        }
    }
};

/// A slab's sums as r10 stores them: their powers of two taken back, and those that are not trusted summed anew.
template <int N, Parts parts>
__device__ void settle(float (&sums)[N / 2], Notes<N>& notes, const ScaledOutput& out, const Waiting<N>& waiting,
                       int spare, std::uint32_t buffers, std::uint32_t columns, int first_row, int first_col,
                       int consumer, int thread) {
    Marks<N> marks;
    const bool trusted =
        are_trusted<N, parts>(sums, marks, notes, out, columns, first_row, first_col, consumer, thread);
    take_all_back<N>(sums, notes, columns, thread);
    if (trusted) return;
    waiting.put(sums, spare);
    ptx::sync_named(consumer + 1, 128);
    auto* const all = reinterpret_cast<float*>(waiting.first - thread + spare * Waiting<N>::matrix);
    sum_marked(marks.doubted, computed_here(out.a), computed_here(out.b), AnewMemory(buffers), first_row, first_col,
               consumer, computed_here(thread), [&](int i, int j, float sum) {
                   const int row = i - first_row, col = j - first_col;
                   const int whose = row / 16 * 32 + row % 8 * 4 + col % 8 / 2;
                   __stcg(all + 4 * (col / 8 * 128 + whose) + row % 16 / 8 * 2 + col % 2, sum);
               });
    ptx::sync_named(consumer + 1, 128);
    waiting.each(sums, spare, [](float& x, float anew) { x = anew; });
}

/// Rows as r10 splits them late, each slab of a row by itself.
template <Parts parts>
__device__ void split_late_slabs(const LateRows& late, const Slabs& slabs) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const std::int64_t pitch = parts_pitch(parts, late.a.rows.cols());
    take_late_rows(late, [&](const Splitting& one, bool is_a, int row) {
#pragma unroll 1
        for (int slab = 0; slab < slabs.count; ++slab) split_row<parts>(slabs.of(slab, one, is_a), row, pitch, lane);
    });
}

/// The producer's part: r10's own, slab after slab, whose parts lie below one another.
template <class P, class Before>
__device__ void produce_slabs(const P& pipe, const CUtensorMap& a, const CUtensorMap& b, const Raster& raster,
                              int steps, int slabs, int a_rows, int b_rows, const Before& before) {
    constexpr std::uint16_t everybody = (1 << P::CLUSTER) - 1;
    const int rank = P::rank(), clusters = static_cast<int>(gridDim.x) / P::CLUSTER;
    Turn<P::STAGES> turn;
    for (int tile = static_cast<int>(blockIdx.x) / P::CLUSTER; tile < raster.count(); tile += clusters) {
        int row, col;
        raster.place(tile, row, col);
        int first_row = (row * P::CLUSTER + rank) * P::BM, first_col = col * P::BN + rank * P::b_share;
        before(first_row, first_col);
        for (int slab = 0; slab < slabs; ++slab, first_row += a_rows, first_col += b_rows)
            for (int step = 0; step < steps; ++step, turn.next()) {
                const std::uint32_t full = pipe.full(turn.stage);
                ptx::wait_barrier(pipe.empty(turn.stage), turn.parity ^ 1);
                ptx::expect_bytes(full, P::stage_bytes);
                const int k = step * P::row_elements;
                const std::uint32_t share = pipe.b_tile(turn.stage) + rank * P::b_share * P::row_bytes;
                ptx::load_box(pipe.a_tile(turn.stage), a, full, k, first_row);
                ptx::load_box_to_all(share, b, full, everybody, k, first_col);
            }
    }
}

/// A slab's sums, by a consumer; fetch() comes while the last products run.
template <class P, Parts parts, class Fetch>
__device__ void sum_slab(float (&sums)[P::BN / 2], const P& pipe, Turn<P::STAGES>& turn, int steps, int period,
                         int consumer, int thread, const Fetch& fetch) {
    using Unit = ptx::MatrixUnit<P::BN, __half, ptx::Major::k, ptx::Major::k>;
    float accumulator[P::BN / 2];
#pragma unroll
    for (float& x : accumulator) x = 0;
#pragma unroll
    for (float& x : sums) x = 0;
    for (int first = 0; first < steps; first += period) {
        const int end = min(first + period, steps);
        int before = 0;
        for (int step = first; step < end; ++step, turn.next()) {
            ptx::wait_barrier(pipe.full(turn.stage), turn.parity);
            ptx::pin(accumulator);
            ptx::fence_products();
            int keep = step - first;
            multiply_stage<parts>(pipe, turn.stage, consumer, [&](std::uint64_t at, std::uint64_t bt) {
                Unit::add(accumulator, at, bt, keep);
                keep = 1;
            });
            ptx::commit_products();
            if (step > first) {
                ptx::wait_for_products<1>();
                pipe.release(before, thread);
            }
            before = turn.stage;
        }
        if (end == steps) fetch();
        ptx::wait_for_products<0>();
        pipe.release(before, thread);
        ptx::pin(accumulator);
#pragma unroll
        for (int i = 0; i < P::BN / 2; ++i) sums[i] += accumulator[i];
    }
}

}  // namespace tw::cuda
