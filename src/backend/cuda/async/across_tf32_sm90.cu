// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tf32 where an operand lies across k, so that TMA brings lines of k; read once, never copied. Its words go
// through registers to the unit's side of 64; the other operand lies along k. One product, or a batch whose B lies so;
// and few rows by long weights that both lie along k, whose boxes of words are rows of k. Where tiles are few, blocks
// of a cluster have a part of k each, or all blocks an equal share of all tiles' steps.
//
//    32 of k, as TMA lays them                      a lane's words of 8 of k: lines t and t + 4 (t = lane % 4)
//   +--------+--------+--------+--------+           of rows 16 (g / 4) + g % 4 + 4 j (g = lane / 4) of one box,
//   | 32 x 32 of the first operand, a box each |    where eight rows and four lines are 32 banks of shared memory
//   +--------+--------+--------+--------+
//
// Needs: sm_90a. 2mnk flops; LINES x WIDTH x 32 of them for (LINES + WIDTH / CLUSTER) x 128 bytes from L2.
#include "backend/cuda/async/across.hpp"
#include "backend/cuda/async/across_maps.cuh"
#include "backend/cuda/async/across_shares.cuh"
#include "backend/cuda/async/across_stage.cuh"
#include "backend/cuda/async/by_majors.cuh"
#include "backend/cuda/async/feed.cuh"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/spread.hpp"
#include "backend/cuda/operands/across_batch.hpp"
#include "backend/cuda/operands/copied_rows.hpp"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/ptx/wgmma_registers.cuh"

