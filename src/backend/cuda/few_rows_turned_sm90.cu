// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows_turned: r9's product turned round. The weights take the unit's 64 rows, the few rows of A its 16 columns, so
// little of a product is padding, and weights of either direction are read once, as they lie.
//
//     W^T, from a ring filled by TMA      A^T            C^T
//   +-----------------------------+     +----+        +----+
//   | 64 of k | 64 of k | ...     |  x  |    |   ->   |    |  `height` rows, what is below them is not stored
//   +-----------------------------+     +----+        +----+
//
// The unit adds the same products in the same steps of k as in r9, on the other side of itself: the bits are r9's, when
// that does not cut k, for every number of rows. Where TMA can't fetch the weights, r9 does it.
// Needs: sm_90a. 2mnk flops for 2nk bytes: the memory is the limit.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/few/turned_ring.cuh"
#include "backend/cuda/heuristics_few_rows.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/few_rows.cuh"
#include "backend/cuda/tiles/heuristics_async_sm90.hpp"

namespace tw::cuda {
namespace {

using ptx::Major;
using namespace turned;

/// The sums go through shared memory, so that a warp's stores lie side by side and the epilogue stands here once.
template <class T>
__device__ void finish_tile_of_few(const float (&sums)[8], std::uint32_t buffer, const Output& out, int height,
                                   int tile, bool turned) {
    const int thread = static_cast<int>(threadIdx.x);
    const FragmentPlace place(thread);
    ptx::sync_named(1, consumers);  // the tile before has been read
#pragma unroll
    for (int s = 0; s < 8; ++s)
        ptx::store_float(buffer + ((place.col + s / 4 * 8 + s % 2) * rows_of_unit + place.row + s / 2 % 2 * 8) * 4,
                         sums[s]);
    ptx::sync_named(1, consumers);
    const int row = thread % rows_of_unit, j = tile * height + row;
    if (row >= height || j >= out.cols) return;
#pragma unroll 1
    for (int i = thread / rows_of_unit; i < out.rows; i += consumers / rows_of_unit) {
        const float sum = ptx::load_float(buffer + (i * rows_of_unit + row) * 4);
        if (out.wide) finish_element<T, float>(sum, out, i, j, turned);
        else finish_element<T, T>(sum, out, i, j, turned);
    }
}

template <class T, Major major>
__global__ void __launch_bounds__(threads)
    few_rows_turned(const __grid_constant__ CUtensorMap weights, const __grid_constant__ CUtensorMap tokens,
                    Output of_first, Ring ring, FewRowsBatch batch) {
    extern __shared__ char memory[];
    const std::uint32_t base = (ptx::shared_address(memory) + 1023) & ~1023u;
    const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0);
    ptx::let_next_kernel_begin();
    if (threadIdx.x == consumers) prepare<major>(ring, weights, tokens, base);
    __syncthreads();
    ptx::wait_for_kernel_before();
    const FewRowsPlace place = batch.of_block();
    if (warp == consumers / 32) {
        if (threadIdx.x == consumers) fetch<major>(ring, weights, tokens, place, base);
        return;
    }

    using Unit = ptx::NarrowUnit<T, major>;
    constexpr int along = major == Major::k ? 32 : 16 * 128;  // bytes to the next 16 of k
    const Output out = place.many ? of_first.of(static_cast<int>(blockIdx.y), place.c) : of_first;
    const int thread = static_cast<int>(threadIdx.x);
    int stage = 0;
    std::uint32_t parity = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < ring.tiles; tile += static_cast<int>(gridDim.x)) {
        float sums[8] = {};
        int before = 0;
        for (int step = 0; step < ring.steps; ++step, ring.next(stage, parity)) {
            ptx::wait_barrier(ring.full(base, stage), parity);
            ptx::pin(sums);
            ptx::fence_products();
#pragma unroll
            for (int part = 0; part < DEEP; ++part) {
                const std::uint32_t at = base + stage * ring.stage_bytes() + part * ring.part_bytes();
                const std::uint64_t of_weights = ptx::tile_descriptor(at),
                                    of_tokens = ptx::tile_descriptor(at + ring.weights_bytes());
#pragma unroll
                for (int q = 0; q < 4; ++q) Unit::add(sums, of_weights + q * (along >> 4), of_tokens + q * (32 >> 4));
            }
            ptx::commit_products();
            if (step > 0) {
                ptx::wait_for_products<1>();
                if (thread == 0) ptx::arrive(ring.empty(base, before));
            }
            before = stage;
        }
        ptx::wait_for_products<0>();
        ptx::pin(sums);
        if (thread == 0) ptx::arrive(ring.empty(base, before));

        finish_tile_of_few<T>(sums, base + ring.stages * ring.stage_bytes(), out, ring.height, tile, batch.turned);
    }
}

