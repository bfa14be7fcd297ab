// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical: blocks of warps of threads. Shared memory is filled by asynchronous copies STAGES deep, and each
// warp reads the fragments of step k + 1 while it multiplies those of step k.
//
//   block BM x BN            warp WM x WN                   thread: TM x TN in groups of 4 x 4
//   +----+----+----+----+    +--+--+--+--+  4 x 8 lanes     ####  ####
//   | w0 | w1 | w2 | w3 |    |  |  |  |  |  each 4 rows     ####  ####   (the groups of a thread stand 16 rows and 32
//   +----+----+----+----+    +--+--+--+--+  by 4 columns    ####  ####   columns apart, so that a warp's 16-byte loads
//   | w4 | w5 | w6 | w7 |    |  |  |  |  |  at a time       ####  ####   are broadcasts and whole lines)
//   +----+----+----+----+    +--+--+--+--+                  ....  ....
//
// Needs: sm_80. 6 loads of 16 bytes for 128 products: at 8 x 8 a thread they would take as long as the products do,
// since an SM hands out 128 bytes of shared memory a cycle and has 128 multipliers. The register file behaves as
// if it gave two operands a cycle; a product has three, so they are made there and back: one is always the last one's.
#include <algorithm>

#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/few/little_tiles.hpp"
#include "backend/cuda/few/overlapped_rung.cuh"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/async_tile.cuh"
#include "backend/cuda/tiles/heuristics_hierarchical.hpp"
#include "backend/cuda/tiles/hierarchy_shape.cuh"
#include "backend/cuda/tiles/sums_to_c.cuh"

namespace tw::cuda {
namespace {

template <class S, Lie a_lie, Lie b_lie>
__global__ void __launch_bounds__(S::threads, S::blocks)
    hierarchical(Product<float> p, TileGrid grid, Fused fused, Places places) {
    extern __shared__ __align__(16) char stages[];
    const std::int64_t first_row = grid.row() * std::int64_t{S::BM}, first_col = grid.col() * std::int64_t{S::BN};
    if constexpr (S::begins_often) ptx::let_next_kernel_begin(), ptx::wait_for_kernel_before();
    const Layout &al = p.a.layout, &bl = p.b.layout;
    AsyncTile<a_lie, S::BK, S::BM, S::a_pitch, S::threads> a(places.a(p.a.data), al.col_step, al.row_step, al.cols,
                                                             first_row, al.rows);
    AsyncTile<b_lie, S::BK, S::BN, S::b_pitch, S::threads> b(places.b(p.b.data), bl.row_step, bl.col_step, bl.rows,
                                                             first_col, bl.cols);
    const std::uint32_t base = ptx::shared_address(stages), end = base + S::STAGES * S::stage_bytes;
    const int k_end = static_cast<int>(p.k());
    const auto fill = [&](std::uint32_t stage, int k) {
        if (!S::begins_often || k < k_end) a.fill(stage), b.fill(stage + S::BK * S::a_pitch * 4);
        ptx::commit_copies();
    };

    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    constexpr int warps_across = S::BN / S::WN;
    const int row = warp / warps_across * S::WM + lane / S::lanes_across * 4;
    const int col = warp % warps_across * S::WN + lane % S::lanes_across * 4;
    constexpr int rows_apart = S::lanes_down * 4, cols_apart = S::lanes_across * 4;

    constexpr int longer = S::TM > S::TN ? S::TM : S::TN, shorter = S::TM + S::TN - longer;
    float sums[S::TM][S::TN] = {};
    float down[2][S::TM], across[2][S::TN];
    const auto read = [&](int to, std::uint32_t stage, int q) {
        read_groups<S::TM / 4, rows_apart>(down[to], stage + (q * S::a_pitch + row) * 4);
        read_groups<S::TN / 4, cols_apart>(across[to], stage + (S::BK * S::a_pitch + q * S::b_pitch + col) * 4);
    };

#pragma unroll
    for (int s = 0; s < S::STAGES - 1; ++s) fill(base + s * S::stage_bytes, s * S::BK);
    ptx::wait_for_copies<S::STAGES - 2>();
    __syncthreads();
    read(0, base, 0);

    std::uint32_t stage = base, free_stage = base + (S::STAGES - 1) * S::stage_bytes;
    for (int k = 0; k < k_end; k += S::BK) {
        const std::uint32_t next = stage + S::stage_bytes == end ? base : stage + S::stage_bytes;
        fill(free_stage, k + (S::STAGES - 1) * S::BK);
#pragma unroll
        for (int q = 0; q < S::BK; ++q) {
            if (q + 1 == S::BK) {
                ptx::wait_for_copies<S::STAGES - 2>();
                __syncthreads();
            }
            read((q + 1) % 2, q + 1 == S::BK ? next : stage, (q + 1) % S::BK);
#pragma unroll
            for (int x = 0; x < longer; ++x)
#pragma unroll
                for (int t = 0; t < shorter; ++t) {
                    const int y = x % 2 ? shorter - 1 - t : t, i = S::TM > S::TN ? x : y, j = S::TM > S::TN ? y : x;
                    sums[i][j] += down[q % 2][i] * across[q % 2][j];
                }
        }
        free_stage = stage, stage = next;
    }

    p.c.data = places.c(p.c.data);
    if constexpr (S::begins_often) {
        // Through shared memory: from registers each store would write 4 bytes here and there, and wait for the
        // L2.
        ptx::wait_for_copies<0>();
        __syncthreads();
        float* const slice = reinterpret_cast<float*>(stages) + warp * S::slice_rows * S::slice_pitch;
        float* const own = slice + lane / S::lanes_across * 4 * S::slice_pitch + lane % S::lanes_across * 4;
#pragma unroll
        for (int g = 0; g < S::TM / 4; ++g) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < S::TN; j += 4) {
                    const float(&from)[S::TN] = sums[4 * g + i];
                    *reinterpret_cast<float4*>(own + i * S::slice_pitch + j / 4 * cols_apart) =
                        make_float4(from[j], from[j + 1], from[j + 2], from[j + 3]);
                }
            __syncwarp();
            store_slice<S::slice_rows, S::WN, S::slice_pitch>(
                p, slice, grid.row() * S::BM + warp / warps_across * S::WM + g * rows_apart,
                grid.col() * S::BN + warp % warps_across * S::WN);
            __syncwarp();
        }
    } else {
#pragma unroll
        for (int i = 0; i < S::TM; ++i)
#pragma unroll
            for (int j = 0; j < S::TN; j += 4) {
                const std::int64_t at = first_row + row + i / 4 * rows_apart + i % 4,
                                   across = first_col + col + j / 4 * cols_apart;
                const float(&of)[S::TN] = sums[i];
                if constexpr (S::store == Store::fours) {
                    store_four(p, at, across, make_float4(of[j], of[j + 1], of[j + 2], of[j + 3]));
                } else {
#pragma unroll
                    for (int c = 0; c < 4; ++c) p.store(at, across + c, of[j + c]);
                }
            }
    }

