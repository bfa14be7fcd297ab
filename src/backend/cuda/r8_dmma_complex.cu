// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r8_dmma_complex: r8_dmma for complex numbers. A lane's load of 16 bytes is a real and an imaginary part; from there
// on they are fragments of four real products by the matrix unit.
//
//   block BM x BN, BK of k a stage     warp WM x WN: products of 16 x 8 x 4, four of each
//   +----+----+                        +---+---+
//   | w0 | w1 |                        |16x8   |     re += re(a) re(b)    im += re(a) im(b)
//   +----+----+                        +---+---+     re -= im(a) im(b)    im += im(a) re(b)
//   | w2 | w3 |                        |   |   |
//   +----+----+                        +---+---+
//
// Needs: sm_80. A warp of 32 x 32 reads 64 numbers for 1024 complex products a k: a quarter of what shared memory gives
// while the unit multiplies. Conjugates are signs that fragments get as they arrive.
#include <type_traits>

#include "backend/cuda/cut_rung.cuh"
#include "backend/cuda/heuristics_dmma.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/complex_fragments.cuh"
#include "backend/cuda/tiles/complex_sums.cuh"
#include "backend/cuda/tiles/complex_tile.cuh"
#include "backend/cuda/tiles/copies.cuh"
#include "backend/cuda/tiles/old_tile.cuh"

