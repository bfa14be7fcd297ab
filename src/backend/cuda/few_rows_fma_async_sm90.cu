// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows_fma_async: few_rows_fma with a ring that TMA fills, in f32. Eight warps share each stage's k; a ninth
// fetches.
//
//     k contiguous: 8 (4) rows, lanes along k      n contiguous: 32 columns, four to a lane
//        warp 0   | warp 1   | ...                      lane % 8
//      +----------+----------+                       +-----------+
//    8 | 128 of k | 128 of k |  a stage: 1024        | 16 of k   | a warp's: a quarter of it 4 of k at a time
//      +----------+----------+                       +-----------+  a stage: 128
//
// A sum is a lane's, then the lanes', then the warps', in their order: that of k alone.
// Needs: sm_90a, rows that suit TMA; others are few_rows_fma's. 2mnk flops for 4nk bytes: up to 8 rows the memory is
// the limit, beyond them shared memory where k is contiguous.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/few/batch.cuh"
#include "backend/cuda/few/fma_share.cuh"
#include "backend/cuda/heuristics_few_rows.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/tiles/few_rows.cuh"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {
namespace {

using namespace fma_share;

/// The ring, and what is left of k and of the weights to each block.
template <class C>
struct Ring {
    int tokens, tiles, steps, stages;

    __host__ __device__ int stage_bytes() const { return C::w_bytes + tokens * C::BK * 4; }
    __host__ __device__ int shared() const { return results_at() + C::results_bytes; }
    __host__ __device__ int results_at() const { return 16 * most_stages + stages * stage_bytes(); }
    __device__ std::uint32_t stage(std::uint32_t base, int s) const {
        return base + 16 * most_stages + s * stage_bytes();
    }
    __device__ static std::uint32_t full(std::uint32_t base, int s) { return base + 16 * s; }
    __device__ static std::uint32_t empty(std::uint32_t base, int s) { return base + 16 * s + 8; }
    __device__ void next(int& stage, std::uint32_t& parity) const {
        if (++stage == stages) stage = 0, parity ^= 1;
    }
};

/// f(place in the stage, inner and outer of the map) for each box of weights.
template <class C, class F>
__device__ void each_box(int tile, int step, const F& f) {
    if constexpr (C::along) {
#pragma unroll
        for (int b = 0; b < C::BK / C::box; ++b) f(b * C::BN * C::box * 4, step * C::BK + b * C::box, tile * C::BN);
    } else {
        f(0, tile * C::BN, step * C::BK);
    }
}

/// All that the ninth warp does, by one thread.
template <class C>
__device__ void fetch(const Ring<C>& ring, const CUtensorMap& weights, const CUtensorMap& tokens,
                      const FewRowsPlace& place, std::uint32_t base) {
    const std::uint64_t once = ptx::leaves_l2_first();
    int stage = 0;
    std::uint32_t parity = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < ring.tiles; tile += static_cast<int>(gridDim.x))
        for (int step = 0; step < ring.steps; ++step, ring.next(stage, parity)) {
            const std::uint32_t to = ring.stage(base, stage), full = ring.full(base, stage);
            ptx::wait_barrier(ring.empty(base, stage), parity ^ 1);
            ptx::expect_bytes(full, ring.stage_bytes());
            each_box<C>(tile, step, [&](int at, int inner, int outer) {
                if (place.many) ptx::load_box(to + at, weights, full, inner, outer, place.weights);
                else ptx::load_box(to + at, weights, full, inner, outer, once);
            });
#pragma unroll
            for (int b = 0; b < C::BK / C::box; ++b) {
                const std::uint32_t at = to + C::w_bytes + b * ring.tokens * C::box * 4;
                const int k = step * C::BK + b * C::box;
                if (place.many) ptx::load_box(at, tokens, full, k, 0, place.tokens);
                else ptx::load_box(at, tokens, full, k, 0);
            }
        }
}

template <class C>
__global__ void __launch_bounds__(threads, C::M <= 4 ? 2 : 1)
    few_rows_fma_async(const __grid_constant__ CUtensorMap weights, const __grid_constant__ CUtensorMap tokens,
                       Output of_first, Ring<C> ring, FewRowsBatch batch) {
    extern __shared__ __align__(128) char memory[];
    const std::uint32_t base = ptx::shared_address(memory);
    const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), lane = static_cast<int>(threadIdx.x) % 32;
    ptx::let_next_kernel_begin();
    if (threadIdx.x == multiplying) {
        for (int s = 0; s < ring.stages; ++s) {
            ptx::init_barrier(ring.full(base, s), 1);
            ptx::init_barrier(ring.empty(base, s), warps);
        }
        ptx::publish_barriers();
        for (int step = 0; gridDim.y == 1 && step < min(ring.stages, ring.steps); ++step)
            each_box<C>(static_cast<int>(blockIdx.x), step,
                        [&](int, int inner, int outer) { ptx::prefetch_box(weights, inner, outer); });
    }
    __syncthreads();
    ptx::wait_for_kernel_before();
    const FewRowsPlace place = batch.of_block();
    if (warp == warps) {
        if (lane == 0) fetch(ring, weights, tokens, place, base);
        return;
    }
    const Output out = place.many ? of_first.of(static_cast<int>(blockIdx.y), place.c) : of_first;

    float* const results = reinterpret_cast<float*>(memory + ring.results_at());
    int stage = 0;
    std::uint32_t parity = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < ring.tiles; tile += static_cast<int>(gridDim.x)) {
        float sums[C::sums] = {};
        for (int step = 0; step < ring.steps; ++step, ring.next(stage, parity)) {
            ptx::wait_barrier(ring.full(base, stage), parity);
            multiply<C>(sums, ring.stage(base, stage), ring.tokens, warp, lane);
            __syncwarp();
            if (lane == 0) ptx::arrive(ring.empty(base, stage));
        }
        ptx::sync_named(1, multiplying);  // the results before these have been read
        keep<C>(sums, results + warp * C::results, lane);
        ptx::sync_named(1, multiplying);
#pragma unroll 1
        for (int x = static_cast<int>(threadIdx.x); x < C::results; x += multiplying) {
            const int i = C::along ? x % C::M : x / C::BN, j = tile * C::BN + (C::along ? x / C::M : x % C::BN);
            if (i >= out.rows || j >= out.cols) continue;
            float sum = 0;
#pragma unroll
            for (int w = 0; w < warps; ++w) sum += results[w * C::results + x];
            finish_element<float, float>(sum, out, i, j, batch.turned);
        }
    }
}

