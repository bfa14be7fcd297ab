// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical_complex: r7 for complex numbers, which lie in shared memory and in registers as pairs. Four products
// for each pair of pairs: a thread of 8 x 8 loads half of what r7's loads for each of them.
//
//   block BM x BN            warp WM x WN                   thread: TM x TN in groups of 2 x 2
//   +----+----+              +--+--+--+--+  4 x 8 lanes     ##  ##
//   | w0 | w1 |              |  |  |  |  |  each 2 rows     ##  ##   (the groups of a thread stand 8 rows and 16
//   +----+----+              +--+--+--+--+  by 2 columns            columns apart, so that a warp's 16-byte loads are
//   | w2 | w3 |              |  |  |  |  |  at a time       ##  ##   broadcasts and whole lines)
//   +----+----+              +--+--+--+--+                  ##  ##
//
// Needs: sm_80. 8 loads of 16 bytes for 256 products. A conjugate is a sign within the products, which costs nothing:
// there are kernels for each of the four. Copies are of one number, 8 bytes, whatever way the operands lie.
#include "backend/cuda/core_rung.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/tiles/bands.cuh"
#include "backend/cuda/tiles/complex_sums.cuh"
#include "backend/cuda/tiles/complex_tile.cuh"
#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda {
namespace {

using Number = Complex<float>;

template <int BM_, int BN_, int WM_, int WN_, int STAGES_, int blocks_>
struct Shape {
    static constexpr int BM = BM_, BN = BN_, BK = 8, WM = WM_, WN = WN_, STAGES = STAGES_, blocks = blocks_;
    static constexpr int lanes_down = 4, lanes_across = 8, TM = WM / lanes_down, TN = WN / lanes_across;
    static constexpr int rows_apart = lanes_down * 2, cols_apart = lanes_across * 2;
    static constexpr int warps_across = BN / WN, threads = 32 * (BM / WM) * warps_across;
    using A = ComplexTile<RowsOfK<BK, BM>, true, threads>;
    using B = ComplexTile<RowsOfK<BK, BN>, true, threads>;
    static constexpr int a_pitch = RowsOfK<BK, BM>::pitch, b_pitch = RowsOfK<BK, BN>::pitch;
    static constexpr int stage_bytes = A::bytes + B::bytes;
};

/// Pairs of neighbours, `apart` numbers from one to the next.
template <int count, int apart>
__device__ void read_pairs(Number (&to)[count], std::uint32_t from) {
#pragma unroll
    for (int g = 0; g < count / 2; ++g) {
        const float4 two = ptx::load_4(from + g * apart * 8);
        to[2 * g] = {two.x, two.y}, to[2 * g + 1] = {two.z, two.w};
    }
}

/// In add_product()'s order; each number of A is an operand of one product after the other.
template <bool conj_a, bool conj_b, int TM, int TN>
__device__ void add_products(Number (&sums)[TM][TN], const Number (&down)[TM], const Number (&across)[TN]) {
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const float re = down[i].re, im = conj_a ? -down[i].im : down[i].im;
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            sums[i][j].re = fmaf(re, across[j].re, sums[i][j].re);
            sums[i][j].im = fmaf(conj_b ? -re : re, across[j].im, sums[i][j].im);
        }
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            sums[i][j].re = fmaf(conj_b ? im : -im, across[j].im, sums[i][j].re);
            sums[i][j].im = fmaf(im, across[j].re, sums[i][j].im);
        }
    }
}