namespace tw::cuda {
namespace {

/// Two blocks below one another that share the other operand's rows, one block alone, or two beside one another on a
/// multiprocessor, of which one ends while the other multiplies.
template <int LINES_, int WIDTH_, int CLUSTER_, int BLOCKS_ = 1>
struct AcrossShape {
    static constexpr int LINES = LINES_, WIDTH = WIDTH_, BLOCKS = BLOCKS_, consumers = LINES / 64;
    static constexpr bool cuts = CLUSTER_ == 1 && BLOCKS == 1;  ///< into parts of k, by a cluster's blocks
    static constexpr int threads = 128 * (consumers + 1), of_producer = 24, of_consumer = BLOCKS == 1 ? 240 : 232;
    static constexpr int boxes = consumers * WayOut::bytes;
    using Ring = Pipeline<LINES, WIDTH, sm90::r9_stages(LINES + WIDTH, boxes, BLOCKS), CLUSTER_, boxes>;
};

/// By one thread: a tile after the other, its steps into the ring.
template <class S>
__device__ void feed(const typename S::Ring& pipe, const CUtensorMap& a, const CUtensorMap& b,
                     const BatchRaster& raster, const CutOfSteps& cut, bool along) {
    using P = typename S::Ring;
    Turn<P::STAGES> turn;
    for (Walk<S> at(cut); at.goes_on(raster.count()); at.next()) {
        int row, col;
        raster.place(at.tile, row, col);
        const int first_row = (row * P::CLUSTER + P::rank()) * P::BM,
                  first_col = col * S::WIDTH + P::rank() * P::b_share;
        const Deep deep = raster.products > 1 ? raster.depths.of(raster.product_of(at.tile)) : Deep{};
        for (int step = at.from; step < at.end; ++step, turn.next()) {
            const std::uint32_t full = pipe.full(turn.stage);
            ptx::wait_barrier(pipe.empty(turn.stage), turn.parity ^ 1);
            ptx::expect_bytes(full, P::stage_bytes);
#pragma unroll
            for (int box = 0; box < P::BM / 32; ++box) {
                const std::uint32_t to = pipe.a_tile(turn.stage) + box * bytes_of_box;
                const int line = first_row + box * 32, inner = along ? step * 32 : line,
                          outer = along ? line : step * 32;
                if (raster.products > 1) ptx::load_box(to, a, full, inner, outer, deep.a);
                else ptx::load_box(to, a, full, inner, outer);
            }
            const std::uint32_t to = pipe.b_tile(turn.stage) + P::rank() * P::b_share * 128;
            if constexpr (P::CLUSTER > 1)
                ptx::load_box_to_all(to, b, full, static_cast<std::uint16_t>(3), step * 32, first_col);
            else if (raster.products > 1) ptx::load_box(to, b, full, step * 32, first_col, deep.b);
            else ptx::load_box(to, b, full, step * 32, first_col);
        }
    }
}

template <class S>
__global__ void __launch_bounds__(S::threads, S::BLOCKS)
    across_tiles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap c_map, Elements all, BatchRaster raster,
                 const __grid_constant__ CutOfSteps cut, bool along) {
    extern __shared__ char memory[];
    using P = typename S::Ring;
    constexpr int lanes = 4 * S::consumers;  // that give a stage back, one of each warp
    const P pipe(memory);
    begin_ring<P, lanes>(pipe, a, b);
    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    const bool is_cut = S::cuts && cut.parts > 1;
    ptx::let_next_kernel_begin();
    if constexpr (S::cuts)
        if (cut.shares.each > 0 && threadIdx.x == 128 * S::consumers) bring_first_closer<S>(a, raster, cut, along);
    ptx::wait_for_kernel_before();

    Turn<P::STAGES> turn;
    int row, col;
    if (group == S::consumers) {
        ptx::give_registers<S::of_producer>();
        if (thread == 0) feed<S>(pipe, a, b, raster, cut, along);
    } else {
        ptx::take_registers<S::of_consumer>();
        using Unit = ptx::UnitOfRegisters<S::WIDTH, float>;
        const WordsOfStage words(group, thread, along);
        float sums[S::WIDTH / 2];
        std::uint32_t even[4][4], odd[4][4];
        const auto release = [&](int stage) {
            if constexpr (P::CLUSTER > 1) {
                if (thread % 32 < P::CLUSTER) ptx::arrive_at(pipe.empty(stage), thread % 32);
            } else if (thread % 32 == 0) {
                ptx::arrive(pipe.empty(stage));
            }
        };
        for (Walk<S> at(cut); at.goes_on(raster.count()); at.next()) {
            int before = 0;
            raster.place(at.tile, row, col);
            const OfProduct c(all, raster.products > 1 ? raster.depths.of(raster.product_of(at.tile)) : Deep{});
            if (!at.sends())
                bring_old_closer<S::WIDTH>(c, (row * P::CLUSTER + P::rank()) * P::BM + group * 64, col * S::WIDTH,
                                           thread);
#pragma unroll
            for (float& sum : sums) sum = 0;  // dead stores: they end the live range of the sums before
            const auto step = [&](std::uint32_t(&of)[4][4], bool keep) {
                ptx::wait_barrier(pipe.full(turn.stage), turn.parity);
                words.load(of, pipe.a_tile(turn.stage));
                const std::uint64_t bt = ptx::tile_descriptor(pipe.b_tile(turn.stage));
                ptx::pin(sums);
                ptx::fence_products();
#pragma unroll
                for (int q = 0; q < 4; ++q) Unit::add(sums, of[q], bt + q * (32 >> 4), keep || q > 0);
                ptx::commit_products();
                if (keep) {
                    ptx::wait_for_products<1>();
                    release(before);
                }
                before = turn.stage;
                turn.next();
            };
            const int steps = at.end - at.from;
            for (int i = 0; i < steps; i += 2) {
                step(even, i > 0);
                if (i + 1 < steps) step(odd, true);
            }
            ptx::wait_for_products<0>();
            ptx::pin(sums);
            if (steps > 0) release(before);
            end_tile<S>(sums, pipe, at, c, c_map, raster, words.box, group, thread);
        }
        ptx::wait_for_reads_of_stores<0>();
        if (is_cut) meet_for_sums();  // the others may read what this block has until then
    }
    P::arrive_all(), P::wait_for_all();
}

/// The call with the operand that lies across k as A: its lines of k, and the other operand's rows along k.
template <class S>
Status start(const Call& call, const Matrix& lines, const Matrix& rows, bool bias_down, bool along, int parts = 1,
             float4* sums = nullptr) {
    using P = typename S::Ring;
    AcrossMaps maps;
    if (const Status bad = describe_across(maps, call, lines, rows, P::b_share, bias_down); !bad) return bad;
    const Raster one{static_cast<int>(tiles_over(call.m(), S::LINES * P::CLUSTER)),
                     static_cast<int>(tiles_over(call.n(), S::WIDTH)), 8};
    const BatchRaster raster{one, maps.depths.size, maps.depths};
    const int steps = static_cast<int>(tiles_over(call.k(), 32));
    const CutOfSteps cut{parts, (steps + parts - 1) / parts, shares_of(raster.count(), steps, sums, call.stream)};
    const int fit = multiprocessors() / P::CLUSTER * S::BLOCKS, of_cluster = P::CLUSTER * parts,
              clusters = cut.shares.each > 0                 ? sm90::across_shares
                         : raster.count() < fit || parts > 1 ? raster.count()
                                                             : fit;
    return launch(across_tiles<S>,
                  {.blocks = static_cast<unsigned>(clusters * of_cluster),
                   .threads = S::threads,
                   .shared = S::BLOCKS > 1 ? shared_when_spread(P::shared, clusters) : P::shared,
                   .cluster = static_cast<unsigned>(of_cluster),
                   .overlaps = true},
                  call.stream, maps.a, maps.b, maps.c, maps.elements, raster, cut, along);
}

/// Turns what lies across k, and copies what begins elsewhere than at 16 bytes.
Status bring(Matrix& rows, std::span<std::byte>& scratch, void* stream) {
    if (rows.row_step == 1) return turn(rows, scratch, stream);
    const CopiedRows copy{.from = rows, .to = scratch.data(), .pitch = (rows.cols + 7) / 8 * 8};
    rows.data = copy.to, rows.row_step = copy.pitch;
    return copy_rows({&copy, 1}, stream);
}

}  // namespace

