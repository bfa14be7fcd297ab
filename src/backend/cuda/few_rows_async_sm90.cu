// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows_async: few_rows with r9's ring. A block stays on its multiprocessor and has its share of the weights' rows;
// one thread has TMA fetch 16 (32) of them and the few rows of A, PIECE bytes of k at a time; two teams of
// eight warps take pieces by turns.
//
//        piece 0 | piece 1 | piece 2 ...        a piece: PIECE / 8 bytes of k of every row to each warp of its team
//      +---------+---------+---------+
//   16 | team 0  | team 1  | team 0  |   weights: read once, first to leave L2
//      +---------+---------+---------+
//    m | team 0  | team 1  | team 0  |   A: out of L2, again for every 16 (32) rows of weights
//      +---------+---------+---------+
//
// Rows of PIECE bytes lie one below the other: a two-way bank conflict, hidden: the kernel is bound by DRAM.
// The first boxes are asked for, into L2, before the kernel in front has ended.
// Needs: sm_90a, k contiguous. 2mnk flops for 4nk (2nk) bytes: the memory is the limit.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/few/async_ring.cuh"
#include "backend/cuda/few/batch.cuh"
#include "backend/cuda/heuristics_few_rows.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/tiles/few_rows.cuh"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {
namespace {

using namespace async_ring;

/// Bytes from one product's to the next, as the maps count.
struct Apart {
    std::int64_t tokens, weights, c;