template <class T, Major major>
Status start(const FewRowsCall& few, const AlignedRows& a, const AlignedRows& b, int height) {
    const Call& call = few.call;
    const std::int64_t k = call.k(), n = call.n(), deep = few.has_many();
    const auto m = static_cast<int>(call.m());
    const Depth &of_weights = few.of_weights(), &of_tokens = few.of_tokens();
    const Type narrow = call.a.type;
    CUtensorMap weights, tokens;
    const bool along = major == Major::k;
    const BoxedMatrix boxes{b.data,          narrow, along ? k : n,       along ? n : k,
                            b.step * 2,      64,     along ? height : 64, deep * of_weights.extent,
                            of_weights.bytes};
    if (const Status bad = describe(weights, boxes); !bad) return bad;
    const BoxedMatrix rows{a.data, narrow, k, m, a.step * 2, 64, m, deep * of_tokens.extent, of_tokens.bytes};
    if (const Status bad = describe(tokens, rows); !bad) return bad;
    FewRowsBatch batch;
    if (const Status bad = few.place(batch); !bad) return bad;
    Ring ring{height, m, static_cast<int>(tiles_over(n, height)), static_cast<int>(tiles_over(k, 64 * DEEP)), 0};
    ring.stages = few::stages_of(ring.stage_bytes(), n * k * 2);
    const Launch how = few.launch_over(ring.tiles, multiprocessors(), threads, static_cast<std::size_t>(ring.shared()));
    return launch(few_rows_turned<T, major>, how, call.stream, weights, tokens, few.output(), ring, batch);
}

bool lies(const Matrix& m) { return is_aligned(m, m.data) || is_aligned(m.transposed(), m.data); }

/// r9 cuts a long k where nobody holds it to one order.
Status run_in_order(Call call, const Kernel& large) {
    call.reproducible = true;
    return large.run(call, {});
}

/// Where tiles of 64 columns, which weights across k come in, are uneven.
double across_nanoseconds(const sm90::Weights& weights, int processors) {
    const double chain =
        static_cast<double>(weights.k) * few::turned_nanoseconds(weights.columns, few::columns_across_k, processors);
    if (!weights.come_from_memory()) return few::launch + std::max(weights.bytes() / 4100, chain);
    // A ring of half the shared memory: a multiprocessor alone gets less than r9's.
    constexpr sm90::WeightsCosts by{.launch = 1400, .alone = 59};
    return by.launch + std::max(sm90::weights_time(weights, few::columns_across_k, 1, processors, by), chain);
}

/// r9 cuts k, which makes the tiles even: 8 x 4096 x 14336 NN took 29.1 us so, 32.6 here.
bool gains_by_parts(std::int64_t rows, const sm90::Weights& weights) {
    const sm90::Sizes sizes{rows, weights.columns, weights.k, 1, multiprocessors()};
    if (!sm90::r9_reads_weights(sizes, {.b_across = true, .b_between = weights.columns % 16 != 0})) return false;
    const sm90::R9Choice choice = sm90::quickest_of_weights(rows, weights, multiprocessors());
    return sm90::r9_parts_of(choice.tile) > 1 && choice.time < .98 * across_nanoseconds(weights, multiprocessors()) &&
           sm90::r9_parts(sizes, {}) == 1;
}