Status run_across(const Call& given, bool bias_down, bool along, const Tile& asked, void* sums) {
    const bool b_first = first_across(given) == sm90::FirstAcross::b || is_batch_across(given),
               turns = along ? given.m() < given.n() : b_first;
    Batch turned;
    const Call call = turns ? across_with(given, turned) : given;
    const Matrix lines = along ? call.a : call.a.transposed();
    Matrix rows = call.b.transposed();
    std::span<std::byte> scratch = call.scratch;
    const bool copies = !call.batch && !is_aligned(rows, rows.data);
    if (copies)
        if (const Status bad = bring(rows, scratch, call.stream); !bad) return bad;
    const sm90::Sizes sizes = sm90::sizes_of(call);
    const Tile as_asked{asked.m, asked.n, asked.k - along};
    const bool one_order = call.reproducible || call.batch;
    const int parts = along ? sm90::along_parts(sizes, one_order) : sm90::across_parts(sizes, one_order);
    const Tile tile = sm90::across_has(as_asked, sizes.products) ? as_asked
                      : along                                    ? sm90::along_tile(sizes, parts)
                                                                 : sm90::across_tile(sizes, copies, parts);
    const bool down = bias_down != turns;
    return by_width<sm90::across_widths>(tile.n, [&](auto of) -> Status {
        constexpr int width = decltype(of)::value;
        if constexpr (width == sm90::of_beside)
            if (tile.m == 64) return start<AcrossShape<64, width, 1, 2>>(call, lines, rows, down, along);
        if constexpr (width >= sm90::least_of_pairs && width <= sm90::most_of_pairs)
            if (tile.k == 8) return start<AcrossShape<128, width, 2>>(call, lines, rows, down, along);
        return start<AcrossShape<128, width, 1>>(call, lines, rows, down, along,
                                                 std::max(sm90::across_parts_of(tile), 1),
                                                 sm90::is_shared(tile) ? static_cast<float4*>(sums) : nullptr);
    });
}

}  // namespace tw::cuda
