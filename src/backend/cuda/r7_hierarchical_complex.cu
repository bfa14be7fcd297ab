// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical_complex: r7 for complex numbers. Real and imaginary parts lie apart in shared memory and in
// registers, so that the loop is four of r7's: a thread of 8 x 8 loads half of what r7's loads for each product.
//
//   block BM x BN            warp WM x WN                   thread: TM x TN in groups of 4 x 4
//   +----+----+              +--+--+--+--+  4 x 8 lanes     ####  ####
//   | w0 | w1 |              |  |  |  |  |  each 4 rows     ####  ####   (the groups of a thread stand 16 rows and 32
//   +----+----+              +--+--+--+--+  by 4 columns    ####  ####   columns apart, so that a warp's 16-byte loads
//   | w2 | w3 |              |  |  |  |  |  at a time       ####  ####   are broadcasts and whole lines)
//   +----+----+              +--+--+--+--+                  ....  ....
//
// Needs: sm_80. 8 loads of 16 bytes for 256 products. Side by side, the parts of a number would be in registers of
// different banks, and a sum that takes both kinds in turns waits for one of them. A conjugate is a sign within the
// products. Of A it is one of B and of the sums: two kernels, not four. Copies are of 4 bytes, whatever lies where.
#include "backend/cuda/cut_rung.cuh"
#include "backend/cuda/heuristics_dmma.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/complex_parts.cuh"
#include "backend/cuda/tiles/complex_slice.cuh"
#include "backend/cuda/tiles/complex_sums.cuh"
#include "backend/cuda/tiles/complex_tile.cuh"

namespace tw::cuda {
namespace {

using Number = Complex<float>;

template <int BM_, int BN_, int WM_, int WN_, int STAGES_, int blocks_>
struct Shape {
    static constexpr int BM = BM_, BN = BN_, BK = 8, WM = WM_, WN = WN_, STAGES = STAGES_, blocks = blocks_;
    static constexpr int lanes_down = 4, lanes_across = 8, TM = WM / lanes_down, TN = WN / lanes_across;
    static constexpr int group_rows = 4, group_cols = TN < 4 ? TN : 4;
    static constexpr int rows_apart = lanes_down * group_rows, cols_apart = lanes_across * group_cols;
    static constexpr int warps_across = BN / WN, threads = 32 * (BM / WM) * warps_across;
    using A = PlanesOfK<BK, BM>;
    using B = PlanesOfK<BK, BN>;
    static constexpr int stage_bytes = A::bytes + B::bytes;

