// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9_async_pipeline: the matrix unit never waits for memory. Blocks stay on their multiprocessor and take tile after
// tile; one thread keeps STAGES tiles of A and B on their way, two warpgroups do nothing but multiply.
//
//    producer          ring in shared memory             consumers                 C
//   +--------+     +----+----+----+----+      +--------------------------+     +---------+
//   | 1 thread| -> | s0 | s1 | s2 | s3 | ->   | 64 x BN sums in registers| ->  | by boxes|
//   +--------+     +----+----+----+----+      | 64 x BN sums in registers|     +---------+
//     copies boxes   A: BM x 64, B: BN x 64   +--------------------------+  stored while the next tile begins
//
// Tiles of three kinds (async/): wide ones share B between two blocks, go round where C's rows fit a tile's width
// better, and cut k where a last wave would be nearly empty; level ones are for few rows; thin ones are small and cut
// k. Each sums a result over k in the same steps, but for parts.
// Needs: sm_90a. 2mnk flops; BM x BN x 64 of them for (BM + BN / CLUSTER) x 128 bytes from L2.
#include <algorithm>

#include "backend/cuda/async/across.hpp"
#include "backend/cuda/async/by_threads.hpp"
#include "backend/cuda/async/prices.hpp"
#include "backend/cuda/async/runs.hpp"
#include "backend/cuda/async/tall.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/few/rows.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned_batch.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/tiles/heuristics_async_sm90.hpp"