namespace tw::cuda {
namespace {

using Number = Complex<double>;

/// How the operands lie in shared memory, which is how they lie: then a warp's copies write whole lines.
template <template <int> class A_, template <int> class B_>
struct Forms {
    template <int width>
    using A = A_<width>;
    template <int width>
    using B = B_<width>;
};
template <int width>
using WholeLines = LinesAlongK<width, true>;
template <int width>
using Halves = LinesAlongK<width, false>;

/// by_parts: A's real and imaginary parts are read by themselves.
template <int BM_, int BN_, int WM_, int WN_, int STAGES_, int blocks_, bool by_parts = false>
struct Shape {
    using Down = std::conditional_t<by_parts, PartsOfTwo, double2[2]>;
    static constexpr int BM = BM_, BN = BN_, BK = 8, WM = WM_, WN = WN_, STAGES = STAGES_, blocks = blocks_;
    /// Copies one by one between products; warps of few products have no time for that.
    static constexpr bool spreads_copies = WM * WN >= 32 * 32;
    static constexpr int warps_across = BN / WN, threads = 32 * (BM / WM) * warps_across, sums = WM * WN / 32;
    __device__ static int warp_row() { return static_cast<int>(threadIdx.x) / 32 / warps_across * WM; }
    __device__ static int warp_col() { return static_cast<int>(threadIdx.x) / 32 % warps_across * WN; }
};

template <class S, class F>
struct Stage {
    using A = typename F::template A<S::BM>;
    using B = typename F::template B<S::BN>;
    static constexpr int bytes = A::bytes + B::bytes;
};

/// mapped: only the tiles of a map of squares of 128.
template <class S, class F, bool mapped>
__global__ void __launch_bounds__(S::threads, S::blocks)
    dmma_complex(Product<Number> p, Bands bands, Places places, TileMap only, CutTiles cut, Together how) {
    if (cut.is_left_out<S>()) return;
    extern __shared__ __align__(128) char stages[];
    if (!cut.sums) ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    const int piece = static_cast<int>(blockIdx.x);
    const int2 tile = bands.tile(cut.tile(piece));
    if constexpr (mapped) {
        if (*only.any == 0 || only.tiles[tile.x * only.across + tile.y * S::BN / 128] == 0) return;
    }
    p.a.data = places.a(p.a.data), p.b.data = places.b(p.b.data), p.c.data = places.c(p.c.data);
    if (cut.is_part(piece)) cut.take(p, piece, S::BK);
    const int first_row = tile.x * S::BM, first_col = tile.y * S::BN, k = static_cast<int>(p.k());
    if (p.reads_c() && !cut.is_part(piece)) fetch_old_tile<S>(p, first_row, first_col);
    const int row = S::warp_row(), col = S::warp_col();
    const Layout& bl = p.b.layout;
    using A = typename Stage<S, F>::A;
    using B = typename Stage<S, F>::B;
    constexpr int stage_bytes = Stage<S, F>::bytes;
    using TileA = ComplexTile<A, S::threads>;
    using TileB = ComplexTile<B, S::threads>;
    Copies<TileA, TileB> copies{
        TileA(p.a, first_row),
        TileB(Tensor<const Number>{p.b.data, {bl.cols, bl.rows, bl.col_step, bl.row_step, 0}}, first_col)};
    const std::uint32_t base = ptx::shared_address(stages), end = base + S::STAGES * stage_bytes;
    const auto fill = [&](std::uint32_t stage) { copies.a.fill(stage), copies.b.fill(stage + A::bytes); };

    using Warp = ComplexSums<S::WM, S::WN>;
    Warp sums;
    const FragmentsOf<A> of_a(row, static_cast<std::uint32_t>(k) >> 31);
    const FragmentsOf<B> of_b(col);
    const unsigned a_mask = p.a_sign < 0 ? sign_bit : 0, b_mask = p.b_sign < 0 ? sign_bit : 0;
    typename S::Down down[2][Warp::down];
    double2 across[2][Warp::across];
    const auto read = [&](int to, std::uint32_t stage, int step) {
#pragma unroll
        for (int i = 0; i < 2 * Warp::down; ++i) of_a.read_to(down[to][i / 2], i % 2, stage, i * 8, step);
#pragma unroll
        for (int j = 0; j < Warp::across; ++j) across[to][j] = of_b.read(stage + A::bytes, j * 8, step);
    };

#pragma unroll
    for (int s = 0; s < S::STAGES - 1; ++s) fill(base + s * stage_bytes), ptx::commit_copies();
    ptx::wait_for_copies<S::STAGES - 2>();
    __syncthreads();
    read(0, base, 0);

    std::uint32_t stage = base, free_stage = base + (S::STAGES - 1) * stage_bytes;
    for (int first = 0; first < k; first += S::BK) {
        const std::uint32_t next = stage + stage_bytes == end ? base : stage + stage_bytes;
        if constexpr (!S::spreads_copies) fill(free_stage);
        read(1, stage, 1);
        sums.add_products(down[0], a_mask, across[0], b_mask, [&](int q) {
            if constexpr (S::spreads_copies) copies.fill(free_stage, q, Warp::turns);
        });
        ptx::commit_copies();
        ptx::wait_for_copies<S::STAGES - 2>();
        __syncthreads();
        read(0, next, 0);
        sums.add_products(down[1], a_mask, across[1], b_mask, [](int) {});
        free_stage = stage, stage = next;
    }
    ptx::wait_for_copies<0>();
    sums.exchange();
    if constexpr (has_parts) {
        if (cut.is_part(piece)) {
            double2* const to = cut.place<S>(piece, stages);
            sums.each_in_order([&](int q, const Number& sum) { to[q * S::threads] = make_double2(sum.re, sum.im); });
            ptx::let_next_kernel_begin();
            if (cut.sums) return;
            return add_in_cluster<S>(cut.parts, stages, [&](int first, int last, double2(&added)[sums_at_once]) {
                store_added<S>(p, how, tile, first, last, added);
            });
        }
    }
    const auto mine = c_from(p, first_row + row + Warp::first_place().x, first_col + col + Warp::first_place().y);
    scale_and_add(mine, [&](const auto& visit) { sums.each(visit); });
    sums.each([&](int i, int j, const Number& sum) { store_one(mine, how != Together::ones, i, j, sum); });
}

/// Tiles that were cut, to C.
template <class S>
__global__ void __launch_bounds__(S::threads)
    add_cut_tiles(Product<Number> p, Bands bands, CutTiles cut, Together how) {
    if (cut.adds_nothing()) return;
    const int first = static_cast<int>(blockIdx.y) * added_at_once;
    ptx::wait_for_kernel_before();
    double2 added[added_at_once];
    add_parts_of<S>(cut, first, added);
    store_added<S>(p, how, bands.tile(cut.whole + static_cast<int>(blockIdx.x)), first, S::sums, added);
}

struct Job {
    const Call& call;
    int parts = 1;  ///< of a last wave's tiles
    TileMap only{};
};

template <class S, class F, bool mapped = false>
Status start(const Job& job) {
    return launch_cut<S>(dmma_complex<S, F, mapped>, add_cut_tiles<S>, Stage<S, F>::bytes, job.call, job.only,
                         job.parts, together_of(job.call), job.parts == 1);
}

/// Neighbours lie across k, and not along it.
bool lies_across(std::int64_t k_step, std::int64_t other_step) { return other_step == 1 && k_step != 1; }

/// std::complex<double> may begin at any multiple of 8, where no copy of 16 bytes can.
bool is_odd(const Call& call) { return (a_of(call).address_bits() | b_of(call).address_bits()) % 16 != 0; }

using Large = Shape<128, 64, 32, 32, 4, 1>;
using Flat = Shape<64, 32, 32, 16, 6, 3, true>;
using Small = Shape<32, 32, 16, 16, 6, 4>;
using Thin = Shape<16, 128, 16, 32, 4, 3>;

template <class S>
Status run_with(const Job& job) {
    const Call& call = job.call;
    // Few operands are copied by halves: for them there are the largest tile and the smallest.
    using Single = std::conditional_t<std::is_same_v<S, Large>, Large, Small>;
    if (is_odd(call)) return start<Single, Forms<Halves, Halves>>(job);
    const bool b_across = lies_across(call.b.row_step, call.b.col_step);
    if (lies_across(call.a.col_step, call.a.row_step))
        return b_across ? start<S, Forms<RowsOfK, RowsOfK>>(job) : start<S, Forms<RowsOfK, WholeLines>>(job);
    return b_across ? start<S, Forms<WholeLines, RowsOfK>>(job) : start<S, Forms<WholeLines, WholeLines>>(job);
}

/// The tile may be told from C's other side, which no product of a batch can be seen from, and whose sums are of
/// another order.
template <class S>
Status run_as(const Call& asked, const Tile& tile) {
    const bool free = !asked.batch && !asked.reproducible;
    const Call call = free && tile.m != S::BM ? across(asked) : asked;
    return run_with<S>({call, free ? dmma::parts_of(tile) : 1});
}

Status run(const Call& call, const Tile& asked) {
    const Tile tile = dmma::tile_of(dmma::complex, call, {is_odd(call), false}, asked);
    switch (tile.m + tile.n) {
        case Large::BM + Large::BN: return run_as<Large>(call, tile);
        case Thin::BM + Thin::BN: return run_as<Thin>(call, tile);
        case Flat::BM + Flat::BN: return run_as<Flat>(call, tile);
        default: return run_as<Small>(call, tile);
    }
}

double nanoseconds(const Problem& p, int) { return dmma::nanoseconds(dmma::complex, p); }
bool cuts(const Problem& p) { return dmma::has_own_order(dmma::complex, p); }
std::size_t scratch_bytes(const Problem& p, const Tile& asked, int) {
    return dmma::scratch_bytes(dmma::complex, p, asked);
}

constexpr Tile tiles[] = {{},           {128, 64, 8}, {64, 32, 8},   {32, 32, 8},
                          {16, 128, 8}, {128, 16, 8}, {128, 64, -3}, {16, 128, -8}};

}  // namespace

Status run_dmma_complex_where(const Call& call, const TileMap& only) noexcept {
    return start<Large, Forms<Halves, Halves>, true>({call, 1, only});
}

/// The unit rounds as FMA does, once a product.
constinit const Kernel r8_dmma_complex_c128{
    .name = "cuda.r8_dmma_complex.c128",
    .rung = Rung::matrix_unit,
    .in = Type::c128,
    .out = Type::c128,
    .sum = Type::c128,
    .scheme = &plain_f64,
    .needs = feature::sm80,
    .tiles = tiles,
    .idea = "the matrix unit for doubles on real and imaginary parts, four real products for each complex one",
    .takes = fits_ints,
    .sum_bound = number_sum_bound<Number>,
    .nanoseconds = nanoseconds,
    .scratch_bytes = scratch_bytes,
    .cuts = cuts,
    .run = run,
    .order = dmma_order,
    .batching = &in_one_launch,
};

}  // namespace tw::cuda
