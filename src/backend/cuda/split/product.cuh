// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What r10 (r10_split_sm90.cu) and r10 in slabs of k (slabs_sm90.cu) have in common: how a product begins, what the
// producer's group does, and a consumer's sums of a tile. Where there are slabs the ring runs through a row's parts of
// all of them, one after the other.
#pragma once

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/split/late_rows.cuh"
#include "backend/cuda/split/scaled_epilogue.cuh"
#include "backend/cuda/split/scratch.hpp"
#include "backend/cuda/split/stage.cuh"
#include "backend/cuda/tiles/heuristics_sm90.hpp"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {

template <Parts parts>
inline constexpr bool is_promoted = parts != Parts::fp16x1;
template <Parts parts>
inline constexpr int producer_registers = is_promoted<parts> ? 40 : 88;  // of 504, for late rows

/// By the producer's group: one thread copies, the other warps split late rows.
template <class P, Parts parts>
__device__ void feed(const P& pipe, const CUtensorMap& a, const CUtensorMap& b, const LateRows& late,
                     const Raster& raster, int steps, int thread) {
    if (thread == 0) {
        produce<P>(pipe, a, b, raster, steps, [&](int row, int col) {
            wait_for_rows(late.a, late.a_done, late.a_first, row, P::BM);
            wait_for_rows(late.b, late.b_done, late.b_first, col, P::b_share);
        });
    } else if (thread >= 32) {
        split_late_rows<parts>(late);
    }
    P::arrive_all();
}

/// By a consumer: its products of the ring's next stage, on their way when this returns. keep: 0 begins the sums anew.
template <class P, Parts parts>
__device__ __forceinline__ void start_stage(float (&accumulator)[P::BN / 2], const P& pipe, const Turn<P::STAGES>& turn,
                                            int consumer, int keep) {
    using Narrow = std::conditional_t<parts == Parts::bf16x6, __nv_bfloat16, __half>;
    using Unit = ptx::MatrixUnit<P::BN, Narrow, ptx::Major::k, ptx::Major::k>;
    ptx::wait_barrier(pipe.full(turn.stage), turn.parity);
    ptx::pin(accumulator);
    ptx::fence_products();
    multiply_stage<parts>(pipe, turn.stage, consumer, [&](std::uint64_t at, std::uint64_t bt) {
        Unit::add(accumulator, at, bt, keep);
        keep = 1;
    });
    ptx::commit_products();
}

/// By a consumer: a period's stages from `step` on; `before` is the stage whose products still run, if any do.
template <class P, Parts parts>
__device__ __forceinline__ void run_stages(float (&accumulator)[P::BN / 2], const P& pipe, Turn<P::STAGES>& turn,
                                           int step, int first, int end, int& before, int consumer, int thread) {
    for (; step < end; ++step, turn.next()) {
        start_stage<P, parts>(accumulator, pipe, turn, consumer, step - first);
        if (step > first) {
            ptx::wait_for_products<1>();
            pipe.release(before, thread);
        }
        before = turn.stage;
    }
}

/// By a consumer: its tile's sums over `steps` stages, in `sums` where they are promoted. fetch() comes while the last
/// products run. meanwhile() comes while the first two stages' do, and `sums` are its own until then.
template <class P, Parts parts, int count, class Fetch, class Meanwhile = std::nullptr_t>
__device__ void sum_stages(float (&accumulator)[P::BN / 2], float (&sums)[count], const P& pipe, Turn<P::STAGES>& turn,
                           int steps, int period, int consumer, int thread, const Fetch& fetch,
                           const Meanwhile& meanwhile = nullptr) {
    constexpr bool waits = !std::is_same_v<Meanwhile, std::nullptr_t>;
#pragma unroll
    for (float& x : accumulator) x = 0;  // dead store: ends the live range of the old sums
    const auto begin = [&] {
#pragma unroll
        for (float& x : sums) x = 0;
    };
    const auto end_period = [&](bool is_last, int before) __attribute__((always_inline)) {
        if (is_last) fetch();
        ptx::wait_for_products<0>();
        pipe.release(before, thread);
        ptx::pin(accumulator);
        if constexpr (is_promoted<parts>) {
#pragma unroll
            for (int i = 0; i < P::BN / 2; ++i) sums[i] += accumulator[i];
        }
    };
    int first = 0;
    if constexpr (waits) {
        const int end = min(period, steps);
        int before = turn.stage;
        start_stage<P, parts>(accumulator, pipe, turn, consumer, 0);
        turn.next();
        if (end > 1) start_stage<P, parts>(accumulator, pipe, turn, consumer, 1);
        meanwhile();
        begin();
        if (end > 1) {
            ptx::wait_for_products<1>();
            pipe.release(before, thread);
            before = turn.stage;
            turn.next();
        }
        run_stages<P, parts>(accumulator, pipe, turn, 2, 0, end, before, consumer, thread);
        end_period(end == steps, before);
        first = period;
    } else {
        begin();
    }
    for (; first < steps; first += period) {
        const int end = min(first + period, steps);
        int before = 0;
        run_stages<P, parts>(accumulator, pipe, turn, first, first, end, before, consumer, thread);
        end_period(end == steps, before);
    }
}