    // Another pass over the tile: from registers, a copy of the activations for each of a thread's sums would be
    // needed.
    if (fused.empty) return;
    __syncthreads();
    fused.residual = places.residual(fused.residual);
    const std::int64_t rows = p.c.rows(), cols = p.c.cols();
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < S::BM * S::BN; x += S::threads) {
        const std::int64_t i = first_row + x / S::BN, j = first_col + x % S::BN;
        if (i < rows && j < cols) p.c(i, j) = fused.of(p.c(i, j), i, j);
    }
}

Lie lie_of(const BatchedOperand& operand, std::int64_t k_step, std::int64_t other_step) {
    if (k_step == 1) return Lie::along_k;
    return other_step == 1 && operand.address_bits() % 16 == 0 && k_step % 4 == 0 ? Lie::across_k_by_4 : Lie::any;
}

template <class S, Lie a, Lie b>
Status start(const Call& call) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    return launch_overlapped<float, S, S::begins_often>(hierarchical<S, a, b>, call, fused(call.epilogue), places);
}

using Wide = HierarchyShape<128, 256, 8, 64, 64, 4, 4>;
using Shallow =
    HierarchyShape<128, 256, 8, 64, 64, 4, 4, 1, Store::fours>;  // Wide for few k: the compiler gives its loop other
                                                                 // registers, and it is 4 % slower
using Middle = HierarchyShape<128, 128, 8, 64, 32, 4, 8, 2, Store::slices>;
using Small = HierarchyShape<64, 64, 16, 32, 32, 3, 8, 5, Store::slices>;

