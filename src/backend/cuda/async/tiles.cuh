// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Blocks that stay on their multiprocessor and take tile after tile: the next tile's boxes are on their way while a
// tile is stored. A block has BM / 64 warpgroups that multiply 64 x width each, and one thread that feeds them.
//
//    BM 128, two blocks share B's tile    products that the unit's pace decides: width up to 256
//    BM 128 or 64, alone                  few rows, memory decides: width such that one wave of blocks has all columns
#pragma once

#include "backend/cuda/async/again.cuh"
#include "backend/cuda/async/feed.cuh"
#include "backend/cuda/async/job.hpp"
#include "backend/cuda/async/last_wave.cuh"
#include "backend/cuda/async/old_boxes.cuh"
#include "backend/cuda/async/old_pairs.cuh"
#include "backend/cuda/async/other_part.cuh"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/epilogue/plainly.cuh"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/tiles/async_shapes_sm90.hpp"

namespace tw::cuda {

/// WIDTH: columns of a tile of C; in shared memory it is 64 of them and again 64 where B lies across k. by_box: boxes
/// of C have room beside the ring, and leave while the next tile is multiplied: 4096 x 2304 x 768 of bf16 took 27.8 us
/// by 128 columns and boxes, 31.9 by 192 that threads stored, in fewer waves.
/// blocks: on a multiprocessor; more than one have nothing to do at a tile's end but finish_plainly.
template <int BM_, int WIDTH_, int CLUSTER_, ptx::Major b_major, int blocks_ = 1>
struct TileShape {
    static constexpr int BM = BM_, WIDTH = WIDTH_, CLUSTER = CLUSTER_, blocks = blocks_, consumers = BM / 64;
    static constexpr bool plain = blocks > 1, by_box = !plain && sm90::r9_goes_by_box(BM, WIDTH);
    static constexpr int BN = b_major == ptx::Major::k ? WIDTH : (WIDTH + 63) / 64 * 64;
    static constexpr int old_barriers = by_box ? consumers * 16384 : 0;  ///< behind the boxes
    static constexpr int staging = by_box ? consumers * (16384 + 64) : 0;
    static constexpr bool moves_registers = consumers > 1 && !plain;
    static constexpr int threads = 128 * consumers + (moves_registers ? 128 : 32);
    /// What is added to comes by boxes, of 16 bits, where these are all of a tile: another end for what is left would
    /// be a third of such a kernel.
    template <class T>
    static constexpr bool old_by_box = by_box && WIDTH % 64 == 0 && sizeof(T) == 2;
    template <class T>
    static constexpr bool reads_old = BM == 64 && WIDTH <= 96 && sizeof(T) == 2 && !plain;
    /// tf32's sums are looked at as a whole.
    template <class T>
    static constexpr bool cuts = sizeof(T) == 2 && !plain;
    /// Parts of k may be two blocks', each of which finishes a warpgroup's rows.
    template <class T>
    static constexpr bool adds_by_pairs = cuts<T> && CLUSTER == 1 && consumers == 2 && sm90::r9_may_add_by_pairs(WIDTH);
    using Ring = Pipeline<BM, BN, sm90::r9_stages(BM + BN, staging, blocks), CLUSTER, staging>;
};

template <class S, class T, ptx::Major a_major, ptx::Major b_major>
__global__ void __launch_bounds__(S::threads, S::blocks)
    async_tiles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                const __grid_constant__ CUtensorMap c, Output out, BatchRaster raster, Feed feed,
                [[maybe_unused]] AgainFrom again, LastWave wave) {
    extern __shared__ char memory[];
    using P = typename S::Ring;
    constexpr bool turns =
        (S::CLUSTER > 1 || a_major == ptx::Major::other) && sizeof(T) == 2 && b_major == ptx::Major::k;
    const P pipe(memory);
    pipe.init(a, b, c);
    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    const int first = static_cast<int>(blockIdx.x) / P::CLUSTER, clusters = static_cast<int>(gridDim.x) / P::CLUSTER;
    const auto piece_of = [&](int i) {
        return S::template cuts<T> ? wave.piece(i, feed.steps) : Piece{i, 0, feed.steps, false};
    };
    const Feeder<P, a_major, b_major> feeder(pipe, a, b, feed);
    int row, col;
    if (group == S::consumers && thread == 0) {
        const Piece piece = piece_of(first);
        feeder.bring_closer(raster, piece.tile, S::WIDTH, piece.from, piece.end);
    }
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();

    Turn<P::STAGES> turn;
    if (group == S::consumers) {
        if constexpr (S::moves_registers) ptx::give_registers<P::producer_registers>();
        for (int i = first; thread == 0 && i < feed.pieces; i += clusters) {
            const Piece piece = piece_of(i);
            raster.place(piece.tile, row, col);
            const int first_row = (row * P::CLUSTER + P::rank()) * P::BM, first_col = col * S::WIDTH;
            if (raster.products > 1)
                feeder.tile(turn, first_row, first_col, 0, feed.steps, raster.depths.of(raster.product_of(piece.tile)));
            else feeder.tile(turn, first_row, first_col, piece.from, piece.end);
        }
        if constexpr (S::template adds_by_pairs<T>)
            if (wave.by_pairs) see_other_part();
        P::arrive_all();
    } else {
        if constexpr (S::moves_registers) ptx::take_registers<P::consumer_registers>();
        using Work = Multiplier<P, S::WIDTH, T, a_major, b_major>;
        float sums[S::WIDTH / 2];
        using Old = OldBoxes<T, S::WIDTH>;
        [[maybe_unused]] Old old(c, pipe.base + P::staging + group * 16384,
                                 pipe.base + P::staging + S::old_barriers + group * Old::barrier_bytes, thread);
        if constexpr (S::template old_by_box<T>)
            if (feed.old_by_box) old.init();
        for (int i = first; i < feed.pieces; i += clusters) {
            const Piece piece = piece_of(i);
            raster.place(piece.tile, row, col);
            const int product = raster.product_of(piece.tile), first_col = col * S::WIDTH;
            const int own_row = (row * P::CLUSTER + P::rank()) * P::BM + group * 64;
            const auto its_c = [&] { return raster.products > 1 ? out.of(product, raster.depths.of(product).c) : out; };
            constexpr bool reads_old = S::template reads_old<T>;
            [[maybe_unused]] OldPairs<T, reads_old ? S::WIDTH : 8> pairs;
            if constexpr (reads_old)
                if (!piece.is_part) pairs.ask(its_c(), own_row, first_col, thread);
            if (!S::plain && !pairs.is_here() && !piece.is_part && (out.beta != 0 || out.fused.residual))
                bring_old_closer<T, S::WIDTH>(its_c(), own_row, first_col, thread);
            Work::tile(sums, pipe, turn, piece.end - piece.from, group, thread, [&] {
                if constexpr (S::template old_by_box<T>)
                    if (feed.old_by_box && !piece.is_part) old.ask_first(its_c(), own_row, first_col);
            });
            if (i + clusters >= feed.pieces) P::arrive_all();
            if constexpr (S::template adds_by_pairs<T>)
                if (wave.by_pairs && !add_other_part<S::WIDTH>(sums, pipe.base, group, thread)) break;
            if constexpr (S::template cuts<T>) {
                if (piece.is_part && !wave.by_pairs) {
                    if (LastWave::has_rows(own_row, thread, out.rows))
                        wave.keep<S::WIDTH / 8>(sums, i, P::rank() * S::consumers + group, P::CLUSTER * S::consumers,
                                                thread);
                    continue;
                }
            }
            Output mine = its_c();
            if constexpr (reads_old) pairs.add(sums, mine);
            if constexpr (std::is_same_v<T, float>) {
                const AgainFrom from = raster.products > 1 ? again.of(raster.depths.of(product)) : again;
                make_again<S::WIDTH>(sums, from, own_row, first_col, thread);
            }
            if constexpr (S::template old_by_box<T>) {
                if (feed.old_by_box) {
                    old.add_and_store(sums, mine, own_row, first_col);
                    continue;
                }
            }
            if constexpr (S::plain) finish_plainly<T, S::WIDTH>(sums, mine, own_row, first_col, thread);
            else if constexpr (S::by_box)
                finish_boxes<T, S::WIDTH, turns>(sums, mine, c, pipe.base + P::staging + group * 16384, own_row,
                                                 first_col, group, thread);
            else finish_groups<T, S::WIDTH, turns>(sums, mine, own_row, first_col, thread);
        }
        if constexpr (S::by_box)
            if (thread % 32 == 0) ptx::wait_for_reads_of_stores<0>();
    }
    P::wait_for_all();
}