template <class C>
Status start(const FewRowsCall& few) {
    const Call& call = few.call;
    const Matrix& rows = call.b;
    const std::int64_t k = call.k(), n = call.n(), deep = few.has_many();
    const auto m = static_cast<int>(call.m());
    const Depth &of_weights = few.of_weights(), &of_tokens = few.of_tokens();
    CUtensorMap weights, tokens;
    const BoxedMatrix boxes{rows.data,
                            Type::f32,
                            C::along ? k : n,
                            C::along ? n : k,
                            (C::along ? rows.col_step : rows.row_step) * 4,
                            C::along ? C::box : C::BN,
                            C::along ? C::BN : C::BK,
                            deep * of_weights.extent,
                            of_weights.bytes,
                            false,
                            false};
    if (const Status bad = describe(weights, boxes); !bad) return bad;
    const BoxedMatrix few_rows{call.a.data,    Type::f32, k, m, call.a.row_step * 4, C::box, m, deep * of_tokens.extent,
                               of_tokens.bytes};
    if (const Status bad = describe(tokens, few_rows); !bad) return bad;
    FewRowsBatch batch;
    if (const Status bad = few.place(batch); !bad) return bad;
    Ring<C> ring{m, static_cast<int>(tiles_over(n, C::BN)), static_cast<int>(tiles_over(k, C::BK)), 0};
    ring.stages = std::clamp(C::ring_bytes / ring.stage_bytes(), 2, most_stages);
    const int fit = multiprocessors() * (C::M <= 4 && !C::along ? 2 : 1);
    const Launch how = few.launch_over(ring.tiles, fit, threads, static_cast<std::size_t>(ring.shared()));
    return launch(few_rows_fma_async<C>, how, call.stream, weights, tokens, few.output(), ring, batch);
}

template <bool along>
Status start_of(const FewRowsCall& few) {
    if (few.call.m() <= 4) return start<Cut<along, 4>>(few);
    return few.call.m() <= 8 ? start<Cut<along, 8>>(few) : start<Cut<along, most_tokens>>(few);
}

bool suits(const Matrix& m) { return m.col_step == 1 && suits_tma(m.data, m.row_step * 4); }

Status run_fused(const Call& given) {
    const FewRowsCall few(given, most_tokens);
    if (!suits(few.call.a)) return few_rows_fma_f32.run(given, {});
    if (suits(few.call.b.transposed())) return start_of<true>(few);
    return suits(few.call.b) ? start_of<false>(few) : few_rows_fma_f32.run(given, {});
}

/// All products as TMA can describe them by one map.
bool takes_batch(const Call& call) {
    const FewRowsCall few(call, most_tokens);
    return cuda::takes_batch(call) && few.fits && suits(few.call.a) &&
           (suits(few.call.b) || suits(few.call.b.transposed()));
}

constexpr Batching batching{takes_batch, places_bytes};

/// As the memory's pace, the FMA's, or what one multiprocessor can fetch for a tile allows.
double nanoseconds(const Problem& p, int) {
    const FewRowsForms forms(p);
    if (!forms.suits_tma(p, 4)) return few_rows_fma_f32.nanoseconds(p, 1) + 1;
    if (few::may_be_many(p)) return r7_hierarchical_f32.nanoseconds(p, 1) + 1;
    const auto k = static_cast<double>(p.k), of_weights = static_cast<double>(forms.rows) * k;
    const double flops = 2 * of_weights * static_cast<double>(forms.few);
    // 4 x 1024 x 256 took 7.5 us, 16 x 128 x 128, 62 times, 7.3; 4 x 1024 x 1024 3.5; 16 x 2304 x 768 NT 8.9.
    const double start = p.k <= 256 ? 7000 : p.k <= 1024 && forms.few > 8 && forms.along() ? 5000 : few::launch;
    // Beyond 8 rows fewer of weights fit beside them: 16 x 8192 x 8192 NT takes 121 us, NN 81.
    const double pace = (forms.along() ? 22e3 : 33e3) * (forms.few > 8 ? 0.82 : 1);
    return start + std::max({4 * of_weights / 4110, flops / pace, k * (forms.along() ? 8 : 32) * 4 / 60});
}

}  // namespace

constinit const Kernel few_rows_fma_async_f32{
    .name = "cuda.few_rows_fma_async.f32",
    .rung = Rung::none,
    .in = Type::f32,
    .out = Type::f32,
    .sum = Type::f32,
    .scheme = &plain_f32,
    .needs = feature::sm90a,
    .fuses_epilogue = true,
    .idea = "few rows in plain f32, whichever way the weights lie: TMA streams them, eight warps share k",
    .takes = has_few_rows_of_any_steps,
    .sum_bound = [](std::int64_t k) { return few_rows_fma_f32.sum_bound(k); },
    .nanoseconds = nanoseconds,
    .run = [](const Call& call, const Tile&) { return with_epilogue(call, run_fused); },
    .batching = &batching,
};

}  // namespace tw::cuda