    template <class T>
    __device__ void move(FewRows<T>& p, const FewRowsPlace& place) const {
        const auto moved = [](auto* first, std::int64_t bytes) {
            return reinterpret_cast<decltype(first)>(reinterpret_cast<std::uintptr_t>(first) + bytes);
        };
        p.tokens.data = moved(p.tokens.data, place.tokens * tokens);
        p.weights.data = moved(p.weights.data, place.weights * weights);
        p.c.data = moved(p.c.data, place.c * c);
    }
};

template <class R, class T>
__global__ void __launch_bounds__(threads, 1)
    few_rows_async(const __grid_constant__ CUtensorMap weights, const __grid_constant__ CUtensorMap tokens,
                   FewRows<T> p, FewRowsBatch batch, Apart apart) {
    extern __shared__ __align__(128) char memory[];
    ptx::let_next_kernel_begin();
    const std::uint32_t base = ptx::shared_address(memory);
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const R ring{static_cast<int>(p.tokens.rows())};
    const Share share(p, R::PIECE);
    if (warp == warps && lane == 0) {
        ptx::prefetch_map(tokens);
        for (int box = share.first; gridDim.y == 1 && box < min(share.first + R::boxes, share.end); ++box)
            for (int piece = 0; piece < min(prefetched, share.pieces); ++piece)
                ptx::prefetch_box(weights, piece * (R::PIECE / 4), box * BN);
        for (int s = 0; s < R::STAGES; ++s) {
            ptx::init_barrier(R::full(base, s), 1);
            ptx::init_barrier(R::empty(base, s), warps_of_team);
        }
        ptx::publish_barriers();
    }
    __syncthreads();
    ptx::wait_for_kernel_before();
    const FewRowsPlace place = batch.of_block();
    if (warp == warps) {
        if (lane == 0) fetch(ring, weights, tokens, place, base, share);
        return;
    }
    apart.move(p, place);
    float* of_warps = reinterpret_cast<float*>(memory + sums_at);  // [warp][token][weight]
    const int team = warp / warps_of_team, row = lane / 4;
    const int along = warp % warps_of_team * (R::PIECE / warps_of_team) + lane % 4 * 16;
    Turn<R::STAGES> turn;
    for (int box = share.first; box < share.end; box += R::boxes) {
        const int count = min(R::boxes, share.end - box);
        float sums[R::boxes][R::groups][4] = {};
        for (int piece = 0; piece < share.pieces; ++piece, turn.next()) {
            if (turn.stage % teams != team) continue;
            ptx::wait_barrier(R::full(base, turn.stage), turn.parity);
            const char* at = memory + R::ring + turn.stage * ring.stage_bytes() + along;
            const auto vector = [&](int r, int v) {
                return *reinterpret_cast<const uint4*>(at + r * R::PIECE + v * 64);
            };
            uint4 of_tokens[R::groups][R::vectors];
#pragma unroll
            for (int g = 0; g < R::groups; ++g)
#pragma unroll
                for (int v = 0; v < R::vectors; ++v)
                    of_tokens[g][v] = vector(R::boxes * BN + min(row + 8 * g, ring.tokens - 1), v);
#pragma unroll
            for (int b = 0; b < R::boxes; ++b) {
                if (b >= count) break;
                float unit[R::groups][4] = {};
#pragma unroll
                for (int v = 0; v < R::vectors; ++v) {
                    const uint4 upper = vector(b * BN + row, v), lower = vector(b * BN + row + 8, v);
#pragma unroll
                    for (int g = 0; g < R::groups; ++g) multiply_16_bytes<T>(unit[g], upper, lower, of_tokens[g][v]);
                }
#pragma unroll
                for (int g = 0; g < R::groups; ++g)
#pragma unroll
                    for (int i = 0; i < 4; ++i) sums[b][g][i] += unit[g][i];
            }
            __syncwarp();
            if (lane == 0) ptx::arrive(R::empty(base, turn.stage));
        }
#pragma unroll
        for (int b = 0; b < R::boxes; ++b) {
            if (b >= count) break;
            ptx::sync_named(1, 32 * warps);  // the results before these have been read
#pragma unroll
            for (int g = 0; g < R::groups; ++g)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    of_warps[warp * R::results + (g * 8 + lane % 4 * 2 + i % 2) * BN + row + i / 2 * 8] = sums[b][g][i];
            ptx::sync_named(1, 32 * warps);
            if (const int x = static_cast<int>(threadIdx.x); x < R::results)
                complete<warps>(p, x / BN, (box + b) * BN + x % BN, of_warps + x, R::results);
        }
    }
}

template <class R, class T>
Status start(const FewRowsCall& few, const Matrix& rows) {
    const Call& call = few.call;
    const FewRows<T> p{tensor_of<const T>(call.a), tensor_of<const T>(rows), call.c, static_cast<float>(call.alpha),
                       static_cast<float>(call.beta)};
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t many = few.has_many();
    const auto boxes = [&](const Matrix& of, std::int64_t high, const Depth& depth) {
        return BoxedMatrix{of.data,  // in words of 4 bytes, whatever the type
                           Type::f32,
                           call.k() * size / 4,
                           of.rows,
                           of.row_step * size,
                           R::PIECE / 4,
                           static_cast<int>(high),
                           many * depth.extent,
                           depth.bytes};
    };
    CUtensorMap weights, tokens;
    if (const Status bad = describe(weights, boxes(rows, BN, few.of_weights())); !bad) return bad;
    if (const Status bad = describe(tokens, boxes(call.a, call.m(), few.of_tokens())); !bad) return bad;
    FewRowsBatch batch;
    if (const Status bad = few.place(batch); !bad) return bad;
    const auto shared = static_cast<std::size_t>(R{static_cast<int>(call.m())}.shared());
    const Launch how = few.launch_over(tiles_over(call.n(), BN), multiprocessors(), threads, shared);
    return launch(few_rows_async<R, T>, how, call.stream, weights, tokens, p, batch,
                  Apart{few.of_tokens().bytes, few.of_weights().bytes, few.c.bytes});
}

bool suits(const Matrix& m) {
    return m.col_step == 1 && suits_tma(m.data, m.row_step * static_cast<std::int64_t>(size_of(m.type)));
}

template <class T>
Status run(const Call& given, const Kernel& plainly) {
    const FewRowsCall few(given, most_tokens);
    const Matrix weights = few.call.b.transposed();
    if (!suits(few.call.a) || !suits(weights)) return plainly.run(given, {});
    return few.call.m() <= 8 ? start<Few, T>(few, weights) : start<More, T>(few, weights);
}

bool takes_batch(const Call& call) {
    const FewRowsCall few(call, most_tokens);
    return cuda::takes_batch(call) && few.fits && suits(few.call.a) && suits(few.call.b.transposed());
}

constexpr Batching batching{takes_batch, places_bytes};

bool takes(const Problem& p) { return has_few_rows(p) && p.k * static_cast<std::int64_t>(size_of(p.in)) % 4 == 0; }

double nanoseconds(const Problem& p, int) { return few::nanoseconds_along_k(p, multiprocessors_for_costs()); }

/// A warp's part of a piece inside the unit, then the steps of a warp, then the warps. Where rows do not suit TMA
///  the sums are few_rows's.
template <class T>
double sum_bound(std::int64_t k) {
    const auto of = [&](int piece) {
        const double of_step = static_cast<double>(piece / warps_of_team) / sizeof(T);
        const double units = sizeof(T) == 4 ? 3 * of_step / 8 : of_step / 8;
        return gamma(11 * units + 2 * static_cast<double>(k) / (of_step * warps) + 1 + warps + 2, unit_f32);
    };
    const double plain = (std::is_same_v<T, float> ? few_rows_f32 : few_rows_bf16).sum_bound(k);
    return std::max({of(Few::PIECE), of(More::PIECE), plain});
}

constexpr Tile tiles[] = {{most_tokens, BN, Few::PIECE}};

/// `plainly`: the same without TMA, for rows that do not suit it.
template <class T, const Kernel& plainly>
constexpr Kernel row(const char* name, Type in, Type out) {
    return {.name = name,
            .rung = Rung::none,
            .in = in,
            .out = out,
            .sum = Type::f32,
            .scheme = sizeof(T) == 4 ? &tf32x3 : &plain_f32,
            .needs = feature::sm90a,
            .tiles = tiles,
            .idea = "few rows, many weights: TMA streams 16 rows at a time, two teams of warps multiply by turns",
            .takes = takes,
            .sum_bound = sum_bound<T>,
            .nanoseconds = nanoseconds,
            .run = [](const Call& call, const Tile&) { return run<T>(call, plainly); },
            .batching = &batching};
}

}  // namespace

constinit const Kernel few_rows_async_f32 = row<float, few_rows_f32>("cuda.few_rows_async.f32", Type::f32, Type::f32);
constinit const Kernel few_rows_async_bf16 =
    row<__nv_bfloat16, few_rows_bf16>("cuda.few_rows_async.bf16", Type::bf16, Type::bf16);
constinit const Kernel few_rows_async_bf16_f32 =
    row<__nv_bfloat16, few_rows_bf16_f32>("cuda.few_rows_async.bf16.f32", Type::bf16, Type::f32);
constinit const Kernel few_rows_async_f16 = row<__half, few_rows_f16>("cuda.few_rows_async.f16", Type::f16, Type::f16);
constinit const Kernel few_rows_async_f16_f32 =
    row<__half, few_rows_f16_f32>("cuda.few_rows_async.f16.f32", Type::f16, Type::f32);

}  // namespace tw::cuda
