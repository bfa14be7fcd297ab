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
#include "backend/cuda/heuristics_few_rows.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/tiles/few_rows.cuh"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {
namespace {

constexpr int teams = 2, warps_of_team = 8, warps = teams * warps_of_team, threads = 32 * (warps + 1);
constexpr int BN = 16;         // rows of weights of one box
constexpr int prefetched = 6;  // pieces
constexpr int sums_at = 128;   // behind the barriers

/// groups: times 8 rows of A. boxes: of weights, in a stage, which share what is read of A.
template <int groups_, int boxes_, int PIECE_, int STAGES_>
struct Ring {
    static constexpr int groups = groups_, boxes = boxes_, PIECE = PIECE_, STAGES = STAGES_;
    static constexpr int vectors = PIECE / (64 * warps_of_team);  // of 16 bytes of each row, to a lane
    static constexpr int results = groups * 8 * BN, ring = sums_at + warps * results * 4;
    static_assert(STAGES % teams == 0,
                  "a stage's team never changes: one that comes twice could pass by a copy on its way");
    static_assert(16 * STAGES <= sums_at);

    int tokens;
    __host__ __device__ int stage_bytes() const { return (boxes * BN + tokens) * PIECE; }
    __host__ __device__ int shared() const { return ring + STAGES * stage_bytes(); }
    __device__ static std::uint32_t full(std::uint32_t base, int stage) { return base + 8 * stage; }
    __device__ static std::uint32_t empty(std::uint32_t base, int stage) { return base + 8 * (STAGES + stage); }
};
using Few = Ring<1, 1, 1024, 6>;
using More = Ring<2, 2, 512, 8>;

/// A block's share of the boxes, and how k is cut.
struct Share {
    int first, end, pieces;

    template <class T>
    __device__ Share(const FewRows<T>& p, int piece_bytes) {
        const std::int64_t boxes = (p.weights.rows() + BN - 1) / BN, blocks = gridDim.x;
        first = static_cast<int>(boxes * blockIdx.x / blocks),
        end = static_cast<int>(boxes * (blockIdx.x + 1) / blocks);
        pieces = static_cast<int>((p.weights.cols() * std::int64_t{sizeof(T)} + piece_bytes - 1) / piece_bytes);
    }
};

/// All that the producer does.
template <class R>
__device__ void fetch(const R& ring, const CUtensorMap& weights, const CUtensorMap& tokens, std::uint32_t base,
                      const Share& share) {
    constexpr int words = R::PIECE / 4;
    const std::uint64_t once = ptx::leaves_l2_first();
    Turn<R::STAGES> turn;
    for (int box = share.first; box < share.end; box += R::boxes) {
        const int count = min(R::boxes, share.end - box), bytes = (count * BN + ring.tokens) * R::PIECE;
        for (int piece = 0; piece < share.pieces; ++piece, turn.next()) {
            const std::uint32_t to = base + R::ring + turn.stage * ring.stage_bytes(), full = R::full(base, turn.stage);
            ptx::wait_barrier(R::empty(base, turn.stage), turn.parity ^ 1);
            ptx::expect_bytes(full, bytes);
            for (int b = 0; b < count; ++b)
                ptx::load_box(to + b * BN * R::PIECE, weights, full, piece * words, (box + b) * BN, once);
            ptx::load_box(to + R::boxes * BN * R::PIECE, tokens, full, piece * words, 0);
        }
    }
}

template <class R, class T>
__global__ void __launch_bounds__(threads, 1) few_rows_async(const __grid_constant__ CUtensorMap weights,
                                                             const __grid_constant__ CUtensorMap tokens, FewRows<T> p) {
    extern __shared__ __align__(128) char memory[];
    ptx::let_next_kernel_begin();
    const std::uint32_t base = ptx::shared_address(memory);
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const R ring{static_cast<int>(p.tokens.rows())};
    const Share share(p, R::PIECE);
    if (warp == warps && lane == 0) {
        ptx::prefetch_map(tokens);
        for (int box = share.first; box < min(share.first + R::boxes, share.end); ++box)
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
    if (warp == warps) {
        if (lane == 0) fetch(ring, weights, tokens, base, share);
        return;
    }

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
Status start(const Call& call, const Matrix& rows) {
    const FewRows<T> p{tensor_of<const T>(call.a), tensor_of<const T>(rows), call.c, static_cast<float>(call.alpha),
                       static_cast<float>(call.beta)};
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const auto boxes = [&](const Matrix& of, std::int64_t high) {  // in words of 4 bytes, whatever the type
        return BoxedMatrix{
            of.data, Type::f32, call.k() * size / 4, of.rows, of.row_step * size, R::PIECE / 4, static_cast<int>(high)};
    };
    CUtensorMap weights, tokens;
    if (const Status bad = describe(weights, boxes(rows, BN)); !bad) return bad;
    if (const Status bad = describe(tokens, boxes(call.a, call.m())); !bad) return bad;
    const std::int64_t wanted = tiles_over(call.n(), BN), fit = multiprocessors();
    const auto blocks = static_cast<unsigned>(wanted < fit ? wanted : fit);
    const auto shared = static_cast<std::size_t>(R{static_cast<int>(call.m())}.shared());
    return launch(few_rows_async<R, T>, {.blocks = blocks, .threads = threads, .shared = shared, .overlaps = true},
                  call.stream, weights, tokens, p);
}

template <class T>
Status run(const Call& call, const Kernel& plainly) {
    if (call.m() > most_tokens) return run<T>(across(call), plainly);
    const Matrix weights = call.b.transposed();
    const auto suits = [](const Matrix& m) {
        return m.col_step == 1 && suits_tma(m.data, m.row_step * static_cast<std::int64_t>(sizeof(T)));
    };
    if (!suits(call.a) || !suits(weights)) return plainly.run(call, {});
    return call.m() <= 8 ? start<Few, T>(call, weights) : start<More, T>(call, weights);
}

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
            .run = [](const Call& call, const Tile&) { return run<T>(call, plainly); }};
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
