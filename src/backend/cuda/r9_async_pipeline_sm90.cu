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
#include "backend/cuda/async/runs.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/epilogue/fused.cuh"
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
            .b_between = job.b.step * size % 32 != 0};
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

template <class T>
Status run_fused(const Call& given, const Tile& asked) {
    if (given.c.col_step != 1 && given.c.row_step != 1) return run_plainly(given);
    Call call = is_turned(given) ? across(given) : given;
    Batch aligned;
    bool possible = true;
    if (first_across(call) != sm90::FirstAcross::none && call.scratch.size() >= across_bytes(call))
        return run_across(call, is_turned(given), asked);
    if (call.batch)
        if (const Status bad = align_batch(call, aligned, possible); !bad) return bad;
    if (!possible) return run_plainly(given);
    Job job{.call = call, .is_turned = is_turned(given)};
    job.mapped.fits(call);
    Call first = call;
    first.a.data = job.mapped.a.first, first.b.data = job.mapped.b.first;
    if (const Status bad = align_operands(first, AsRead::both_across, job.a, job.b, possible); !bad) return bad;
    if (!possible) return run_plainly(given);
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

/// r8 has the same bits and every way that a residual may lie: slower, but a narrow C is rounded once.
template <class T>
Status run(const Call& call, const Tile& tile) {
    const auto run_one = [&](const Call& one) { return run_fused<T>(one, tile); };
    if (!goes_behind(call)) return with_epilogue(call, run_one);
    return call.c.type == Type::f32 ? finished_behind(call, run_one) : run_plainly(call);
}

std::size_t scratch_of(const Call& given, const Tile&) {
    const Call call = is_turned(given) ? across(given) : given;
    if (first_across(call) != sm90::FirstAcross::none) return across_bytes(call);
    return aligned_bytes_of(call, AsRead::both_across) + last_wave_bytes(call);
}

sm90::Sizes sizes_of(const Problem& p, int at_once) {
    const bool turned = p.c == Form::col_major;
    return {turned ? p.n : p.m, turned ? p.m : p.n, p.k, 1, at_once};
}

/// tf32 of operands without gaps, where one is read across k.
struct AcrossOf {
    sm90::FirstAcross first = sm90::FirstAcross::none;
    std::int64_t lines = 0, rows = 0;  ///< of the one, and of the other
    bool turns = false;                ///< the other one lies across k, too

    explicit AcrossOf(const Problem& p) {
        if (p.in != Type::f32) return;
        first = sm90::first_across({p.m, p.n, p.k, 1, static_cast<int>(multiprocessors_for_costs())}, p.a, p.b);
        const bool of_a = first == sm90::FirstAcross::a;
        lines = of_a ? p.m : p.n, rows = of_a ? p.n : p.m;
        const Form other = of_a ? p.b : p.a, along = of_a ? Form::col_major : Form::row_major;
        turns = other != along;
        if (lines % 4 != 0 || other == Form::strided || (!turns && p.k % 4 != 0)) first = sm90::FirstAcross::none;
    }
    std::size_t bytes(const Problem& p) const { return turns ? turned_bytes(rows, p.k) : 0; }
    double nanoseconds(const Problem& p) const {
        const sm90::Sizes sizes{lines, rows, p.k, 1, static_cast<int>(multiprocessors_for_costs())};
        return sm90::across_time(sizes, sm90::across_width(sizes)) +
               (turns ? 2000 + static_cast<double>(bytes(p)) / 1100 : 0);
    }
};

std::size_t scratch_bytes(const Problem& p, const Tile&, int) {
    if (const AcrossOf across(p); across.first != sm90::FirstAcross::none) return across.bytes(p);
    const std::size_t last_wave = p.in == Type::f32 ? 0 : sm90::r9_last_wave_bytes(sizes_of(p, multiprocessors()));
    return aligned_bytes(p, AsRead::both_across) + last_wave;
}

/// Of few tiles, or perhaps of those of a last wave.
bool cuts(const Problem& p) {
    const sm90::Sizes sizes = sizes_of(p, multiprocessors());
    return sm90::r9_parts(sizes, {}) > 1 || sm90::r9_may_cut_last_wave(sizes);
}

double nanoseconds(const Problem& p, int) {
    if (const AcrossOf across(p); across.first != sm90::FirstAcross::none) return across.nanoseconds(p);
    const sm90::Sizes sizes{p.m, p.n, p.k, 1, static_cast<int>(multiprocessors_for_costs())};
    const bool is_f32 = p.in == Type::f32, turned = p.c == Form::col_major;
    const auto lies_across = [&](Form form, Form along) { return !is_f32 && form != along && form != Form::strided; };
    const sm90::R9Operands operands{.a_across = lies_across(p.a, Form::row_major),
                                    .b_across = lies_across(p.b, Form::col_major),
                                    .is_f32 = is_f32,
                                    .c_by_group = (turned ? p.m : p.n) % 8 == 0,
                                    .may_turn = p.out != Type::f32 && (turned ? p.m : p.n) % 8 == 0};
    // What is copied first is read and written once, by one launch.
    const double copied = static_cast<double>(aligned_bytes(p, AsRead::both_across));
    // What tf32 competes with was priced beside r9_time, which has no term for rows of C that begin anywhere.
    const double multiplying = is_f32 && operands.c_by_group
                                   ? sm90::r9_time(sizes, sm90::r9_tile(sizes, operands, false), operands)
                                   : sm90::async_time_of_choice(sizes, operands);
    if (copied == 0) return multiplying;
    if (is_f32 || std::min(p.m, p.n) <= 8) return multiplying + 2000 + copied / 1100;
    // Copies of up to some 8 MB lie in L2 when they are read: 226 x 541 x 4689 NN took 16.9 us so, 22.4 by
    // few_rows_anywhere, but 76 x 14336 x 4096 102 and 65.
    const double in_cache = std::min(copied, 8e6);
    return multiplying + 600 + in_cache / 4270 + (copied - in_cache) / 1100;
}

/// tf32's own steps: 8 of k at a time, 9 errors of 2^-25 and one of 2^-23.
double tf32_sum_bound(std::int64_t k) { return gamma(6.5 * static_cast<double>((k + 7) / 8) + 2, unit_f32); }

/// All products, their operands described to TMA by one map each: copied first, where they don't lie as it wants.
bool takes_batch(const Call& call) {
    Mapped mapped;
    // Products whose last wave may be cut go one by one.
    sm90::Sizes one = sm90::sizes_of(call);
    one.products = 1;
    if (call.a.type != Type::f32 && !call.reproducible && sm90::r9_may_cut_last_wave(one)) return false;
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
            .nanoseconds = nanoseconds,
            .scratch_bytes = scratch_bytes,
            .scratch_of = scratch_of,
            .cuts = is_tf32 ? nullptr : cuts,
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