/// What is added is of the operands' 16 bits and lies as TMA has it, and nothing comes behind.
inline bool adds_by_box(const Output& out) { return out.by_box && out.beta != 0 && out.fused.empty && !out.wide; }

/// C as the kernels finish it.
inline Output output_of(const Job& job) {
    const Call& call = job.call;
    const auto size = static_cast<std::int64_t>(size_of(call.c.type));
    return {.data = job.mapped.c.first,
            .row_step = call.c.row_step,
            .col_step = call.c.col_step,
            .rows = job.m(),
            .cols = job.n(),
            .alpha = static_cast<float>(call.alpha),
            .beta = static_cast<float>(call.beta),
            .wide = call.c.type == Type::f32,
            .by_row = call.c.col_step == 1,
            .by_box = goes_by_box(job),
            .fused = fused(call.epilogue),
            .depth_bytes = job.mapped.c.bytes,
            .residual_bytes = call.batch ? call.batch->residual_step * size : 0,
            .by_group = goes_by_group(call, job.mapped.c),
            .bias_down = job.is_turned};
}

inline AgainFrom again_from(const Job& job) {
    return {static_cast<const float*>(job.a.data),
            static_cast<const float*>(job.b.data),
            job.a.step,
            job.b.step,
            job.mapped.a.bytes,
            job.mapped.b.bytes,
            job.m(),
            job.n(),
            static_cast<int>(job.call.k())};
}

