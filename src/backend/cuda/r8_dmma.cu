// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r8_dmma: the matrix unit for doubles (DMMA), which every chip for science since Ampere has. r7's hierarchy around it:
// asynchronous copies STAGES deep, and the fragments of step k + 4 are read during step k.
//
//   block BM x BN, BK of k a stage     warp WM x WN: products of 16 x 8 x 4      blocks walk C in bands of 8 tiles
//   +----+----+----+----+              +---+---+---+---+                         +---+---+---+
//   | w0 | w1 | w2 | w3 |              |16x8   |   |   |                         | 0 | 2 | 4 |   so that those which
//   +----+----+----+----+              +---+---+---+---+                         +---+---+---+   run together share
//   | w4 | w5 | w6 | w7 |              ...                                       | 1 | 3 | 5 |   rows and columns in L2
//   +----+----+----+----+                                                        +---+---+---+
//
// Needs: sm_80. A Hopper multiprocessor does 128 products a cycle. A warp of 32 x 64 reads 96 doubles for 2048 of them:
// four warps take 24 cycles of shared memory for 64 of the unit.
#include "backend/cuda/banded_rung.cuh"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/ptx/mma.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/doubles.cuh"
#include "backend/cuda/tiles/heuristics_sm90.hpp"
#include "backend/cuda/tiles/pair_of_c.cuh"