/// Not every way to lie has kernels of its own: each makes the library larger.
template <class S>
Status run_with(const Call& call) {
    constexpr Lie along = Lie::along_k, by_4 = Lie::across_k_by_4;
    const Lie a = lie_of(a_of(call), call.a.col_step, call.a.row_step),
              b = lie_of(b_of(call), call.b.row_step, call.b.col_step);
    if (a == along && b == by_4) return start<S, along, by_4>(call);
    if constexpr (!S::begins_often) {
        if (a == along && b == along) return start<S, along, along>(call);
        if (a == by_4 && b == by_4) return start<S, by_4, by_4>(call);
    }
    return start<S, Lie::any, Lie::any>(call);
}

bool copies_by_16(const Call& call) {
    return lie_of(a_of(call), call.a.col_step, call.a.row_step) == Lie::along_k &&
           lie_of(b_of(call), call.b.row_step, call.b.col_step) == Lie::across_k_by_4;
}

sm90::R7 tile_for(const Call& call, const Tile& asked) {
    if (asked == Tile{})
        return hierarchical_tile(sm90::sizes_of(call), copies_by_16(call), may_turn(call), stores_words(call));
    return asked.n == Wide::BN ? sm90::R7::wide : asked.n == Middle::BN ? sm90::R7::middle : sm90::R7::small;
}

/// Copies of 4 bytes, which turn a tile on its way, cost a large product a tenth: a pass before that turns B is less.
Status run(const Call& call, const Tile& asked) {
    return with_epilogue(call, [&](Call one) {
        if (asked == Tile{} ? little::is_quicker(sm90::sizes_of(one)) : asked.n == little::side)
            return run_little_tiles(one);
        const sm90::R7 tile = tile_for(one, asked);
        if (tile == sm90::R7::middle) return run_with<Middle>(one);
        if (tile == sm90::R7::small) return run_with<Small>(one);
        if (!one.batch)
            if (const Status bad = turn(one.b, one.scratch, one.stream); !bad) return bad;
        const bool shallow = one.k() <= sm90::r7_most_k_of_shallow && copies_by_16(one);
        return shallow ? start<Shallow, Lie::along_k, Lie::across_k_by_4>(one) : run_with<Wide>(one);
    });
}

/// For a B that wide tiles want turned.
std::size_t scratch_bytes(const Problem& p, const Tile& asked, int) {
    const bool wide =
        asked.n == Wide::BN || (asked == Tile{} && sm90::r7_fills_wide({p.m, p.n, p.k, 1, multiprocessors()}));
    return wide && p.b == Form::col_major ? turned_bytes(p.k, p.n) : 0;
}

double nanoseconds(const Problem& p, int) {
    const auto at_once = static_cast<int>(multiprocessors_for_costs());  // of Small each wave counts whole
    const auto waves = double(tiles_over(tiles_over(p.m, Small::BM) * tiles_over(p.n, Small::BN), at_once));
    const double writing = writing_nanoseconds(p), besides = little::is_of_tf32(p) ? .6 * writing : 0;
    const double of_small = launch_nanoseconds + waves * double(p.k) * at_once * .234 + besides;  // 4096 / 17.5e3
    const double of_little = little::nanoseconds(p, {p.m, p.n, p.k, 1, at_once});
    const double of_others = std::min(of_small, nanoseconds_at(p, 50, Wide::BM, Wide::BN) + writing);
    return std::min(of_little, of_others * (moves_words(p, waves) ? 1.5 : 1));
}

constexpr Batching batching{takes_batch, places_bytes};
constexpr Tile tiles[] = {{}, {128, 256, 8}, {128, 128, 8}, {64, 64, 16}, {little::side, little::side, 32}};

}  // namespace

constinit const Kernel r7_hierarchical_f32{
    .name = "cuda.r7_hierarchical.f32",
    .rung = Rung::hierarchical,
    .in = Type::f32,
    .out = Type::f32,
    .sum = Type::f32,
    .scheme = &plain_f32,
    .needs = feature::sm80,
    .tiles = tiles,
    .fuses_epilogue = true,
    .idea = "blocks, warps and threads each have a tile; copies and register loads run ahead of the products",
    .takes = fits_ints,
    .sum_bound = sequential_sum_bound<float>,
    .nanoseconds = nanoseconds,
    .scratch_bytes = scratch_bytes,
    .run = run,
    .order = sequential_order,
    .batching = &batching,
};

}  // namespace tw::cuda