inline Status depths_of(const Job& job, Depths& depths) {
    const Mapped& mapped = job.mapped;
    depths = {nullptr, static_cast<int>(products_of(job.call)), mapped.a.extent > 1, mapped.b.extent > 1,
              mapped.c.extent > 1};
    return place_depths(job.call, mapped.a, mapped.b, mapped.c, depths);
}

/// Rows of A that a box has: few rows need not fill a tile, since what it has besides only makes rows that C lacks.
template <int BM>
int rows_of_box(const Job& job) {
    const int rows = (job.m() + 7) / 8 * 8;
    return rows < BM ? rows : BM;
}

template <class S, class T, ptx::Major a_major, ptx::Major b_major>
Status start_tiles(const Job& job) {
    using P = typename S::Ring;
    constexpr bool a_along = a_major == ptx::Major::k, b_along = b_major == ptx::Major::k;
    const int a_rows = a_along && S::CLUSTER == 1 ? rows_of_box<S::BM>(job) : S::BM;
    CUtensorMap a, b, c{};
    if (const Status bad = describe_operand(a, job, true, a_along ? a_rows : 64); !bad) return bad;
    if (const Status bad = describe_operand(b, job, false, b_along ? P::b_share : 64 / S::CLUSTER); !bad) return bad;
    const Output out = output_of(job);
    if (S::by_box && (out.by_box || !out.by_row))
        if (const Status bad = describe_c(c, job); !bad) return bad;
    Depths depths;
    if (const Status bad = depths_of(job, depths); !bad) return bad;
    const Raster one{static_cast<int>(tiles_over(job.m(), S::BM * S::CLUSTER)),
                     static_cast<int>(tiles_over(job.n(), S::WIDTH)),
                     sm90::r9_is_wide(job.tile) ? sm90::R9Way::of(job.tile).walked : 8};
    const BatchRaster raster{one, depths.size, depths};
    const int fit = multiprocessors() / S::CLUSTER * S::blocks;
    const LastWave wave = last_wave_of(job, one, fit);
    const int pieces = S::template cuts<T> ? wave.pieces(raster.count()) : raster.count();
    const Feed feed{.steps = job.steps(),
                    .depth = job.depth(),
                    .bytes = a_rows * 128 + P::b_bytes,
                    .reads_once = S::CLUSTER == 1 && one.down == 1 && !job.is_deep(),
                    .old_by_box = S::template old_by_box<T> && adds_by_box(out),
                    .early = job.begins_early() ? multiprocessors() * S::blocks : 0,
                    .pieces = pieces};
    const auto cluster = static_cast<unsigned>(wave.by_pairs ? 2 : S::CLUSTER),
               blocks = static_cast<unsigned>((pieces < fit ? pieces : fit) * S::CLUSTER);
    const Status done =
        launch(async_tiles<S, T, a_major, b_major>,
               {.blocks = blocks, .threads = S::threads, .shared = P::shared, .cluster = cluster, .overlaps = true},
               job.call.stream, a, b, c, out, raster, feed, again_from(job), wave);
    if constexpr (S::template cuts<T>)
        if (done) return finish_last_wave<T>(job, wave, out, one, S::CLUSTER * S::consumers);
    return done;
}

}  // namespace tw::cuda