    /// 16 bytes each: two neighbours of a row, and next those of the row below. Where the q-th of a thread stands.
    static constexpr int sums = TM * TN / 2;
    __device__ static int row_in_thread(int q) { return q / 2 / (TN / 2) * 2 + q % 2; }
    __device__ static int col_in_thread(int q) { return q / 2 % (TN / 2) * 2; }
    __device__ static int row_from_first(int i) { return i / group_rows * rows_apart + i % group_rows; }
    __device__ static int col_from_first(int j) { return j / group_cols * cols_apart + j % group_cols; }
    __device__ static int row_of(int i) {
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        return warp / warps_across * WM + lane / lanes_across * group_rows + row_from_first(i);
    }
    __device__ static int col_of(int j) {
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        return warp % warps_across * WN + lane % lanes_across * group_cols + col_from_first(j);
    }
};

/// Of a thread's sums of a tile that was cut those from the first on and before the last, to C.
template <class S, int count>
__device__ void store_added(const Product<Number>& p, Together how, int2 tile, int first, int last,
                            const float4 (&added)[count]) {
#pragma unroll
    for (int q = 0; q < count; q += 2)
        if (first + q < last)
            finish_square(p, how, tile.x * S::BM + S::row_of(S::row_in_thread(first + q)),
                          tile.y * S::BN + S::col_of(S::col_in_thread(first + q)), added[q], added[q + 1]);
}

template <class S>
__device__ void store_tile(const Product<Number>& p, Together how, char* stages, int first_row, int first_col,
                           Parts<S::TN> (&sums)[S::TM]) {
    const auto mine = c_from(p, first_row + S::row_of(0), first_col + S::col_of(0));
    const auto sum_of = [&](int i, int j) { return Number{sums[i].re[j], sums[i].im[j]}; };
    scale_and_add(mine, [&](const auto& visit) {
#pragma unroll
        for (int i = 0; i < S::TM; ++i)
#pragma unroll
            for (int j = 0; j < S::TN; ++j) {
                Number sum = sum_of(i, j);
                visit(S::row_from_first(i), S::col_from_first(j), sum);
                sums[i].re[j] = sum.re, sums[i].im[j] = sum.im;
            }
    });
    if (how == Together::ones && p.c.layout.col_step == 1) {
        __syncthreads();  // all have read the stages
        return store_slices<S>(p, stages, first_row, first_col, sum_of);
    }
#pragma unroll
    for (int i = 0; i < S::TM; i += 2)
#pragma unroll
        for (int j = 0; j < S::TN; j += 2)
            store_square(mine, how, S::row_from_first(i), S::col_from_first(j),
                         {{sum_of(i, j), sum_of(i, j + 1)}, {sum_of(i + 1, j), sum_of(i + 1, j + 1)}});
}

template <class S, bool conj_b>
__global__ void __launch_bounds__(S::threads, S::blocks)
    hierarchical_complex(Product<Number> p, Bands bands, Places places, TileMap only, CutTiles cut, Together how) {
    if (cut.is_left_out<S>()) return;
    extern __shared__ __align__(16) char stages[];
    const int piece = static_cast<int>(blockIdx.x);
    const int2 tile = bands.tile(cut.tile(piece));
    if (only.any) {
        ptx::wait_for_kernel_before();
        if (*only.any == 0 || only.tiles[tile.x * only.across + tile.y] == 0) return;
    }
    p.a.data = places.a(p.a.data), p.b.data = places.b(p.b.data), p.c.data = places.c(p.c.data);
    if (cut.is_part(piece)) cut.take(p, piece, S::BK);
    const int first_row = tile.x * S::BM, first_col = tile.y * S::BN, k = static_cast<int>(p.k());
    const Layout& bl = p.b.layout;
    ComplexTile<typename S::A, S::threads> a(p.a, first_row);
    ComplexTile<typename S::B, S::threads> b(
        Tensor<const Number>{p.b.data, {bl.cols, bl.rows, bl.col_step, bl.row_step, 0}}, first_col);
    const std::uint32_t base = ptx::shared_address(stages), end = base + S::STAGES * S::stage_bytes;
    const auto fill = [&](std::uint32_t stage) {
        a.fill(stage), b.fill(stage + S::A::bytes);
        ptx::commit_copies();
    };

    const int row = S::row_of(0), col = S::col_of(0);
    Parts<S::TN> sums[S::TM] = {}, across[2];
    Parts<S::TM> down[2];
    const auto read = [&](int to, std::uint32_t stage, int q) {
        const std::uint32_t at_a = stage + S::A::place(q, row), at_b = stage + S::A::bytes + S::B::place(q, col);
        read_groups_of<S::group_rows, S::rows_apart>(down[to].re, at_a);
        read_groups_of<S::group_rows, S::rows_apart>(down[to].im, at_a + S::A::imaginary);
        read_groups_of<S::group_cols, S::cols_apart>(across[to].re, at_b);
        read_groups_of<S::group_cols, S::cols_apart>(across[to].im, at_b + S::B::imaginary);
    };

#pragma unroll
    for (int s = 0; s < S::STAGES - 1; ++s) fill(base + s * S::stage_bytes);
    ptx::wait_for_copies<S::STAGES - 2>();
    __syncthreads();
    read(0, base, 0);

    std::uint32_t stage = base, free_stage = base + (S::STAGES - 1) * S::stage_bytes;
    for (int first = 0; first < k; first += S::BK) {
        const std::uint32_t next = stage + S::stage_bytes == end ? base : stage + S::stage_bytes;
        fill(free_stage);
#pragma unroll
        for (int q = 0; q < S::BK; ++q) {
            if (q + 1 == S::BK) {
                ptx::wait_for_copies<S::STAGES - 2>();
                __syncthreads();
            }
            read((q + 1) % 2, q + 1 == S::BK ? next : stage, (q + 1) % S::BK);
            add_products<conj_b>(sums, down[q % 2], across[q % 2]);
        }
        free_stage = stage, stage = next;
    }
    ptx::wait_for_copies<0>();

    if (p.a_sign < 0) conjugate(sums);
    if constexpr (has_parts) {
        if (cut.is_part(piece))
            return hand_over<S, float4, 2>(
                cut, piece, stages,
                [&](int q) {
                    const int i = S::row_in_thread(q), j = S::col_in_thread(q);
                    return make_float4(sums[i].re[j], sums[i].im[j], sums[i].re[j + 1], sums[i].im[j + 1]);
                },
                [&](int first, int last, const float4(&added)[sums_at_once]) {
                    store_added<S>(p, how, tile, first, last, added);
                });
    }
    store_tile<S>(p, how, stages, first_row, first_col, sums);
}

/// Tiles that were cut, to C.
template <class S>
__global__ void __launch_bounds__(S::threads)
    add_cut_tiles(Product<Number> p, Bands bands, CutTiles cut, Together how) {
    if (cut.adds_nothing()) return;
    const int first = static_cast<int>(blockIdx.y) * added_at_once;
    ptx::wait_for_kernel_before();
    float4 added[added_at_once];
    add_parts_of<S>(cut, first, added);
    store_added<S>(p, how, bands.tile(cut.whole + static_cast<int>(blockIdx.x)), first, S::sums, added);
}

template <class S, bool conj_b>
Status start(const Call& call, const TileMap& only, int parts) {
    return launch_cut<S>(hierarchical_complex<S, conj_b>, add_cut_tiles<S>, S::stage_bytes, call, only, parts,
                         together_of(call));
}

template <class S>
Status run_with(const Call& call, int parts = 1, const TileMap& only = {}) {
    return call.a.is_conj != call.b.is_conj ? start<S, true>(call, only, parts) : start<S, false>(call, only, parts);
}

using Large = Shape<128, 128, 32, 64, 4, 1>;
using Middle = Shape<64, 64, 32, 32, 4, 3>;
using Flat = Shape<32, 128, 32, 32, 4, 3>;
using Small = Shape<32, 32, 16, 16, 6, 6>;

/// Flat tiles may be told from C's other side, which no product of a batch can be seen from, and whose sums are of
/// another order.
Status run(const Call& asked, const Tile& by_name) {
    const Tile tile =
        dmma::tile_of(dmma::single_complex, asked, {false, together_of(asked) == Together::ones}, by_name);
    const bool free = !asked.batch && !asked.reproducible;
    const Call call = free && tile.m > tile.n ? across(asked) : asked;
    const int parts = free ? dmma::parts_of(tile) : 1;
    switch (tile.m + tile.n) {
        case Large::BM + Large::BN: return run_with<Large>(call, parts);
        case Flat::BM + Flat::BN: return run_with<Flat>(call, parts);
        case Middle::BM + Middle::BN: return run_with<Middle>(call, parts);
        default: return run_with<Small>(call, parts);
    }
}

double nanoseconds(const Problem& p, int) { return dmma::nanoseconds(dmma::single_complex, p); }
bool cuts(const Problem& p) { return dmma::has_own_order(dmma::single_complex, p); }
std::size_t scratch_bytes(const Problem& p, const Tile& asked, int) {
    return dmma::scratch_bytes(dmma::single_complex, p, asked);
}

constexpr Tile tiles[] = {{},           {128, 128, 8}, {64, 64, 8},   {32, 32, 8},
                          {32, 128, 8}, {128, 32, 8},  {32, 128, -4}, {64, 64, -3}};

}  // namespace

Status run_hierarchical_complex_where(const Call& call, const TileMap& only) noexcept {
    return run_with<Large>(call, 1, only);
}

constinit const Kernel r7_hierarchical_complex_c64{
    .name = "cuda.r7_hierarchical_complex.c64",
    .rung = Rung::hierarchical,
    .in = Type::c64,
    .out = Type::c64,
    .sum = Type::c64,
    .scheme = &plain_f32,
    .needs = feature::sm80,
    .tiles = tiles,
    .idea = "r7 on real and imaginary parts that lie apart: four products for each two numbers that are loaded",
    .takes = fits_ints,
    .sum_bound = number_sum_bound<Number>,
    .nanoseconds = nanoseconds,
    .scratch_bytes = scratch_bytes,
    .cuts = cuts,
    .run = run,
    .order = sequential_order,
    .batching = &in_one_launch,
};

}  // namespace tw::cuda