namespace tw::cuda {
namespace {

/// Turned tiles store groups of 16 bytes of C's rows, and have nothing to add.
bool may_turn(const Call& call) {
    return call.c.type != Type::f32 && call.n() % 8 == 0 && !call.batch && call.beta == 0 &&
           !call.epilogue.residual.data;
}

sm90::R9Operands operands_of(const Job& job) {
    const Call& call = job.call;
    const Matrix& residual = call.epilogue.residual;
    const auto size = static_cast<std::int64_t>(size_of(call.a.type));
    return {.a_across = job.a.across,
            .b_across = job.b.across,
            .is_f32 = call.a.type == Type::f32,
            .c_by_group = goes_by_group(call, job.mapped.c),
            .adds = call.beta != 0 || residual.data,
            .may_turn = may_turn(call) && goes_by_group(call, job.mapped.c),
            .a_between = job.a.step * size % 32 != 0,
            .b_between = job.b.step * size % 32 != 0,
            .plain = ends_plainly(job)};
}

/// What was asked for where it is possible, else the choice.
Tile tile_of(const Job& job, const Tile& asked) {
    const sm90::R9Operands operands = operands_of(job);
    const bool one_order = job.call.reproducible;
    if (asked != Tile{} && sm90::r9_possible(operands, asked) && (sm90::r9_parts_of(asked) == 1 || !one_order))
        return asked;
    return sm90::async_tile(sm90::sizes_of(job.call), operands, one_order);
}

/// Scratch for the parts of a last wave, behind the operands' copies.
std::size_t last_wave_bytes(const Call& call) {
    return call.a.type == Type::f32 || call.reproducible ? 0 : sm90::r9_last_wave_bytes(sm90::sizes_of(call));
}
void* sums_for_last_wave(const Call& call) {
    const std::size_t bytes = last_wave_bytes(call), before = aligned_bytes_of(call, AsRead::both_across);
    return bytes > 0 && call.scratch.size() >= before + bytes ? call.scratch.data() + before : nullptr;
}

template <class T>
Status run_by_kind(const Job& job) {
    if (sm90::r9_is_wide(job.tile)) return run_wide<T>(job);
    if constexpr (sizeof(T) == 2)
        if (sm90::r9_is_tall(job.tile)) return run_tall<T>(job);
    return sm90::r9_is_level(job.tile) ? run_level<T>(job) : run_thin<T>(job);
}

/// The same from C's other side.
template <class T>
Status run_turned(const Job& job) {
    const Call call = across(job.call);
    Job other{.call = call, .is_turned = !job.is_turned, .a = job.b, .b = job.a};
    other.mapped = {job.mapped.b, job.mapped.a, job.mapped.c};
    other.tile = job.tile, other.sums = job.sums, other.is_copied = job.is_copied;
    return sm90::r9_is_level(other.tile) ? run_level<T>(other) : run_wide<T>(other);
}

/// One product of tf32, its operands as the job has them, copied or not.
Call along_k(const Job& job) {
    Call call = job.call;
    call.a.data = const_cast<void*>(job.a.data), call.a.row_step = job.a.step, call.a.col_step = 1;
    call.b.data = const_cast<void*>(job.b.data), call.b.row_step = 1, call.b.col_step = job.b.step;
    return call;
}

template <class T>
Status run_fused(const Call& given, const Tile& asked) {
    if (given.c.col_step != 1 && given.c.row_step != 1) return run_plainly(given);
    Call call = is_turned(given) ? across(given) : given;
    Batch aligned;
    bool possible = true;
    if (is_batch_across(call)) return run_across(call, is_turned(given), false, asked, nullptr);
    if (first_across(call) != sm90::FirstAcross::none && call.scratch.size() >= across_bytes(call))
        return run_across(call, is_turned(given), false, asked, sums_of_shares(call, across_bytes(call)));
    if (asked == Tile{} && takes_by_threads(call)) return run_by_threads(call);
    if (call.batch)
        if (const Status bad = align_batch(call, aligned, possible); !bad) return bad;
    if (!possible) return run_plainly(given);
    Job job{.call = call, .is_turned = is_turned(given)};
    job.mapped.fits(call);
    Call first = call;
    first.a.data = job.mapped.a.first, first.b.data = job.mapped.b.first;
    if (const Status bad = align_operands(first, AsRead::both_across, job.a, job.b, possible); !bad) return bad;
    if (!possible) return run_plainly(given);
    if constexpr (sizeof(T) == 4)
        if (const Call along = along_k(job); goes_along(along, asked))
            return run_across(along, job.is_turned, true, asked,
                              sums_of_shares(call, aligned_bytes_of(call, AsRead::both_across)));
    job.tile = tile_of(job, asked);
    job.sums = sums_for_last_wave(call);
    job.is_copied = call.batch == &aligned || job.a.data != first.a.data || job.b.data != first.b.data;
    return sm90::r9_is_turned(job.tile) ? run_turned<T>(job) : run_by_kind<T>(job);
}

/// What the kernels don't do beside the product: a residual that does not lie as C does.
bool goes_behind(const Call& call) {
    const Matrix& residual = call.epilogue.residual;
    return residual.data && (is_turned(call) ? residual.row_step : residual.col_step) != 1;
}

std::size_t bytes_of_copies(const Call& call) {
    return first_across(call) != sm90::FirstAcross::none ? across_bytes(call)
                                                         : aligned_bytes_of(call, AsRead::both_across);
}

/// tf32 whose rows begin where TMA can't go, and whose copies cost more than few_rows_anywhere: 128 x 8192 x 28672 NN
/// took 860 us, 304 so. Its bits are others, and its bound is less than ours where k is long.
bool goes_anywhere(const Call& call, const Tile& asked) {
    if (call.a.type != Type::f32 || call.batch || call.reproducible || asked != Tile{} || call.k() < 512) return false;
    const std::size_t copies = bytes_of_copies(call);
    const Problem p = problem_of(call);
    const std::size_t expected = copies == 0 ? 0 : r9::bytes_by_form(p);
    // Of small ones a batch at once is worth more, and its products have the bits of each alone.
    if (copies < expected + (std::size_t{8} << 20) || !few_rows_anywhere_tf32.takes(p)) return false;
    const double more = (expected == 0 ? 2000 : 0) + static_cast<double>(copies - expected) / 1100;
    return few_rows_anywhere_tf32.nanoseconds(p, 1) < .95 * (r9::nanoseconds(p, 1) + more);
}
/// Whether any product of the batch may, alone.
bool go_anywhere(const Call& call) {
    Call one = call;
    one.batch = nullptr;
    const auto of_all = [](const BatchedOperand& of) { return reinterpret_cast<void*>(of.address_bits()); };
    if (call.a.type == Type::f32) one.a.data = of_all(a_of(call)), one.b.data = of_all(b_of(call));
    return goes_anywhere(one, {});
}
std::size_t scratch_anywhere(const Call& call) { return few_rows_anywhere_tf32.scratch_bytes(problem_of(call), {}, 1); }

/// r8 has the same bits and every way that a residual may lie: slower, but a narrow C is rounded once.
template <class T>
Status run(const Call& call, const Tile& tile) {
    if constexpr (sizeof(T) == 4)
        if (goes_anywhere(call, tile) && call.scratch.size() >= scratch_anywhere(call))
            return few_rows_anywhere_tf32.run(call, {});
    const auto run_one = [&](const Call& one) { return run_fused<T>(one, tile); };
    if (!goes_behind(call)) return with_epilogue(call, run_one);
    return call.c.type == Type::f32 ? finished_behind(call, run_one) : run_plainly(call);
}

std::size_t scratch_of(const Call& given, const Tile& tile) {
    if (goes_anywhere(given, tile)) return scratch_anywhere(given);
    const Call call = is_turned(given) ? across(given) : given;
    if (first_across(call) != sm90::FirstAcross::none) return behind(across_bytes(call)) + bytes_of_shares(call, tile);
    return behind(aligned_bytes_of(call, AsRead::both_across) + last_wave_bytes(call)) + bytes_of_shares(call, tile);
}

std::size_t scratch_bytes(const Problem& p, const Tile&, int) {
    const std::size_t last_wave = p.in == Type::f32 ? 0 : sm90::r9_last_wave_bytes(r9::sizes_of(p, multiprocessors()));
    return behind(r9::bytes_by_form(p) + last_wave) + bytes_of_shares(p);
}

/// tf32 of few tiles that an operand's words go through registers for.
bool cuts_tf32(const Problem& p) {
    return sm90::across_cuts({p.m, p.n, p.k, 1, static_cast<int>(multiprocessors())}, p.a, p.b);
}
/// Of few tiles, or perhaps of those of a last wave.
bool cuts(const Problem& p) {
    const sm90::Sizes sizes = r9::sizes_of(p, multiprocessors());
    return sm90::r9_parts(sizes, {}) > 1 || sm90::r9_may_cut_last_wave(sizes);
}

/// tf32's own steps: 8 of k at a time, 9 errors of 2^-25 and one of 2^-23.
double tf32_sum_bound(std::int64_t k) { return gamma(6.5 * static_cast<double>((k + 7) / 8) + 2, unit_f32); }

/// All products, their operands described to TMA by one map each: copied first, where they don't lie as it wants.
bool takes_batch(const Call& call) {
    Mapped mapped;
    // Products whose last wave may be cut, or which few_rows_anywhere may have, go one by one.
    sm90::Sizes one = sm90::sizes_of(call);
    one.products = 1;
    if (call.a.type != Type::f32 && !call.reproducible && sm90::r9_may_cut_last_wave(one)) return false;
    if (go_anywhere(call) || (call.a.type == Type::f32 && !call.reproducible && cuts_tf32(problem_of(call))))
        return false;
    if (!cuda::takes_batch(call) || call.c.col_step != 1 || goes_behind(call)) return false;
    // C needs no map: threads store it wherever it lies.
    depth_of(c_of(call), mapped.c);
    return mapped.c.bytes > 0 && mapped.c.extent <= INT32_MAX && can_align_batch(call);
}

constexpr Batching batching{takes_batch, aligned_batch_bytes};

template <class T>
constexpr Kernel row(const char* name, Type in, Type out) {
    constexpr bool is_tf32 = sizeof(T) == 4;
    return {.name = name,
            .rung = Rung::async_pipeline,
            .in = in,
            .out = out,
            .sum = Type::f32,
            .scheme = is_tf32 ? &tf32x1 : &plain_f32,
            .needs = feature::sm90a,
            .tiles = {sm90::r9_tiles.of, sm90::r9_tiles.count},
            .fuses_epilogue = true,
            .idea = "TMA keeps a ring of tiles full, and the matrix unit never waits for memory",
            .takes = fits_ints,
            .sum_bound = is_tf32 ? tf32_sum_bound : matrix_unit_sum_bound,
            .nanoseconds = r9::nanoseconds,
            .scratch_bytes = scratch_bytes,
            .scratch_of = scratch_of,
            .cuts = is_tf32 ? cuts_tf32 : cuts,
            .run = run<T>,
            .order = is_tf32 ? tf32_order : matrix_unit_order,
            .batching = &batching};
}

}  // namespace

constinit const Kernel r9_async_pipeline_f32 = row<float>("cuda.r9_async_pipeline.f32.tf32", Type::f32, Type::f32);
constinit const Kernel r9_async_pipeline_bf16 =
    row<__nv_bfloat16>("cuda.r9_async_pipeline.bf16", Type::bf16, Type::bf16);
constinit const Kernel r9_async_pipeline_bf16_f32 =
    row<__nv_bfloat16>("cuda.r9_async_pipeline.bf16.f32", Type::bf16, Type::f32);
constinit const Kernel r9_async_pipeline_f16 = row<__half>("cuda.r9_async_pipeline.f16", Type::f16, Type::f16);
constinit const Kernel r9_async_pipeline_f16_f32 = row<__half>("cuda.r9_async_pipeline.f16.f32", Type::f16, Type::f32);

}  // namespace tw::cuda
