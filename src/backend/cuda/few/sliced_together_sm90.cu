// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Few tiles of a long k. The blocks of a cluster have as much of it each, and cut that as few_tiles_sliced does; a
// block adds what its warps have, then a part of the tile over all blocks, out of their shared memory.
//
//      k:  0 ..... 191 | 192 .... 383 | 384 ...            block 0   block 1   block 2   block 3
//        +-------------+--------------+------+               sums      sums      sums      sums
//      A |   block 0   |   block 1    |  ..  |      ->     rows 0 to 15 of all of them: block 0's part of C,
//        | w0 .. w7    | w0 .. w7     |      |             rows 16 to 31: block 1's, ...
//        +-------------+--------------+------+
//
// The order follows from the shape alone. Needs: sm_90a. 2mnk flops.
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/few/sliced_together.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/sliced_tile.cuh"

namespace tw::cuda::sliced {
namespace {

constexpr int most_ranks = 8;

/// Blocks of a cluster, which have so much of k each.
struct Ranks {
    int count, length;
};

/// What the block's warps have, to where the first one's is. A thread reads and writes elements of its own.
template <class S>
__device__ void add_warps(float* sums) {
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < S::BM * S::BN; x += threads) {
        float* const at = sums + x / S::BN * S::c_pitch + x % S::BN;
        float all[warps];
#pragma unroll
        for (int w = 0; w < warps; ++w) all[w] = at[w * (S::sums_bytes / 4)];
        *at = tree(all);
    }
}

/// A block's part of the tile, 4 columns at a time.
template <class S>
__device__ void finish(const Output& out, bool by_4, std::uint32_t sums, int rank, int ranks, int first_row,
                       int first_col) {
    constexpr int across = S::BN / 4;
#pragma unroll 1
    for (int x = rank * threads + static_cast<int>(threadIdx.x); x < S::BM * across; x += ranks * threads) {
        const int i = x / across, j = x % across * 4;
        if (first_row + i >= out.rows || first_col + j >= out.cols) continue;
        std::uint32_t of[most_ranks][4] = {};
#pragma unroll
        for (int r = 0; r < most_ranks; ++r)
            if (r < ranks) ptx::read_in(sums + (i * S::c_pitch + j) * 4, r, of[r]);
        float sum[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            float all[most_ranks];
#pragma unroll
            for (int r = 0; r < most_ranks; ++r) all[r] = __uint_as_float(of[r][e]);
            sum[e] = tree(all);
        }
        if (by_4) {
            auto* const at = reinterpret_cast<float4*>(static_cast<float*>(out.data) + (first_row + i) * out.row_step +
                                                       first_col + j);
            const float4 before = out.beta != 0 ? *at : float4{};
            const auto one = [&](float x, float old) {
                const float scaled = __fmul_rn(x, out.alpha);
                return out.beta == 0 ? scaled : fmaf(out.beta, old, scaled);
            };
            *at = {one(sum[0], before.x), one(sum[1], before.y), one(sum[2], before.z), one(sum[3], before.w)};
            continue;
        }
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (first_col + j + e < out.cols)
                finish_element<float, float>(sum[e], out, first_row + i, first_col + j + e, false);
    }
}

template <class S, bool a_by_4, bool b_by_4>
__global__ void __launch_bounds__(threads, S::blocks)
    few_tiles_together(Product<float> p, Output out, bool c_by_4, TileGrid grid, Ranks ranks, Places places) {
    extern __shared__ __align__(16) char memory[];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int rank = static_cast<int>(blockIdx.x) % ranks.count, tile = static_cast<int>(blockIdx.x) / ranks.count;
    const int first_row = tile / grid.across * S::BM, first_col = tile % grid.across * S::BN;
    const int from = rank * ranks.length, k = min(ranks.length, static_cast<int>(p.k()) - from);
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();  // it may write the operands, and the addresses of a batch
    const Layout &al = p.a.layout, &bl = p.b.layout;
    Slice<a_by_4, S::BM, S::a_pitch> a(places.a(p.a.data) + from * al.col_step, al.col_step, al.row_step, k, first_row,
                                       al.rows, warp, lane);
    Slice<b_by_4, S::BN, S::b_pitch> b(places.b(p.b.data) + from * bl.row_step, bl.row_step, bl.col_step, k, first_col,
                                       bl.cols, warp, lane);
    const std::uint32_t base = ptx::shared_address(memory);
    const int chunks = max(0, k + BK - 1) / BK, own = (chunks + warps - 1 - warp) / warps;  // the last may have no k
    float sums[S::TM][S::TN] = {};
    multiply<S>(sums, a, b, own, base + warp * S::ring_bytes, lane);

    __syncthreads();  // the rings are read: sums may lie there
    leave_sums<S>(memory, sums, warp, lane);
    move_to_product(out, places);
    __syncthreads();
    add_warps<S>(reinterpret_cast<float*>(memory));
    ptx::sync_ranks<most_ranks>();
    finish<S>(out, c_by_4, base, rank, ranks.count, first_row, first_col);
    ptx::sync_ranks<most_ranks>();  // others read what is here
}

template <class S>
Status start(const Call& call, int count) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const By4 by_4(call);
    const auto [grid, blocks] = tiling(call, S::BM, S::BN);
    const Ranks ranks{count, static_cast<int>(length_of_rank(call.k(), count))};
    const auto with = [&](const auto& kernel) {
        return launch(kernel,
                      {.blocks = blocks * static_cast<unsigned>(count),
                       .threads = threads,
                       .shared = S::shared,
                       .cluster = static_cast<unsigned>(count),
                       .products = static_cast<unsigned>(products_of(call)),
                       .overlaps = true},
                      call.stream, product_of<float>(call), output_of(call), by_4.c, grid, ranks, places);
    };
    if (by_4.a) return by_4.b ? with(few_tiles_together<S, true, true>) : with(few_tiles_together<S, true, false>);
    return by_4.b ? with(few_tiles_together<S, false, true>) : with(few_tiles_together<S, false, false>);
}

}  // namespace

Status run_together(const Call& call, const Way& way) {
    return way.pace->tile.m == 64 ? start<Large>(call, way.ranks) : start<Small>(call, way.ranks);
}

}  // namespace tw::cuda::sliced
