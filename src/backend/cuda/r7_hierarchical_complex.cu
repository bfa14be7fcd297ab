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
// products, which costs nothing. Of A it is one of B and of the sums, so that there are two kernels, not four. Copies
// are of 4 bytes, whatever lies where.
#include "backend/cuda/banded_rung.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/team.cuh"
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
};

/// Of a thread's rows or columns.
template <int count>
struct Parts {
    float re[count], im[count];
};

/// Groups of neighbours, `apart` from one to the next.
template <int group, int apart, int count>
__device__ void read_groups_of(float (&to)[count], std::uint32_t from) {
#pragma unroll
    for (int g = 0; g < count; g += group) {
        if constexpr (group == 4) {
            const float4 four = ptx::load_4(from + g / 4 * apart * 4);
            to[g] = four.x, to[g + 1] = four.y, to[g + 2] = four.z, to[g + 3] = four.w;
        } else {
            const float2 two = ptx::load_2(from + g / 2 * apart * 4);
            to[g] = two.x, to[g + 1] = two.y;
        }
    }
}

/// In add_product()'s order for each sum, there and back: each product has an operand of the last one.
template <bool conj_b, int TM, int TN>
__device__ void add_products(Parts<TN> (&sums)[TM], const Parts<TM>& down, const Parts<TN>& across) {
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const float re = down.re[i], im = down.im[i];
        Parts<TN>& sum = sums[i];
#pragma unroll
        for (int j = 0; j < TN; ++j) sum.re[j] = fmaf(re, across.re[j], sum.re[j]);
#pragma unroll
        for (int j = TN - 1; j >= 0; --j) sum.im[j] = fmaf(conj_b ? -re : re, across.im[j], sum.im[j]);
#pragma unroll
        for (int j = 0; j < TN; ++j) sum.re[j] = fmaf(conj_b ? im : -im, across.im[j], sum.re[j]);
#pragma unroll
        for (int j = TN - 1; j >= 0; --j) sum.im[j] = fmaf(im, across.re[j], sum.im[j]);
    }
}

/// A sum of 0 has no sign to lose.
template <int TM, int TN>
__device__ void conjugate(Parts<TN> (&sums)[TM]) {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i].im[j] = 0 - sums[i].im[j];
}

template <class S, bool conj_b>
__global__ void __launch_bounds__(S::threads, S::blocks)
    hierarchical_complex(Product<Number> p, Bands bands, Places places, TileMap only, Together how) {
    extern __shared__ __align__(16) char stages[];
    const int2 tile = bands.tile();
    if (only.any) {
        ptx::wait_for_kernel_before();
        if (*only.any == 0 || only.tiles[tile.x * only.across + tile.y] == 0) return;
    }
    p.a.data = places.a(p.a.data), p.b.data = places.b(p.b.data), p.c.data = places.c(p.c.data);
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

    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp / S::warps_across * S::WM + lane / S::lanes_across * S::group_rows;
    const int col = warp % S::warps_across * S::WN + lane % S::lanes_across * S::group_cols;
    Parts<S::TN> sums[S::TM] = {};
    Parts<S::TM> down[2];
    Parts<S::TN> across[2];
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

    const auto down_at = [&](int i) { return first_row + row + i / S::group_rows * S::rows_apart + i % S::group_rows; };
    const auto across_at = [&](int j) {
        return first_col + col + j / S::group_cols * S::cols_apart + j % S::group_cols;
    };
    if (p.a_sign < 0) conjugate(sums);
    const auto sum_of = [&](int i, int j) { return Number{sums[i].re[j], sums[i].im[j]}; };
    scale_and_add(p, [&](const auto& visit) {
#pragma unroll
        for (int i = 0; i < S::TM; ++i)
#pragma unroll
            for (int j = 0; j < S::TN; ++j) {
                Number sum = sum_of(i, j);
                visit(down_at(i), across_at(j), sum);
                sums[i].re[j] = sum.re, sums[i].im[j] = sum.im;
            }
    });
#pragma unroll
    for (int i = 0; i < S::TM; i += 2)
#pragma unroll
        for (int j = 0; j < S::TN; j += 2)
            store_square(p, how, down_at(i), across_at(j),
                         {{sum_of(i, j), sum_of(i, j + 1)}, {sum_of(i + 1, j), sum_of(i + 1, j + 1)}});
}

template <class S, bool conj_b>
Status start(const Call& call, const TileMap& only) {
    return launch_in_bands<S>(hierarchical_complex<S, conj_b>, S::stage_bytes, call, only, together_of(call));
}

template <class S>
Status run_with(const Call& call, const TileMap& only = {}) {
    return call.a.is_conj != call.b.is_conj ? start<S, true>(call, only) : start<S, false>(call, only);
}

using Large = Shape<128, 128, 32, 64, 4, 1>;
using Middle = Shape<64, 64, 32, 32, 4, 3>;
using Small = Shape<32, 32, 16, 16, 6, 6>;

Status run(const Call& call, const Tile& asked) {
    const Tile tile = asked_or_quickest(asked, sm90::r7_complex_tiles, call);
    switch (tile.m + tile.n) {
        case Large::BM + Large::BN: return run_with<Large>(call);
        case Middle::BM + Middle::BN: return run_with<Middle>(call);
        default: return run_with<Small>(call);
    }
}

double nanoseconds(const Problem& p, int) { return nanoseconds_of_quickest(sm90::r7_complex_tiles, p); }

constexpr Tile tiles[] = {{}, {128, 128, 8}, {64, 64, 8}, {32, 32, 8}};

}  // namespace

Status run_hierarchical_complex_where(const Call& call, const TileMap& only) noexcept {
    return run_with<Large>(call, only);
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
    .run = run,
    .order = sequential_order,
    .batching = &in_one_launch,
};

}  // namespace tw::cuda
