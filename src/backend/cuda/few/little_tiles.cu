// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7's smallest tile, for products that have fewer tiles of 64 x 64 than the chip has multiprocessors: a quarter of
// the work each, by as many warps. A multiprocessor has one block and little else, so that nobody hides a warp's waits:
// it reads the fragments of four steps of k while it multiplies those of the four before.
//
//   block 32 x 32        warp 16 x 16: 8 x 4 lanes, each 2 rows by 4 columns
//   +------+------+
//   |  w0  |  w1  |      24 bytes of shared memory for 8 products: what a multiprocessor hands out for them takes as
//   +------+------+      long as the products do
//   |  w2  |  w3  |
//   +------+------+
//
// k is summed as by all of r7's tiles, from 0 on: the same bits. Needs: sm_80.
#include "backend/cuda/few/little_tiles.hpp"

#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/spread.hpp"
#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/async_tile.cuh"
#include "backend/cuda/tiles/sums_to_c.cuh"

namespace tw::cuda {
namespace {

constexpr int BM = little::side, BN = little::side, BK = 32, STAGES = 4, TM = 2, TN = 4, ahead = 4, threads = 128;
constexpr int pitch = BM + 4, operand_bytes = BK * pitch * 4, stage_bytes = 2 * operand_bytes;
constexpr std::size_t shared = STAGES * stage_bytes;
static_assert(BM == BN && BK % ahead == 0);

/// A stage is copied 8 of k at a time where they lie along it: a warp's 4 rows of 8 are 32 banks.
template <Lie lie>
constexpr int k_at_once = lie == Lie::across_k_by_4 ? 16 : 8;
template <Lie lie>
using Copied = AsyncTile<lie, k_at_once<lie>, BM, pitch, threads>;

template <int at_once>
__device__ void fill_stage(auto& operand, std::uint32_t stage) {
#pragma unroll
    for (int q = 0; q < BK; q += at_once) operand.fill(stage + q * pitch * 4);
}

/// A lane's part of `ahead` steps of k.
struct Steps {
    float down[ahead][TM], across[ahead][TN];

    __device__ void read(std::uint32_t a, std::uint32_t b) {
#pragma unroll
        for (int q = 0; q < ahead; ++q) {
            const float2 two = ptx::load_2(a + q * pitch * 4);
            const float4 four = ptx::load_4(b + q * pitch * 4);
            down[q][0] = two.x, down[q][1] = two.y;
            across[q][0] = four.x, across[q][1] = four.y, across[q][2] = four.z, across[q][3] = four.w;
        }
    }
    __device__ void multiply(float (&sums)[TM][TN]) const {
#pragma unroll
        for (int q = 0; q < ahead; ++q)
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) sums[i][j] += down[q][i] * across[q][j];
    }
};

template <Lie a_lie, Lie b_lie>
__global__ void __launch_bounds__(threads) little_tiles(Product<float> p, TileGrid grid, Fused fused, Places places) {
    extern __shared__ __align__(16) char stages[];
    const std::int64_t first_row = grid.row() * std::int64_t{BM}, first_col = grid.col() * std::int64_t{BN};
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp / 2 * 16 + lane / 4 * TM, col = warp % 2 * 16 + lane % 4 * TN;
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();  // it may write the operands, and the addresses of a batch
    const Layout &al = p.a.layout, &bl = p.b.layout;
    Copied<a_lie> a(places.a(p.a.data), al.col_step, al.row_step, al.cols, first_row, al.rows);
    Copied<b_lie> b(places.b(p.b.data), bl.row_step, bl.col_step, bl.rows, first_col, bl.cols);
    const std::uint32_t base = ptx::shared_address(stages), end = base + STAGES * stage_bytes;
    const int k_end = static_cast<int>(p.k());
    const auto fill = [&](std::uint32_t stage, int k) {
        if (k < k_end) fill_stage<k_at_once<a_lie>>(a, stage), fill_stage<k_at_once<b_lie>>(b, stage + operand_bytes);
        ptx::commit_copies();
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) fill(base + s * stage_bytes, s * BK);
    ptx::wait_for_copies<STAGES - 2>();
    __syncthreads();

    float sums[TM][TN] = {};
    Steps steps[2];
    const auto read = [&](int to, std::uint32_t stage, int q) {
        steps[to].read(stage + (q * pitch + row) * 4, stage + operand_bytes + (q * pitch + col) * 4);
    };
    read(0, base, 0);
    std::uint32_t stage = base, free_stage = end - stage_bytes;
    for (int k = 0; k < k_end; k += BK) {
        const std::uint32_t next = stage + stage_bytes == end ? base : stage + stage_bytes;
        fill(free_stage, k + (STAGES - 1) * BK);
#pragma unroll
        for (int q = 0; q < BK; q += ahead) {
            const bool is_last = q + ahead == BK;
            if (is_last) {
                ptx::wait_for_copies<STAGES - 2>();
                __syncthreads();
            }
            read((q / ahead + 1) % 2, is_last ? next : stage, (q + ahead) % BK);
            steps[q / ahead % 2].multiply(sums);
        }
        free_stage = stage, stage = next;
    }

    p.c.data = places.c(p.c.data);
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const float(&of)[TN] = sums[i];
        store_four(p, first_row + row + i, first_col + col, make_float4(of[0], of[1], of[2], of[3]));
    }
    if (fused.empty) return;
    fused.residual = places.residual(fused.residual);
#pragma unroll 1
    for (int e = 0; e < TM * TN; ++e) {
        const std::int64_t i = first_row + row + e / TN, j = first_col + col + e % TN;
        if (i < p.c.rows() && j < p.c.cols()) p.c(i, j) = fused.of(p.c(i, j), i, j);
    }
}

template <Lie a, Lie b>
Status start(const Call& call) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const auto [grid, blocks] = tiling(call, BM, BN);
    const auto products = static_cast<unsigned>(products_of(call));
    const Launch how{.blocks = blocks,
                     .threads = threads,
                     .shared = shared_when_spread(shared, std::int64_t{blocks} * products),
                     .products = products,
                     .overlaps = true};
    return launch(little_tiles<a, b>, how, call.stream, product_of<float>(call), grid, fused(call.epilogue), places);
}

/// Of every product: rows of 16 bytes across k.
bool is_across_by_4(const BatchedOperand& operand, std::int64_t k_step, std::int64_t other_step) {
    return k_step != 1 && other_step == 1 && operand.address_bits() % 16 == 0 && k_step % 4 == 0;
}

}  // namespace

Status run_little_tiles(const Call& call) noexcept {
    constexpr Lie by_4 = Lie::across_k_by_4, any = Lie::any;
    const bool a_by_4 = is_across_by_4(a_of(call), call.a.col_step, call.a.row_step),
               b_by_4 = is_across_by_4(b_of(call), call.b.row_step, call.b.col_step);
    if (a_by_4) return b_by_4 ? start<by_4, by_4>(call) : start<by_4, any>(call);
    return b_by_4 ? start<any, by_4>(call) : start<any, any>(call);
}

}  // namespace tw::cuda
