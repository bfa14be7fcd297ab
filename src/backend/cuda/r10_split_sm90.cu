// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r10_split: f32 answers from products of 16-bit parts. Rows are scaled by powers of two and cut into parts
// (split.hpp); r9's ring then feeds the matrix unit with every pair of parts that counts, smallest first:
//
//    a stage of A     a stage of B        fp16x3: 6 products of 16 k       every `period` of k:
//   [ hi  | lo  ] x  [ hi  | lo  ]   ->   lo*hi, hi*lo, hi*hi      ->      sum += accumulator (in f32, rounded)
//
// The unit truncates when it adds, so its accumulator alone would lose 3.5e-9 of the result for each of k; adding it
// to a sum in registers every 128 of k (64 of short ones) stops that below a plain f32 product's own error.
// Needs: sm_90a. 3 (6, 1) times 2mnk flops at 16 times the rate of f32, and one pass over the operands.
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/heuristics_split.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/split/product.cuh"
#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda {
namespace {

template <class P, Parts parts>
__global__ void __launch_bounds__(P::threads, 1)
    split_product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                  const __grid_constant__ CUtensorMap c, ScaledOutput out, LateRows late, Raster raster, int steps,
                  int period) {
    extern __shared__ char memory[];
    const P pipe(memory);
    pipe.init(a, b, c);
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();

    constexpr int left = producer_registers<parts>;
    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    if (group == 0) {
        ptx::give_registers<left>();
        feed<P, parts>(pipe, a, b, late, raster, steps, thread);
    } else {
        ptx::take_registers<(504 - left) / 2>();
        constexpr bool promoted = is_promoted<parts>;
        const int consumer = group - 1, rank = P::rank(), clusters = static_cast<int>(gridDim.x) / P::CLUSTER;
        float accumulator[P::BN / 2], sums[promoted ? P::BN / 2 : 1];
        Notes<P::BN> notes;
        Turn<P::STAGES> turn;
        for (int tile = static_cast<int>(blockIdx.x) / P::CLUSTER; tile < raster.count(); tile += clusters) {
            int row, col;
            raster.place(tile, row, col);
            const int first_row = (row * P::CLUSTER + rank) * P::BM + consumer * 64, first_col = col * P::BN;
            sum_stages<P, parts>(accumulator, sums, pipe, turn, steps, period, consumer, thread,
                                 [&] { notes.fetch(out, first_row, first_col, thread); });
            if (tile + clusters >= raster.count()) P::arrive_all();
            using Places = Staging<P::BN>;
            const std::uint32_t buffers = pipe.base + P::staging + consumer * Places::boxes;
            const std::uint32_t columns = pipe.base + P::staging + 2 * Places::boxes + consumer * Places::of_columns;
            const auto finish = [&](auto& result) {
                finish_scaled<P::BN, Places::row_bytes, Places::ring, parts>(result, notes, out, c, buffers, columns,
                                                                             first_row, first_col, consumer, thread);
            };
            if constexpr (promoted) finish(sums);
            else finish(accumulator);
        }
        if (thread % 32 == 0) ptx::wait_for_reads_of_stores<0>();
    }
    P::wait_for_all();
}

template <int BN, int STAGES, int CLUSTER, int PARTS = 1>
using Shape = Pipeline<128, BN, STAGES, CLUSTER, 2 * Staging<BN>::of_consumer, PARTS>;
using Wide = Shape<192, 5, 2>;
using Even = Shape<176, 5, 2>;
using Square = Shape<128, 6, 1>;

template <class P, Parts parts>
Status start_fused(const Call& call) {
    SplitProduct<P, parts> product(call, 1);
    if (const Status bad = product.begin(call.stream); !bad) return bad;
    CUtensorMap c_map{};
    // The widest tiles store by themselves: five stages leave room for boxes of 64 bytes alone, which gained nothing at
    // 8192.
    const bool by_box =
        P::BN != Wide::BN && call.c.col_step == 1 && call.n() % 4 == 0 && suits_tma(call.c.data, call.c.row_step * 4);
    const BoxedMatrix c_boxes{
        call.c.data, Type::f32, call.n(), call.m(), call.c.row_step * 4, Staging<P::BN>::row_bytes / 4, 16};
    if (const Status bad = by_box ? describe(c_map, c_boxes) : Status{}; !bad) return bad;
    product.out.by_box = by_box;
    return launch(split_product<P, parts>, product.how(), call.stream, product.a_map, product.b_map, c_map, product.out,
                  product.late, product.raster, product.steps, product.period);
}