template <class S, bool conj_a, bool conj_b>
__global__ void __launch_bounds__(S::threads, S::blocks)
    hierarchical_complex(Product<Number> p, Bands bands, Places places, Together how) {
    extern __shared__ __align__(16) char stages[];
    p.a.data = places.a(p.a.data), p.b.data = places.b(p.b.data), p.c.data = places.c(p.c.data);
    const int2 tile = bands.tile();
    const int first_row = tile.x * S::BM, first_col = tile.y * S::BN, k = static_cast<int>(p.k());
    const Layout& bl = p.b.layout;
    typename S::A a(p.a, first_row);
    typename S::B b(Tensor<const Number>{p.b.data, {bl.cols, bl.rows, bl.col_step, bl.row_step, 0}}, first_col);
    const std::uint32_t base = ptx::shared_address(stages), end = base + S::STAGES * S::stage_bytes;
    const auto fill = [&](std::uint32_t stage) {
        a.fill(stage), b.fill(stage + S::A::bytes);
        ptx::commit_copies();
    };

    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp / S::warps_across * S::WM + lane / S::lanes_across * 2;
    const int col = warp % S::warps_across * S::WN + lane % S::lanes_across * 2;
    Number sums[S::TM][S::TN] = {};
    Number down[2][S::TM], across[2][S::TN];
    const auto read = [&](int to, std::uint32_t stage, int q) {
        read_pairs<S::TM, S::rows_apart>(down[to], stage + q * S::a_pitch + row * 8);
        read_pairs<S::TN, S::cols_apart>(across[to], stage + S::A::bytes + q * S::b_pitch + col * 8);
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
            add_products<conj_a, conj_b>(sums, down[q % 2], across[q % 2]);
        }
        free_stage = stage, stage = next;
    }
    ptx::wait_for_copies<0>();

    const auto place = [](int at, int apart) { return at / 2 * apart + at % 2; };
    scale_and_add(p, [&](const auto& visit) {
#pragma unroll
        for (int i = 0; i < S::TM; ++i)
#pragma unroll
            for (int j = 0; j < S::TN; ++j)
                visit(first_row + row + place(i, S::rows_apart), first_col + col + place(j, S::cols_apart), sums[i][j]);
    });
#pragma unroll
    for (int i = 0; i < S::TM; i += 2)
#pragma unroll
        for (int j = 0; j < S::TN; j += 2)
            store_square(p, how, first_row + row + place(i, S::rows_apart), first_col + col + place(j, S::cols_apart),
                         {{sums[i][j], sums[i][j + 1]}, {sums[i + 1][j], sums[i + 1][j + 1]}});
}

template <class S, bool conj_a, bool conj_b>
Status start(const Call& call) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const Bands bands{static_cast<int>(tiles_over(call.m(), S::BM)), static_cast<int>(tiles_over(call.n(), S::BN))};
    const Launch how{.blocks = bands.tiles(),
                     .threads = S::threads,
                     .shared = std::size_t{S::STAGES} * S::stage_bytes,
                     .products = static_cast<unsigned>(products_of(call))};
    return launch(hierarchical_complex<S, conj_a, conj_b>, how, call.stream, product_of<Number>(call), bands, places,
                  together_of(call));
}

template <class S>
Status run_with(const Call& call) {
    if (call.a.is_conj) return call.b.is_conj ? start<S, true, true>(call) : start<S, true, false>(call);
    return call.b.is_conj ? start<S, false, true>(call) : start<S, false, false>(call);
}

using Large = Shape<128, 128, 32, 64, 4, 1>;
using Middle = Shape<64, 64, 32, 32, 4, 3>;
using Small = Shape<32, 32, 16, 16, 6, 6>;

/// std::complex<float> may begin at any multiple of 4, where no copy of 8 bytes can.
bool starts_at_numbers(const Call& call) {
    return (a_of(call).address_bits() | b_of(call).address_bits() | c_of(call).address_bits()) % 8 == 0;
}

Status run(const Call& call, const Tile& tile) {
    if (!starts_at_numbers(call)) return run_tiled_c64(call);
    switch (tile == Tile{} ? sm90::r7_complex_side(sm90::sizes_of(call)) : tile.m) {
        case Large::BM: return run_with<Large>(call);
        case Middle::BM: return run_with<Middle>(call);
        default: return run_with<Small>(call);
    }
}

double nanoseconds(const Problem& p, int) {
    const int side = sm90::r7_complex_side({p.m, p.n, p.k, 1, multiprocessors_for_costs()});
    return nanoseconds_at(p, side == Large::BM ? 46 : side == Middle::BM ? 48 : 45, side, side);
}

constexpr Batching batching{
    [](const Call& call) { return call.batch->size <= most_products && starts_at_numbers(call); }, places_bytes};
constexpr Tile tiles[] = {{}, {128, 128, 8}, {64, 64, 8}, {32, 32, 8}};

}  // namespace

constinit const Kernel r7_hierarchical_complex_c64{
    .name = "cuda.r7_hierarchical_complex.c64",
    .rung = Rung::hierarchical,
    .in = Type::c64,
    .out = Type::c64,
    .sum = Type::c64,
    .scheme = &plain_f32,
    .needs = feature::sm80,
    .tiles = tiles,
    .idea = "r7 on pairs of real and imaginary parts: four products for each pair of pairs that is loaded",
    .takes = fits_ints,
    .sum_bound = number_sum_bound<Number>,
    .nanoseconds = nanoseconds,
    .run = run,
    .order = sequential_order,
    .batching = &batching,
};

}  // namespace tw::cuda
