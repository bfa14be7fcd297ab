// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r8_dmma: the matrix unit for doubles (DMMA), which every chip for science since Ampere has. r7's hierarchy around it:
// asynchronous copies STAGES deep, and the fragments of the next 8 (or 16) of k are read among the products of these.
//
//   block BM x BN, BK of k a stage     warp WM x WN: products of 16 x 8 x 8      blocks walk C in bands of 8 tiles
//   +----+----+----+----+              +---+---+---+---+                         +---+---+---+
//   | w0 | w1 | w2 | w3 |              |16x8   |   |   |                         | 0 | 2 | 4 |   so that those which
//   +----+----+----+----+              +---+---+---+---+                         +---+---+---+   run together share
//   | w4 | w5 | w6 | w7 |              ...                                       | 1 | 3 | 5 |   rows and columns in L2
//   +----+----+----+----+                                                        +---+---+---+
//
// Needs: sm_80. A Hopper multiprocessor does 128 products a cycle. A warp of 32 x 64 reads 96 doubles for 2048 of them:
// four warps take 24 cycles of shared memory for 64 of the unit.
#include <type_traits>

#include "backend/cuda/cut_rung.cuh"
#include "backend/cuda/heuristics_dmma.hpp"
#include "backend/cuda/operands/across_batch.hpp"
#include "backend/cuda/ptx/dmma.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/copies.cuh"
#include "backend/cuda/tiles/dmma_fragments.cuh"
#include "backend/cuda/tiles/old_tile.cuh"
#include "backend/cuda/tiles/pair_of_c.cuh"
#include "backend/cuda/tiles/rows_of_c.cuh"