namespace tw::cuda {
namespace {

template <int BM_, int BN_, int WM_, int WN_, int STAGES_, int blocks_>
struct Shape {
    // With one product a step (16 x 8) nvcc 13.0 makes code that is wrong: fragments are read over those in use.
    static_assert(WM_ * WN_ >= 2 * 16 * 8);
    static constexpr int BM = BM_, BN = BN_, BK = 16, WM = WM_, WN = WN_, STAGES = STAGES_, blocks = blocks_;
    static constexpr int warps_across = BN / WN, threads = 32 * (BM / WM) * warps_across;
};

/// How the operands lie: neighbours across k or along it, copied two at a time or one.
template <bool a_across_, bool b_across_, bool by_16_>
struct Lies {
    static constexpr bool a_across = a_across_, b_across = b_across_, by_16 = by_16_;
};

template <class S, class L>
struct Stage {
    using A = Doubles<L::a_across, L::by_16, S::BM, S::BK, S::threads>;
    using B = Doubles<L::b_across, L::by_16, S::BN, S::BK, S::threads>;
    static constexpr int bytes = A::bytes + B::bytes;
};

template <class S, class L>
__global__ void __launch_bounds__(S::threads, S::blocks)
    dmma(Product<double> p, Bands bands, Places places, TileMap only, bool c_in_pairs) {
    extern __shared__ __align__(16) char stages[];
    using A = typename Stage<S, L>::A;
    using B = typename Stage<S, L>::B;
    constexpr std::uint32_t stage_bytes = Stage<S, L>::bytes;
    p.a.data = places.a(p.a.data), p.b.data = places.b(p.b.data), p.c.data = places.c(p.c.data);
    const int2 tile = bands.tile();
    if (only.any) {
        ptx::wait_for_kernel_before();
        if (*only.any == 0 || only.tiles[tile.x * only.across + tile.y] == 0) return;
    }
    const int first_row = tile.x * S::BM, first_col = tile.y * S::BN, k = static_cast<int>(p.k());
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp / S::warps_across * S::WM, col = warp % S::warps_across * S::WN;
    const Layout& bl = p.b.layout;
    A a(p.a, first_row, row);
    B b({p.b.data, {bl.cols, bl.rows, bl.col_step, bl.row_step, 0}}, first_col, col);
    const std::uint32_t base = ptx::shared_address(stages), end = base + S::STAGES * stage_bytes;
    const auto fill = [&](std::uint32_t stage) {
        a.fill(stage), b.fill(stage + A::bytes);
        ptx::commit_copies();
    };

    double sums[S::WM / 16][S::WN / 8][4] = {};
    double down[2][S::WM / 16][2], across[2][S::WN / 8];
    const auto read = [&](int to, std::uint32_t stage, int step) {
#pragma unroll
        for (int i = 0; i < S::WM / 16; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) down[to][i][half] = a.read(stage, i * 16 + half * 8, step);
#pragma unroll
        for (int j = 0; j < S::WN / 8; ++j) across[to][j] = b.read(stage + A::bytes, j * 8, step);
    };

#pragma unroll
    for (int s = 0; s < S::STAGES - 1; ++s) fill(base + s * stage_bytes);
    ptx::wait_for_copies<S::STAGES - 2>();
    __syncthreads();
    read(0, base, 0);

    constexpr int steps = S::BK / 4;
    std::uint32_t stage = base, free_stage = base + (S::STAGES - 1) * stage_bytes;
    for (int first = 0; first < k; first += S::BK) {
        const std::uint32_t next = stage + stage_bytes == end ? base : stage + stage_bytes;
        fill(free_stage);
#pragma unroll
        for (int step = 0; step < steps; ++step) {
            if (step + 1 == steps) {
                ptx::wait_for_copies<S::STAGES - 2>();
                __syncthreads();
            }
            read((step + 1) % 2, step + 1 == steps ? next : stage, (step + 1) % steps);
#pragma unroll
            for (int i = 0; i < S::WM / 16; ++i)
#pragma unroll
                for (int j = 0; j < S::WN / 8; ++j) ptx::multiply(sums[i][j], down[step % 2][i], across[step % 2][j]);
        }
        free_stage = stage, stage = next;
    }
    ptx::wait_for_copies<0>();

    // All that is read of an old C is asked for before anything is written: one by one, each would wait for the last.
    const std::int64_t step = p.c.layout.col_step;
    const auto each_pair = [&](const auto& visit) {
#pragma unroll
        for (int i = 0; i < S::WM / 16; ++i)
#pragma unroll
            for (int j = 0; j < S::WN / 8; ++j)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    visit(Pair(p, c_in_pairs, first_row + row + i * 16 + half * 8 + lane / 4,
                               first_col + col + j * 8 + lane % 4 * 2),
                          *reinterpret_cast<double(*)[2]>(&sums[i][j][2 * half]));
    };
    each_pair([&](const Pair&, double(&sum)[2]) { sum[0] *= p.alpha, sum[1] *= p.alpha; });
    if (p.beta != 0) each_pair([&](const Pair& pair, double(&sum)[2]) { pair.add(sum, p.beta, step); });
    each_pair([&](const Pair& pair, const double(&sum)[2]) { pair.store(sum, step); });
}

/// Whether pairs along the direction in which `step` is 1 start at multiples of 16 bytes, in every product of a batch.
bool lies_in_pairs(const BatchedOperand& operand, std::int64_t step, std::int64_t other_step) {
    return step == 1 && other_step % 2 == 0 && operand.address_bits() % 16 == 0;
}

template <class S, class L>
Status start(const Call& call, const TileMap& only) {
    const bool c_in_pairs = lies_in_pairs(c_of(call), call.c.col_step, call.c.row_step);
    return launch_in_bands<S>(dmma<S, L>, Stage<S, L>::bytes, call, only, c_in_pairs);
}

template <class S, bool by_16>
Status start_by(const Call& call, const TileMap& only, bool a_across, bool b_across) {
    if (a_across)
        return b_across ? start<S, Lies<true, true, by_16>>(call, only)
                        : start<S, Lies<true, false, by_16>>(call, only);
    return b_across ? start<S, Lies<false, true, by_16>>(call, only) : start<S, Lies<false, false, by_16>>(call, only);
}

template <class S>
Status run_with(const Call& call, const TileMap& only = {}) {
    const Matrix &a = call.a, &b = call.b;
    const bool a_across = a.row_step == 1 && a.col_step != 1, b_across = b.col_step == 1 && b.row_step != 1;
    const bool by_16 = (a_across ? lies_in_pairs(a_of(call), a.row_step, a.col_step)
                                 : lies_in_pairs(a_of(call), a.col_step, a.row_step)) &&
                       (b_across ? lies_in_pairs(b_of(call), b.col_step, b.row_step)
                                 : lies_in_pairs(b_of(call), b.row_step, b.col_step));
    return by_16 ? start_by<S, true>(call, only, a_across, b_across)
                 : start_by<S, false>(call, only, a_across, b_across);
}

using Large = Shape<128, 128, 32, 64, 4, 1>;
using Middle = Shape<64, 64, 32, 32, 3, 3>;
using Small = Shape<32, 32, 16, 16, 8, 2>;

Status run(const Call& asked, const Tile& tile) {
    const Call call = is_turned(asked) ? across(asked) : asked;
    switch (tile == Tile{} ? sm90::r8_dmma_side(sm90::sizes_of(call)) : tile.m) {
        case Large::BM: return run_with<Large>(call);
        case Middle::BM: return run_with<Middle>(call);
        default: return run_with<Small>(call);
    }
}

double nanoseconds(const Problem& p, int) {
    const int side = sm90::r8_dmma_side({p.m, p.n, p.k, 1, multiprocessors_for_costs()});
    return nanoseconds_at(p, side == Large::BM ? 52 : side == Middle::BM ? 43 : 28, side, side);
}

/// Seen from C's other side a batch's steps would change places, too.
constexpr Batching batching{[](const Call& call) { return call.batch->size <= most_products && !is_turned(call); },
                            places_bytes};
constexpr Tile tiles[] = {{}, {128, 128, 16}, {64, 64, 16}, {32, 32, 16}};

}  // namespace

Status run_dmma_where(const Call& call, const TileMap& only) noexcept { return run_with<Large>(call, only); }

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
    .idea = "the matrix unit for doubles: each warp multiplies 16 x 8 x 4 at a time from its registers",
    .takes = fits_ints,
    .sum_bound = sequential_sum_bound<double>,
    .nanoseconds = nanoseconds,
    .run = run,
    .order = dmma_order,
    .batching = &batching,
};

}  // namespace tw::cuda
