// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_tiles_sliced: small products of f32 by FMA. A warp has a block's whole tile, over a slice of k that it copies by
// itself, so that eight warps hide each other's waits without a barrier, and read shared memory less than warps with a
// part of the tile each. At the end their sums are added by a tree of pairs.
//
//      k:  0..7  8..15  ...  56..63  64..71  ...            w0   w1   w2   w3   w4 ... w7
//        +------+------+---+-------+-------+                  \ /       \ /       .
//      A |  w0  |  w1  |   |  w7   |  w0   |       ->          +         +        .     ->  tile of C
//        +------+------+---+-------+-------+                     \     /          .
//
// Where there are few tiles of a long k, the blocks of a cluster share it (few/sliced_together_sm90.cu). The order
// follows from the shape alone: the bits are the same in every tile, and in a batch. Needs: sm_90a. 2mnk flops, and 6
// loads of 16 bytes from shared memory for 128 products a lane of the largest tile.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/few/sliced_together.hpp"
#include "backend/cuda/heuristics_parts.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/heuristics_sliced.hpp"
#include "backend/cuda/tiles/sliced_tile.cuh"

namespace tw::cuda {
namespace {

using namespace sliced;

/// by_4: C is read and written 16 bytes at a time, with alpha and beta alone.
struct Ending {
    Output out;
    bool by_4;
};

template <class S>
__device__ void finish_by_4(const Output& out, std::uint32_t base, int first_row, int first_col) {
    constexpr int across = S::BN / 4, each = S::BM * across / threads;
    float4 before[each] = {};
    const auto place = [&](int e, int& i, int& j) {
        const int x = static_cast<int>(threadIdx.x) + e * threads;
        i = x / across, j = x % across * 4;
        return first_row + i < out.rows && first_col + j < out.cols;
    };
    const auto at = [&](int i, int j) {
        return reinterpret_cast<float4*>(static_cast<float*>(out.data) + (first_row + i) * out.row_step + first_col +
                                         j);
    };
    int i, j;
    if (out.beta != 0)
#pragma unroll
        for (int e = 0; e < each; ++e)
            if (place(e, i, j)) before[e] = *at(i, j);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < each; ++e) {
        if (!place(e, i, j)) continue;
        float4 of[warps];
#pragma unroll
        for (int w = 0; w < warps; ++w) of[w] = ptx::load_4(base + w * S::sums_bytes + (i * S::c_pitch + j) * 4);
        const auto one = [&](float float4::* x) {
            float all[warps];
#pragma unroll
            for (int w = 0; w < warps; ++w) all[w] = of[w].*x;
            const float sum = __fmul_rn(tree(all), out.alpha);
            return out.beta == 0 ? sum : fmaf(out.beta, before[e].*x, sum);
        };
        *at(i, j) = {one(&float4::x), one(&float4::y), one(&float4::z), one(&float4::w)};
    }
}

template <class S>
__device__ void finish_by_1(const Output& out, std::uint32_t base, int first_row, int first_col) {
    __syncthreads();
    const bool down = out.col_step != 1;
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < S::BM * S::BN; x += threads) {
        const int i = down ? x % S::BM : x / S::BN, j = down ? x / S::BM : x % S::BN;
        if (first_row + i >= out.rows || first_col + j >= out.cols) continue;
        float all[warps];
#pragma unroll
        for (int w = 0; w < warps; ++w) all[w] = ptx::load_float(base + w * S::sums_bytes + (i * S::c_pitch + j) * 4);
        finish_element<float, float>(tree(all), out, first_row + i, first_col + j, false);
    }
}

template <class S, bool a_by_4, bool b_by_4>
__global__ void __launch_bounds__(threads, S::blocks)
    few_tiles_sliced(Product<float> p, Ending ending, TileGrid grid, Places places) {
    extern __shared__ __align__(16) char memory[];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int first_row = grid.row() * S::BM, first_col = grid.col() * S::BN;
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();  // it may write the operands, and the addresses of a batch
    const Layout &al = p.a.layout, &bl = p.b.layout;
    Slice<a_by_4, S::BM, S::a_pitch> a(places.a(p.a.data), al.col_step, al.row_step, al.cols, first_row, al.rows, warp,
                                       lane);
    Slice<b_by_4, S::BN, S::b_pitch> b(places.b(p.b.data), bl.row_step, bl.col_step, bl.rows, first_col, bl.cols, warp,
                                       lane);
    const std::uint32_t base = ptx::shared_address(memory);
    const int chunks = (static_cast<int>(p.k()) + BK - 1) / BK, own = (chunks + warps - 1 - warp) / warps;
    float sums[S::TM][S::TN] = {};
    multiply<S>(sums, a, b, own, base + warp * S::ring_bytes, lane);

    __syncthreads();  // the rings are read: sums may lie there
    leave_sums<S>(memory, sums, warp, lane);
    move_to_product(ending.out, places);
    if (ending.by_4) finish_by_4<S>(ending.out, base, first_row, first_col);
    else finish_by_1<S>(ending.out, base, first_row, first_col);
}