template <class T>
Status run_fused(const Call& given, const Kernel& large) {
    const FewRowsCall few(given, most_tokens);
    AlignedRows a, b;
    bool possible;
    const Call& call = few.call;
    if (!lies(call.b)) return run_in_order(given, large);
    if (!given.reproducible && !given.batch && is_aligned(call.b, call.b.data) &&
        gains_by_parts(call.m(), {call.n(), call.k()}))
        return large.run(given, {});
    if (const Status bad = align_operands(few.call, AsRead::b_across, a, b, possible); !bad) return bad;
    if (!possible) return run_in_order(given, large);
    return b.across ? start<T, Major::other>(few, a, b, few::columns_across_k)
                    : start<T, Major::k>(few, a, b, few::height_along_k(few.call.n(), multiprocessors()));
}

/// All products as TMA can describe them by one map.
bool takes_batch(const Call& call) {
    const FewRowsCall few(call, most_tokens);
    return cuda::takes_batch(call) && few.fits && is_aligned(few.call.a, few.call.a.data) && lies(few.call.b);
}

constexpr Batching batching{takes_batch, places_bytes};

/// A chain of products along k can't be cut: 128 of k take the unit and its barriers some 190 ns. What r9 is left with
/// costs what it costs there, and what it does in parts, too.
double nanoseconds(const Problem& p, int) {
    const FewRowsForms forms(p);
    if (!forms.suits_tma(p, 8) || few::may_be_many(p)) return r9_async_pipeline_bf16.nanoseconds(p, 1) + 1;
    const int processors = multiprocessors_for_costs();
    const sm90::Weights weights{forms.rows, p.k};
    if (!forms.along()) {
        const double own = across_nanoseconds(weights, processors);
        if (!weights.come_from_memory()) return own;
        return std::min(own, sm90::quickest_of_weights(forms.few, weights, processors).time - 1);
    }
    const int height = few::height_along_k(forms.rows, processors);
    return few::launch + std::max(weights.bytes() / 4050,
                                  static_cast<double>(p.k) * few::turned_nanoseconds(forms.rows, height, processors));
}

/// Whatever gaps there are between the rows.
bool cuts(const Problem& p) {
    const FewRowsForms forms(p);
    return !forms.along() && gains_by_parts(forms.few, {forms.rows, p.k});
}

constexpr Tile tiles[] = {{most_tokens, rows_of_unit, 64 * DEEP}};

/// `large`: its bits, for weights that TMA can't fetch.
template <class T, const Kernel& large>
constexpr Kernel row(const char* name, Type in, Type out) {
    return {.name = name,
            .rung = Rung::none,
            .in = in,
            .out = out,
            .sum = Type::f32,
            .scheme = &plain_f32,
            .needs = feature::sm90a,
            .tiles = tiles,
            .fuses_epilogue = true,
            .idea = "few rows, many weights: r9's product turned round, the weights on the unit's side of 64",
            .takes = has_few_rows_of_any_steps,
            .sum_bound = matrix_unit_sum_bound,
            .nanoseconds = nanoseconds,
            .scratch_bytes = [](const Problem& p, const Tile& tile,
                                int threads) { return large.scratch_bytes(p, tile, threads); },
            .scratch_of = [](const Call& call, const Tile& tile) { return large.scratch_of(call, tile); },
            .cuts = cuts,
            .run =
                [](const Call& call, const Tile&) {
                    return with_epilogue(call, [](const Call& one) { return run_fused<T>(one, large); });
                },
            .order = matrix_unit_order,
            .batching = &batching};
}

}  // namespace

constinit const Kernel few_rows_turned_bf16 =
    row<__nv_bfloat16, r9_async_pipeline_bf16>("cuda.few_rows_turned.bf16", Type::bf16, Type::bf16);
constinit const Kernel few_rows_turned_bf16_f32 =
    row<__nv_bfloat16, r9_async_pipeline_bf16_f32>("cuda.few_rows_turned.bf16.f32", Type::bf16, Type::f32);
constinit const Kernel few_rows_turned_f16 =
    row<__half, r9_async_pipeline_f16>("cuda.few_rows_turned.f16", Type::f16, Type::f16);
constinit const Kernel few_rows_turned_f16_f32 =
    row<__half, r9_async_pipeline_f16_f32>("cuda.few_rows_turned.f16.f32", Type::f16, Type::f32);

}  // namespace tw::cuda