namespace tw::cuda {
namespace {

using namespace dmma_shapes;

/// A thread's sums of a part of a tile, or of a group of warps.
template <class S>
__device__ void hand_over_tile(const Product<double>& p, const CutTiles& cut, int piece, char* stages, bool c_in_pairs,
                               int2 tile, const double (&pairs)[S::sums][2]) {
    const auto pair = [&](int q) { return make_double2(pairs[q][0], pairs[q][1]); };
    const auto store = [&](int first, int last, const double2(&added)[sums_at_once]) {
        store_pairs<S>(p, c_in_pairs, tile, first, last, added);
    };
    if constexpr (S::GROUPS > 1) hand_over_groups<S>(cut, piece, stages, pair, store);
    else hand_over<S, double2>(cut, piece, stages, pair, store);
}

template <class S, class L>
__global__ void __launch_bounds__(S::threads, S::blocks)
    dmma(Product<double> p, Bands bands, Places places, TileMap only, CutTiles cut, bool c_in_pairs) {
    if (cut.is_left_out<S>()) return;
    extern __shared__ __align__(16) char stages[];
    using A = typename Stage<S, L>::A;
    using B = typename Stage<S, L>::B;
    constexpr std::uint32_t stage_bytes = Stage<S, L>::bytes;
    const int count = cut.is_deep ? S::DEEP : S::STAGES;
    // Parts say so when their sums are written: 345 x 128 x 1152 took 10.0 us where it was said here, and takes 7.8.
    if (L::by_16 && !cut.sums) ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    p.a.data = places.a(p.a.data), p.b.data = places.b(p.b.data), p.c.data = places.c(p.c.data);
    const int piece = static_cast<int>(blockIdx.x);
    const int2 tile = bands.tile(cut.tile(piece));
    if (only.any && (*only.any == 0 || only.tiles[tile.x * only.across + tile.y] == 0)) return;
    if (cut.is_part(piece)) cut.take(p, piece, S::BK);
    const int group = static_cast<int>(threadIdx.x) / S::of_group;
    if constexpr (S::GROUPS > 1) take_share(p, group, S::GROUPS, S::BK);
    const int first_row = tile.x * S::BM, first_col = tile.y * S::BN, k = static_cast<int>(p.k());
    if (p.beta != 0 && !cut.is_part(piece)) fetch_old_tile<S>(p, first_row, first_col);
    const int warp = S::thread() / 32, lane = S::thread() % 32;
    const int row = warp / S::warps_across * S::WM, col = warp % S::warps_across * S::WN;
    const Layout& bl = p.b.layout;
    Copies<A, B> copies{A(p.a, first_row, row),
                        B({p.b.data, {bl.cols, bl.rows, bl.col_step, bl.row_step, 0}}, first_col, col)};
    const std::uint32_t base = ptx::shared_address(stages) + group * count * stage_bytes,
                        end = base + count * stage_bytes;
    double sums[S::WM / 16][S::WN / 8][4] = {};
    using Read = Fragments<S, has_parts ? S::DEPTH / 4 : 1>;  // chips before Hopper multiply 4 of k at a time
    Read fragments;
    const auto read = [&](int to, std::uint32_t stage, int step, int q, int turns) {
        fragments.read(copies, stage, stage + A::bytes, to, step, q, turns);
    };

    copies.fill_stages(base, count - 1);
    ptx::wait_for_copies<S::STAGES - 2, S::DEEP - 2>(cut.is_deep);
    const auto together = [&] {
        if constexpr (S::GROUPS > 1) ptx::sync_named(1 + group, S::of_group);
        else __syncthreads();
    };
    together();
    read(0, base, 0, 0, 1);
    constexpr int fours = Read::fours, products = S::WM / 16 * (S::WN / 8), steps = S::BK / 4 / fours;
    std::uint32_t stage = base, free_stage = base + (count - 1) * stage_bytes;
    for (int first = 0; first < k; first += S::BK) {
        const std::uint32_t next = stage + stage_bytes == end ? base : stage + stage_bytes;
        copies.begin(free_stage);
        if constexpr (!L::by_16 && !has_parts) copies.fill(free_stage, 0, 1);
#pragma unroll
        for (int step = 0; step < steps; ++step) {
            if (step + 1 == steps) {
                ptx::commit_copies();
                ptx::wait_for_copies<S::STAGES - 2, S::DEEP - 2>(cut.is_deep);
                together();
            }
            const std::uint32_t read_next = step + 1 == steps ? next : stage;
            if constexpr (!Read::spreads) read((step + 1) % 2, read_next, (step + 1) % steps, 0, 1);
#pragma unroll
            for (int q = 0; q < products; ++q) {
                const int i = fours > 1 ? q % (S::WM / 16) : q / (S::WN / 8),
                          j = fours > 1 ? q / (S::WM / 16) : q % (S::WN / 8);
                ptx::multiply_fours(sums[i][j], fragments.down[step % 2][i], fragments.across[step % 2][j]);
                if constexpr (Read::spreads) read((step + 1) % 2, read_next, (step + 1) % steps, q, products);
                if constexpr (L::by_16 || has_parts)
                    copies.fill(free_stage, step * products + q, (steps - 1) * products);
            }
        }
        free_stage = stage, stage = next;
    }
    ptx::wait_for_copies<0>();
    if constexpr (has_parts) {
        const auto& pairs = reinterpret_cast<const double(&)[S::sums][2]>(sums);
        if (S::GROUPS > 1 || cut.is_part(piece))
            return hand_over_tile<S>(p, cut, piece, stages, c_in_pairs, tile, pairs);
        static_assert(S::BM * staged_pitch<S> * 8 <= S::STAGES * S::GROUPS * stage_bytes);
        if (goes_by_rows(p, c_in_pairs))
            return store_tile_by_rows<S>(p, tile, pairs, reinterpret_cast<double*>(stages));
    }
    store_tile<S>(p, c_in_pairs, first_row + row + lane / 4, first_col + col + lane % 4 * 2, sums);
}

/// Tiles that were cut, to C.
template <class S>
__global__ void __launch_bounds__(S::threads)
    add_cut_tiles(Product<double> p, Bands bands, CutTiles cut, bool c_in_pairs) {
    if (cut.adds_nothing()) return;
    const int first = static_cast<int>(blockIdx.y) * added_at_once;
    ptx::let_next_kernel_begin(), ptx::wait_for_kernel_before();
    double2 sums[added_at_once];
    add_parts_of<S>(cut, first, sums);
    store_pairs<S>(p, c_in_pairs, bands.tile(cut.whole + static_cast<int>(blockIdx.x)), first, S::sums, sums);
}

/// Into how many parts a last wave's tiles are cut.
struct Job {
    const Call& call;
    TileMap only;
    int parts = 1;
};

template <class S, class L>
Status start(const Job& job) {
    const Call& call = job.call;
    const bool c_in_pairs = lies_in_pairs(c_of(call), call.c.col_step, call.c.row_step);
    return launch_cut<S>(dmma<S, L>, add_cut_tiles<typename S::OneGroup>, S::GROUPS * Stage<S, L>::bytes, call,
                         job.only, job.parts, c_in_pairs, L::by_16);
}

template <class S, bool by_16>
Status start_by(const Job& job, bool a_across, bool b_across) {
    // Slim's reads all at once spill a register where B's are along k.
    using Along = std::conditional_t<std::is_same_v<S, Slim>, SlimAlong, S>;
    if (a_across)
        return b_across ? start<S, Lies<true, true, by_16>>(job) : start<Along, Lies<true, false, by_16>>(job);
    return b_across ? start<S, Lies<false, true, by_16>>(job) : start<Along, Lies<false, false, by_16>>(job);
}

/// Flat tiles are copied by 16 bytes alone: others would be as much machine code again for few operands.
template <class S>
Status run_with(const Job& job) {
    const Lie lie(job.call);
    if (lie.by_16) return start_by<S, true>(job, lie.a_across, lie.b_across);
    using Small = std::conditional_t<S::BN == 64, SlimOnes, SmallOnes>;
    using Single = std::conditional_t<S::BM >= 128, LargeOnes, std::conditional_t<S::BM >= 64, Middle, Small>>;
    return start_by<std::conditional_t<(S::GROUPS > 1), SharedOnes, Single>, false>(job, lie.a_across, lie.b_across);
}

constexpr int of_groups = 1000;  // beside a tile's sides

/// Tiles are told as C lies; those with more rows than columns are flat ones from C's other side. From there small
/// squares store whole, and in parts where C's rows begin at odd places: neighbours by neighbouring threads.
Status run(const Call& asked, const Tile& by_name) {
    Batch turned, batch;
    Call call = is_turned(asked) ? across_with(asked, turned) : asked;
    const dmma::Oddness odd{!Lie(call).by_16, !lies_in_pairs(c_of(call), call.c.col_step, call.c.row_step)};
    const Tile tile = dmma::tile_of(dmma::real, call, odd, by_name);
    const bool is_down = dmma::is_cut(tile) ? odd.stores_ones : dmma::stores_down(tile.m, tile.n, odd);
    if (tile.m > tile.n || (tile.m == tile.n && is_down)) call = across_with(call, batch);
    const Job job{call, {}, call.reproducible ? 1 : dmma::parts_of(tile)};
    switch (tile.m + tile.n + (dmma::has_groups(tile) && !call.reproducible ? of_groups : 0)) {
        case Shared::BM + Shared::BN + of_groups: return run_with<Shared>(job);
        case SharedFlat::BM + SharedFlat::BN + of_groups: return run_with<SharedFlat>(job);
        case SharedLarge::BM + SharedLarge::BN + of_groups: return run_with<SharedLarge>(job);
        case Large::BM + Large::BN: return run_with<Large>(job);
        case Wide::BM + Wide::BN: return run_with<Wide>(job);
        case Flat::BM + Flat::BN: return run_with<Flat>(job);
        case Flatter::BM + Flatter::BN: return run_with<Flatter>(job);
        case Thin::BM + Thin::BN: return run_with<Thin>(job);
        case Middle::BM + Middle::BN: return run_with<Middle>(job);
        case Slim::BM + Slim::BN: return run_with<Slim>(job);
        case Tiny::BM + Tiny::BN: return run_with<Tiny>(job);
        default: return run_with<Small>(job);
    }
}

double nanoseconds(const Problem& p, int) { return dmma::nanoseconds(dmma::real, p); }
bool cuts(const Problem& p) { return dmma::has_own_order(dmma::real, p); }
std::size_t scratch_bytes(const Problem& p, const Tile& asked, int) {
    return dmma::scratch_bytes(dmma::real, p, asked);
}

constexpr Tile tiles[] = {{},
                          {128, 128, 16},
                          {64, 64, 16},
                          {32, 32, 16},
                          {16, 32, 16},
                          {64, 128, 16},
                          {96, 128, 16},
                          {32, 128, 16},
                          {32, 64, 16},
                          {16, 128, 16},
                          {128, 16, 16},
                          {64, 128, -2},
                          {64, 64, -101},
                          {48, 96, -101},
                          {96, 96, -102},
                          {16, 128, -8}};

}  // namespace

Status run_dmma_where(const Call& call, const TileMap& only) noexcept { return run_with<Large>({call, only}); }

/// The unit rounds as FMA does, once a product.
constinit const Kernel r8_dmma_f64{
    .name = "cuda.r8_dmma.f64",
    .rung = Rung::matrix_unit,
    .in = Type::f64,
    .out = Type::f64,
    .sum = Type::f64,
    .scheme = unsplit<double>,
    .needs = feature::sm80,
    .tiles = tiles,
    .idea = "the matrix unit for doubles: each warp multiplies 16 x 8 x 8 at a time from its registers",
    .takes = fits_ints,
    .sum_bound = sequential_sum_bound<double>,
    .nanoseconds = nanoseconds,
    .scratch_bytes = scratch_bytes,
    .cuts = cuts,
    .run = run,
    .order = dmma_order,
    .batching = &in_one_launch,
};

}  // namespace tw::cuda