template <class S>
Status start(const Call& call) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const By4 by_4(call);
    const auto [grid, blocks] = tiling(call, S::BM, S::BN);
    const auto with = [&](const auto& kernel) {
        return launch(kernel,
                      {.blocks = blocks,
                       .threads = threads,
                       .shared = S::shared,
                       .products = static_cast<unsigned>(products_of(call)),
                       .overlaps = true},
                      call.stream, product_of<float>(call), Ending{output_of(call), by_4.c}, grid, places);
    };
    if (by_4.a) return by_4.b ? with(few_tiles_sliced<S, true, true>) : with(few_tiles_sliced<S, true, false>);
    return by_4.b ? with(few_tiles_sliced<S, false, true>) : with(few_tiles_sliced<S, false, false>);
}

/// Products that may be many have k whole.
Way way_for(std::int64_t m, std::int64_t n, std::int64_t k) {
    const sm90::Sizes sizes{m, n, k, 1, parts::chip};
    return parts::may_be_many(m, n, k) ? Way{&quickest(sizes), 1} : way_of(sizes);
}

Status run(const Call& call, const Tile& asked) {
    return with_epilogue(call, [&](const Call& one) {
        const Way way = way_for(one.m(), one.n(), one.k());
        // few_tiles' parts are whole, and what was asked for is.
        if (way.ranks > 1 && !one.reproducible && asked == Tile{}) return run_together(one, way);
        const Tile tile = asked == Tile{} ? quickest(sm90::sizes_of(one)).tile : asked;
        return tile.m == 64 ? start<Large>(one) : start<Small>(one);
    });
}

/// A warp's chain, the tree, and alpha and beta.
double sum_bound(std::int64_t k) {
    const std::int64_t of_all = warps * BK, chain = (k + of_all - 1) / of_all * BK;
    return gamma(static_cast<double>(std::min(chain, k)) + 5, unit_f32);
}

/// A block that is alone on its multiprocessor has nobody to hide its beginning and end: many products of a short k,
/// which have the bits of each alone, are r7's (128 x 128 x 64, 165 times, took 25 us; cuBLAS 18).
constexpr double around_of_many = 4000;
/// Few rows or columns fill a half of r7's tiles or less (16 x 128 x 128, 62 times: 4.3 us, r7 6.5; 16 x 96 x 192, 71
/// times: 5.6 and 12.5; 256 x 32 x 192, 282 times: 49 and 57; but 32 x 512 x 64, 128 times: 23 and 19).
constexpr bool is_narrow(const Problem& p) {
    const std::int64_t narrow = std::min(p.m, p.n);
    return narrow <= 16 || (narrow <= 32 && p.k > 64);
}

/// Other sides are of one product as a rule (439 x 37 x 397 NT: 6.6 us, r7 9.2; 1067 x 209 x 68 4.2 and 5.7).
constexpr bool are_fours(const Problem& p) { return p.m % 4 == 0 && p.n % 4 == 0 && p.k % 4 == 0; }

/// Few blocks of a short k begin and end sooner than a wave of them: 76 x 42 x 418 takes 6.2 us, 320 cubed 7.5.
double spared(const sm90::Sizes& s) {
    const auto tiles = static_cast<double>(s.tiles(Small::BM, Small::BN));
    return s.k <= 512 ? std::max(0., 2000 - 1200 * tiles / s.multiprocessors) : 0;
}

double nanoseconds(const Problem& p, int) {
    const sm90::Sizes sizes{p.m, p.n, p.k, 1, static_cast<int>(multiprocessors_for_costs())};
    const Way way = way_for(p.m, p.n, p.k);
    if (way.ranks > 1) return time_of(*way.pace, sizes, way.ranks);
    const bool is_left = parts::may_be_many(p.m, p.n, p.k) && are_fours(p) && !is_narrow(p);
    return time_of(quickest(sizes), sizes) - spared(sizes) + (is_left ? around_of_many : 0);
}

constexpr Batching batching{takes_batch, places_bytes};
constexpr Tile tiles[] = {{}, {64, 64, BK}, {32, 32, BK}};

}  // namespace

constinit const Kernel few_tiles_sliced_f32{
    .name = "cuda.few_tiles_sliced.f32",
    .rung = Rung::none,
    .in = Type::f32,
    .out = Type::f32,
    .sum = Type::f32,
    .scheme = &plain_f32,
    .needs = feature::sm90a,
    .tiles = tiles,
    .fuses_epilogue = true,
    .idea = "small products: each warp of a block has the whole tile over a slice of k, and waits for no other",
    .takes = [](const Problem& p) { return fits_ints(p) && p.a != Form::strided && p.b != Form::strided; },
    .sum_bound = sum_bound,
    .nanoseconds = nanoseconds,
    .run = run,
    .batching = &batching,
};

}  // namespace tw::cuda
