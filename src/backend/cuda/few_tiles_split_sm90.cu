// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_tiles_split: few_tiles_sliced by the matrix unit. Each of eight warps has a block's whole tile over its own slice
// of k; what it copies it cuts into two parts of tf32 on the way to registers, and needs no pass before the product.
//
//      k:  0..7  8..15  ...  56..63  64..71  ...            w0   w1   w2   w3   w4 ... w7
//        +------+------+---+-------+-------+                  \ /       \ /       .
//      A |  w0  |  w1  |   |  w7   |  w0   |       ->          +         +        .     ->  tile of C
//        +------+------+---+-------+-------+                     \     /          .
//          small * large + large * small + large * large           +
//
// The unit truncates its sums: it adds up 8 of k by itself, and these are added in f32. A sum that is not finite is
// made again, plainly. The order follows from k alone: the bits are the same in every tile, and in a batch.
// Needs: sm_90a; operands as they lie. 3 (tf32: 1) times 2mnk flops by mma.sync, and BM + BN words of each k from L2.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/from_slices.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/heuristics_sm90.hpp"
#include "backend/cuda/tiles/split_slice.cuh"

namespace tw::cuda {
namespace {

using namespace split_slice;

template <class S, int products, bool a_along, bool b_along>
__global__ void __launch_bounds__(S::threads, S::blocks)
    few_tiles_split(Product<float> p, sliced::Ending ending, TileGrid grid, Places places, bool a_by_16, bool b_by_16) {
    extern __shared__ __align__(16) char memory[];
    const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    const int first_row = grid.row() * S::BM, first_col = grid.col() * S::BN;
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();  // it may write the operands, and the addresses of a batch
    const Layout &al = p.a.layout, &bl = p.b.layout;
    Slice<a_along, S::BM> a(places.a(p.a.data), al.col_step, al.row_step, al.cols, first_row, al.rows, a_by_16, warp,
                            lane);
    Slice<b_along, S::BN> b(places.b(p.b.data), bl.row_step, bl.col_step, bl.rows, first_col, bl.cols, b_by_16, warp,
                            lane);
    const std::uint32_t base = ptx::shared_address(memory), own_ring = base + warp * S::ring_bytes;
    const int chunks = (static_cast<int>(p.k()) + BK - 1) / BK, own = (chunks + warps - 1 - warp) / warps;
    float sums[S::BM / 16][S::BN / 8][4] = {};
    const auto stage_of = [&](int chunk) { return own_ring + chunk % S::STAGES * S::stage_bytes; };
    const auto fill = [&](int chunk) {
        if (chunk < own) a.fill(stage_of(chunk)), b.fill(stage_of(chunk) + BK * S::BM * 4);
        ptx::commit_copies();
    };
#pragma unroll
    for (int s = 0; s < S::STAGES - 1; ++s) fill(s);
#pragma unroll 1
    for (int chunk = 0; chunk < own; ++chunk) {
        ptx::wait_for_copies<S::STAGES - 2>();
        __syncwarp();  // all lanes' copies are here, and what the free stage held is read
        fill(chunk + S::STAGES - 1);
        multiply<S, products, a_along, b_along>(sums, stage_of(chunk), stage_of(chunk) + BK * S::BM * 4, lane);
    }
    ptx::wait_for_copies<0>();

    __syncthreads();  // the rings are read: sums may lie there
    const std::uint32_t mine = base + warp * S::sums_bytes + (lane / 4 * S::c_pitch + lane % 4 * 2) * 4;
#pragma unroll
    for (int i = 0; i < S::BM / 16; ++i)
#pragma unroll
        for (int j = 0; j < S::BN / 8; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half)
                ptx::store_pair(mine + ((i * 16 + half * 8) * S::c_pitch + j * 8) * 4, sums[i][j][2 * half],
                                sums[i][j][2 * half + 1]);
    move_to_product(ending.out, places);
    sliced::finish<S>(ending, base, first_row, first_col, [&](float sum, int i, int j) {
        if (isfinite(sum)) return sum;
        Product<float> own = p;
        own.a.data = places.a(p.a.data), own.b.data = places.b(p.b.data);
        sum = 0;
#pragma unroll 1
        for (std::int64_t k = 0; k < p.k(); ++k) sum = fmaf(own.a(i, k), own.b(k, j), sum);
        return sum;
    });
}

/// Of every product: 16 bytes at once reach all rows, along k or across it.
bool lies_by_16(const BatchedOperand& operand, std::int64_t k_step, std::int64_t other_step) {
    return operand.address_bits() % 16 == 0 && (k_step == 1 ? other_step : k_step) % 4 == 0;
}

template <class S, int products>
Status start(const Call& call) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const std::int64_t a_step = call.a.col_step, b_step = call.b.row_step;
    const bool c_by_4 = call.epilogue.is_empty() && call.c.col_step == 1 && call.c.row_step % 4 == 0 &&
                        call.n() % 4 == 0 && c_of(call).address_bits() % 16 == 0;
    const auto [grid, blocks] = tiling(call, S::BM, S::BN);
    const auto with = [&](const auto& kernel) {
        return launch(kernel,
                      {.blocks = blocks,
                       .threads = S::threads,
                       .shared = S::shared,
                       .products = static_cast<unsigned>(products_of(call)),
                       .overlaps = true},
                      call.stream, product_of<float>(call), sliced::Ending{output_of(call), c_by_4}, grid, places,
                      lies_by_16(a_of(call), a_step, call.a.row_step), lies_by_16(b_of(call), b_step, call.b.col_step));
    };
    if (a_step == 1)
        return b_step == 1 ? with(few_tiles_split<S, products, true, true>)
                           : with(few_tiles_split<S, products, true, false>);
    return b_step == 1 ? with(few_tiles_split<S, products, false, true>)
                       : with(few_tiles_split<S, products, false, false>);
}

/// Three products leave no registers for 64 columns.
template <int products>
using Large = Shape<64, products == 1 ? 64 : 32, 1>;
using Small = Shape<32, 32, 2>;

/// A tile, how many a multiprocessor has at a time, the nanoseconds of a step of k, of one that is alone there and of
/// each of several, and of a wave's beginning and end. An H100 took 312 us for 2048 x 128 x 2048, 12 times, 320 for
/// 512 x 512 x 64, 128 times, 38 for 477 x 705 x 1397 and 8.3 for 472 cubed; of tf32 153 for 41323 x 36 x 1523, 5.4 for
/// 320 cubed and 6.5 for 472. Where rows start anywhere, a fourth more.
struct Pace {
    Tile tile;
    int at_once;
    double alone, of_many, around;
};
template <int products>
constexpr Pace paces[] = {{{64, Large<products>::BN, BK}, 1, products == 1 ? 16 : 14, products == 1 ? 16 : 12.7, 2400},
                          {{32, 32, BK}, 2, products == 1 ? 6 : 9, products == 1 ? 4.8 : 5.7, 1800}};

double time_of(const Pace& pace, const sm90::Sizes& s) {
    constexpr double around = 3500;
    const std::int64_t tiles = s.tiles(pace.tile.m, pace.tile.n);
    const auto k = static_cast<double>(s.k),
               waves = static_cast<double>(tiles_over(tiles, s.multiprocessors * pace.at_once));
    if (tiles <= s.multiprocessors) return around + pace.alone * k;
    return around + waves * (pace.at_once * pace.of_many * k + pace.around) - pace.around;
}
template <int products>
const Pace& quickest(const sm90::Sizes& s) {
    const Pace *const large = paces<products>, *const small = large + 1;
    return time_of(*small, s) < time_of(*large, s) ? *small : *large;
}

template <int products>
Status run(const Call& call, const Tile& asked) {
    return with_epilogue(call, [&](const Call& one) {
        const Tile tile = asked == Tile{} ? quickest<products>(sm90::sizes_of(one)).tile : asked;
        return tile.m == 64 ? start<Large<products>, products>(one) : start<Small, products>(one);
    });
}

/// A warp's own 8 of k inside the unit: 9 errors of 2^-25 and one of 2^-23 a product; then its chain of them, the tree,
/// and alpha and beta. Of tf32 the chain is the unit's.
template <int products>
double sum_bound(std::int64_t k) {
    const auto chain = static_cast<double>((k + warps * BK - 1) / (warps * BK));
    return gamma(products == 1 ? 6.5 * chain + 5 : 6.5 * products + chain + 5, unit_f32);
}

template <int products>
double nanoseconds(const Problem& p, int) {
    const sm90::Sizes sizes{p.m, p.n, p.k, 1, static_cast<int>(multiprocessors_for_costs())};
    return time_of(quickest<products>(sizes), sizes);
}

constexpr Batching batching{takes_batch, places_bytes};
template <int products>
constexpr Tile tiles[] = {{}, paces<products>[0].tile, paces<products>[1].tile};

template <int products>
constexpr Kernel row(const char* name, const Scheme& scheme) {
    return {
        .name = name,
        .rung = Rung::none,
        .in = Type::f32,
        .out = Type::f32,
        .sum = Type::f32,
        .scheme = &scheme,
        .needs = feature::sm90a,
        .tiles = tiles<products>,
        .fuses_epilogue = true,
        .idea = "small products by the matrix unit: each warp cuts its own slice of k into parts of tf32 as it comes",
        .takes = [](const Problem& p) { return fits_ints(p) && p.a != Form::strided && p.b != Form::strided; },
        .sum_bound = sum_bound<products>,
        .nanoseconds = nanoseconds<products>,
        .run = run<products>,
        .batching = &batching};
}

}  // namespace

constinit const Kernel few_tiles_split_f32 = row<3>("cuda.few_tiles_split.f32.tf32x3", tf32x3);
constinit const Kernel few_tiles_split_tf32 = row<1>("cuda.few_tiles_split.f32.tf32x1", tf32x1);

}  // namespace tw::cuda