/// A product of parts about to begin, in `slabs` of k.
template <class P, Parts parts>
struct SplitProduct {
    SplitScratch own;
    Raster raster;
    int clusters, steps, period;  ///< the last two of a slab
    LateRows late;
    ScaledOutput out;
    CUtensorMap a_map, b_map;

    SplitProduct(const Call& call, int slabs)
        : own(parts, call.scratch.data(), call.m(), call.n(), call.k(), slabs),
          raster{static_cast<int>(tiles_over(call.m(), P::BM * P::CLUSTER)),
                 static_cast<int>(tiles_over(call.n(), P::BN)), 8} {
        const std::int64_t m = call.m(), n = call.n(), length = call.k() / slabs, width = parts_pitch(parts, length);
        const int fit = multiprocessors() / P::CLUSTER, depth = layout_of(parts).depth;
        clusters = raster.count() < fit ? raster.count() : fit;
        steps = static_cast<int>(tiles_over(length, depth));
        period = !is_promoted<parts> ? steps : (length <= 2048 || parts == Parts::bf16x6 ? 64 : 128) / depth;
        const auto operand = [&](Tensor<const float> rows, std::uint16_t* to, int* notes, unsigned* tallies) {
            rows.layout.cols = length;
            return Splitting{
                rows, to, notes, tallies, length * rows.layout.col_step, m + n, tallies_of(rows.layout.rows, length)};
        };
        late = {operand(tensor_of<const float>(call.a), own.a_parts, own.notes, own.a_tallies),
                operand(tensor_of<const float>(call.b.transposed()), own.b_parts, own.notes + m, own.b_tallies),
                static_cast<int>(m),
                static_cast<int>(n),
                own.counters,
                own.counters + 1,
                own.counters + 1 + tiles_over(m, LateRows::block),
                slabs};
        int last_row, last_col;  // of the tiles that come first, all at once
        raster.place(clusters - 1, last_row, last_col);
        if (raster.count() > clusters && last_row < raster.group &&
            last_col < sm90::r10_first_columns(layout_of(parts).parts, call.k()))
            late.leave(std::int64_t{raster.group} * P::BM * P::CLUSTER, (last_col + 1) * std::int64_t{P::BN});
        out = {tensor_of<float>(call.c),
               late.a.rows,
               late.b.rows,
               own.notes,
               own.notes + m,
               {own.a_parts, own.b_parts, slabs * width, width},
               static_cast<float>(call.alpha),
               static_cast<float>(call.beta),
               fused(call.epilogue),
               false};
    }
    /// Splits the rows that come first, and describes the parts.
    Status begin(void* stream) {
        if (const Status bad = split_first(late, parts, stream); !bad) return bad;
        const auto boxes = [&](const std::uint16_t* data, std::int64_t rows, int high) {
            return BoxedMatrix{data, Type::f16, out.parts.pitch, rows, out.parts.pitch * 2, P::row_elements, high};
        };
        if (const Status bad = describe(a_map, boxes(own.a_parts, late.a.rows.layout.rows, P::BM)); !bad) return bad;
        return describe(b_map, boxes(own.b_parts, late.b.rows.layout.rows, P::b_share));
    }
    Launch how() const {
        return {.blocks = static_cast<unsigned>(clusters * P::CLUSTER),
                .threads = P::threads,
                .shared = P::shared,
                .cluster = P::CLUSTER,
                .overlaps = true};
    }
};

}  // namespace tw::cuda
