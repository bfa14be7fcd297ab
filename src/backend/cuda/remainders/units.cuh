// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// int8 products of planes: persistent blocks, whose units are the tiles of C by one plane after another. The planes of
// one modulus stay in L2, those of all would not.
//
// Two consumers of 64 x 256 share a ring of tiles. The second begins three stages behind the first and stays there, as
// neither can be more than the ring ahead: while one reduces its sums, the other has the matrix unit for itself.
#pragma once

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/ptx/wgmma_int8.cuh"
#include "backend/cuda/remainders/remainders.cuh"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {

using PlanePipeline = Pipeline<RemaindersOutput::rows, RemaindersOutput::columns, 4, 1>;
inline constexpr int k_of_stage = 128;
/// Tiles of 16 rows of them side by side: a wave of 132 reads some 2100 rows of A and of B each.
inline constexpr int rows_of_group = 16;
/// Up to so many bytes along k L2 holds what a wave reads. Beyond, blocks find one another's lines there only while
/// they are in step: then all begin together, and none while the kernel before still runs.
inline constexpr int most_k_out_of_step = 8192;

struct Units {
    Raster raster;
    int first_plane, planes;
    const std::uint8_t* native;  ///< the map of tiles, where one is set; else null

    __device__ int count() const { return raster.count() * planes; }
    __device__ int place(int unit, int& row, int& col) const {
        const int plane = unit / raster.count();
        raster.place(unit - plane * raster.count(), row, col);
        return first_plane + plane;
    }
    /// The same for a whole warp, as the vote tells the compiler.
    __device__ bool leaves(int row, int col) const {
        if (!native) return false;
        const std::uint8_t* const halves = native + 2 * (row * raster.across + col);
        return __all_sync(~0u, halves[0] && halves[1]);
    }
};

/// By one warp, of which one thread copies.
__device__ inline void produce_units(const PlanePipeline& pipe, const CUtensorMap& a, const CUtensorMap& b,
                                     const Units& units, int steps) {
    Turn<PlanePipeline::STAGES> turn;
    for (int unit = static_cast<int>(blockIdx.x); unit < units.count(); unit += static_cast<int>(gridDim.x)) {
        int row, col;
        const int plane = units.place(unit, row, col);
        if (units.leaves(row, col)) continue;
        if (threadIdx.x != 0) continue;
        for (int step = 0; step < steps; ++step, turn.next()) {
            const std::uint32_t full = pipe.full(turn.stage);
            ptx::wait_barrier(pipe.empty(turn.stage), turn.parity ^ 1);
            ptx::expect_bytes(full, PlanePipeline::stage_bytes);
            ptx::load_box(pipe.a_tile(turn.stage), a, full, step * PlanePipeline::row_elements, row * PlanePipeline::BM,
                          plane);
            ptx::load_box(pipe.b_tile(turn.stage), b, full, step * PlanePipeline::row_elements, col * PlanePipeline::BN,
                          plane);
        }
    }
}

/// The second consumer waits for the first, some steps behind it; the first does not wait.
__device__ inline void wait_for_first() { ptx::sync_named(1, 256); }
__device__ inline void begin_second() { asm volatile("bar.arrive 1, 256;" ::: "memory"); }

/// finish(sums, plane, row, col) for each unit of this block.
template <class Finish>
__device__ void consume_units(const PlanePipeline& pipe, const Units& units, int steps, int consumer, int thread,
                              const Finish& finish) {
    constexpr int behind = 3;
    int sums[PlanePipeline::BN / 2];
    Turn<PlanePipeline::STAGES> turn;
    bool began = false;
    for (int unit = static_cast<int>(blockIdx.x); unit < units.count(); unit += static_cast<int>(gridDim.x)) {
        int row, col, before = 0;
        const int plane = units.place(unit, row, col);
        if (units.leaves(row, col)) continue;
        if (consumer == 1 && !began) wait_for_first();
#pragma unroll
        for (int& x : sums) x = 0;  // dead store: ends the live range of the old sums
        for (int step = 0; step < steps; ++step, turn.next()) {
            ptx::wait_barrier(pipe.full(turn.stage), turn.parity);
            ptx::pin(sums);
            ptx::fence_products();
            const std::uint64_t a =
                ptx::tile_descriptor(pipe.a_tile(turn.stage) + consumer * 64 * PlanePipeline::row_bytes);
            const std::uint64_t b = ptx::tile_descriptor(pipe.b_tile(turn.stage));
#pragma unroll
            for (int q = 0; q < 4; ++q) ptx::add_int8(sums, a + 2 * q, b + 2 * q, q == 0 ? step : 1);
            ptx::commit_products();
            if (step > 0) {
                ptx::wait_for_products<1>();
                pipe.release(before, thread);
            }
            before = turn.stage;
            if (consumer == 0 && !began && step == min(behind, steps) - 1) begin_second();
        }
        began = true;
        ptx::wait_for_products<0>();
        pipe.release(before, thread);
        ptx::pin(sums);
        finish(sums, plane, row, col);
    }
}

template <class Finish>
__device__ void run_units(const CUtensorMap& a, const CUtensorMap& b, const Units& units, int steps,
                          const Finish& finish) {
    extern __shared__ char memory[];
    const PlanePipeline pipe(memory);
    pipe.init(a, b);
    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    if (group == 0) {
        ptx::give_registers<PlanePipeline::producer_registers>();
        if (thread < 32) produce_units(pipe, a, b, units, steps);
    } else {
        ptx::take_registers<PlanePipeline::consumer_registers>();
        consume_units(pipe, units, steps, group - 1, thread,
                      [&](int(&sums)[PlanePipeline::BN / 2], int plane, int row, int col) {
                          finish(sums, plane, row, col, group - 1, thread);
                      });
    }
}

/// Planes of an operand, from the first of them on; `wide`: rows of so many planes' rows.
struct PlanesAt {
    std::int64_t first = 0;
    int wide = 1, depth;
};
inline Status describe_planes(CUtensorMap& map, const RemaindersOperand& one, const PlanesAt& at, int box_rows) {
    const std::int64_t pitch = at.wide * one.pitch;
    return describe(map, {.data = one.planes + at.first,
                          .type = Type::f16,
                          .inner = pitch / 2,
                          .outer = one.rows.rows(),
                          .row_bytes = pitch,
                          .box_inner = PlanePipeline::row_elements,
                          .box_outer = box_rows,
                          .depth = at.depth,
                          .depth_bytes = at.wide * one.plane_bytes()});
}

/// What both kernels are started with.
struct PlanesStart {
    CUtensorMap a{}, b{};
    Raster raster;
    int steps;
    Launch how;
    Status status;

    PlanesStart(const RemaindersCall& call, int planes, const PlanesAt& of_a, const PlanesAt& of_b)
        : raster{call.out.down, call.out.across, rows_of_group},
          steps(static_cast<int>(tiles_over(of_a.wide * call.a.pitch, k_of_stage))) {
        const int units = raster.count() * planes, fit = multiprocessors();
        how = {.blocks = static_cast<unsigned>(units < fit ? units : fit),
               .threads = PlanePipeline::threads,
               .shared = PlanePipeline::shared,
               .overlaps = steps * k_of_stage <= most_k_out_of_step};
        status = describe_planes(a, call.a, of_a, PlanePipeline::BM);
        if (status) status = describe_planes(b, call.b, of_b, PlanePipeline::BN);
    }
};

}  // namespace tw::cuda