template <class P, Parts parts>
Status start(const Call& call) {
    return with_epilogue(call, start_fused<P, parts>);
}

Status run_fp16x3(const Call& call, const Tile& tile) {
    const int columns = tile == Tile{} ? sm90::r10_fp16x3_columns(sm90::sizes_of(call)) : tile.n;
    if (columns == Wide::BN) return start<Wide, Parts::fp16x3>(call);
    return columns == Even::BN ? start<Even, Parts::fp16x3>(call) : start<Square, Parts::fp16x3>(call);
}
Status run_fp16x1(const Call& call, const Tile& tile) {
    const int columns = tile == Tile{} ? sm90::r10_fp16x1_columns(sm90::sizes_of(call)) : tile.n;
    return columns == 256 ? start<Shape<256, 4, 2>, Parts::fp16x1>(call) : start<Shape<128, 6, 2>, Parts::fp16x1>(call);
}
Status run_bf16x6(const Call& call, const Tile&) { return start<Shape<176, 3, 2, 3>, Parts::bf16x6>(call); }

/// `products` steps of the unit for each 16 of k up to the period, then one rounded addition a period.
template <int products, int usual_period>
double promoted_bound(std::int64_t k) {
    const double period = k <= 2048 ? 64 : usual_period, all = static_cast<double>(k);
    const double inside = 10.5 * products * ((all < period ? all : period) + 15) / 16;
    return gamma(inside + all / period + 4, unit_f32);
}

constexpr Tile three_tiles[] = {{}, {128, 192, 32}, {128, 176, 32}, {128, 128, 32}};
constexpr Tile one_tiles[] = {{}, {128, 256, 64}, {128, 128, 64}};
constexpr Tile six_tiles[] = {{128, 176, 32}};

template <Parts parts, int tera>
constexpr Kernel row(const char* name, const Scheme& scheme, std::span<const Tile> tiles,
                     decltype(Kernel::sum_bound) sum_bound, decltype(Kernel::run) run, const char* idea) {
    return {.name = name,
            .rung = Rung::split,
            .in = Type::f32,
            .out = Type::f32,
            .sum = Type::f32,
            .scheme = &scheme,
            .needs = feature::sm90a,
            .tiles = tiles,
            .fuses_epilogue = true,
            .idea = idea,
            .takes = [](const Problem& p) { return fits_ints(p) && p.k < longest_row; },
            .sum_bound = sum_bound,
            .nanoseconds = [](const Problem& p, int) { return split_nanoseconds(p, tera); },
            .scratch_bytes = [](const Problem& p, const Tile&,
                                int) { return SplitScratch(parts, nullptr, p.m, p.n, p.k).bytes; },
            .run = run,
            .order = split_order + static_cast<int>(parts)};
}

}  // namespace

constinit const Kernel r10_split_fp16x3 = row<Parts::fp16x3, 225>(
    "cuda.r10_split.f32.fp16x3", fp16x3, three_tiles, promoted_bound<3, 128>, run_fp16x3,
    "f32 rows scaled and cut into two fp16 parts: three products, added up in f32 every 128 of k");
constinit const Kernel r10_split_bf16x6 = row<Parts::bf16x6, 115>(
    "cuda.r10_split.f32.bf16x6", bf16x6, six_tiles, promoted_bound<6, 64>, run_bf16x6,
    "f32 cut into three bf16 parts: six products, added up in f32 every 64 of k, and no range lost");
constinit const Kernel r10_split_fp16x1 =
    row<Parts::fp16x1, 560>("cuda.r10_split.f32.fp16x1", fp16x1, one_tiles, matrix_unit_sum_bound, run_fp16x1,
                            "f32 rows scaled and rounded to fp16: one product, as exact as tf32");

}  // namespace tw::cuda
