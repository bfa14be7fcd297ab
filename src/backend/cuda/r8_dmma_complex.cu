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
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/complex.cuh"
#include "backend/cuda/ptx/mma.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/tiles/bands.cuh"
#include "backend/cuda/tiles/complex_sums.cuh"
#include "backend/cuda/tiles/complex_tile.cuh"
#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda {
namespace {

using Number = Complex<double>;

template <int BM_, int BN_, int WM_, int WN_, int STAGES_, int blocks_>
struct Shape {
    static constexpr int BM = BM_, BN = BN_, BK = 8, WM = WM_, WN = WN_, STAGES = STAGES_, blocks = blocks_;
    static constexpr int warps_across = BN / WN, threads = 32 * (BM / WM) * warps_across;
    static constexpr int a_bytes = LinesAlongK<BM>::bytes, stage_bytes = a_bytes + LinesAlongK<BN>::bytes;
};

/// The lane's place in a tile of lines along k: line + lane / 4, k lane % 4. Its lines are a multiple of 8 apart.
class LanePlace {
public:
    __device__ explicit LanePlace(int line) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        at_ = LinesAlongK<8>::place(lane % 4, line + lane / 4);
    }
    __device__ double2 read(std::uint32_t tile, int line, int step) const {
        return ptx::load_two_doubles(tile + LinesAlongK<8>::later(at_, step * 4, line));
    }

private:
    std::uint32_t at_;
};

/// Its sign where `mask` has the uppermost bit.
__device__ double with_sign(double x, unsigned mask) {
    return __hiloint2double(__double2hiint(x) ^ static_cast<int>(mask), __double2loint(x));
}
constexpr unsigned sign_bit = 1u << 31;

template <class S, bool whole>
__global__ void __launch_bounds__(S::threads, S::blocks)
    dmma_complex(Product<Number> p, Bands bands, Places places, Together how) {
    extern __shared__ __align__(128) char stages[];
    constexpr int down_count = S::WM / 16, across_count = S::WN / 8;
    p.a.data = places.a(p.a.data), p.b.data = places.b(p.b.data), p.c.data = places.c(p.c.data);
    const int2 tile = bands.tile();
    const int first_row = tile.x * S::BM, first_col = tile.y * S::BN, k = static_cast<int>(p.k());
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp / S::warps_across * S::WM, col = warp % S::warps_across * S::WN;
    const Layout& bl = p.b.layout;
    ComplexTile<LinesAlongK<S::BM>, whole, S::threads> a(p.a, first_row);
    ComplexTile<LinesAlongK<S::BN>, whole, S::threads> b(
        Tensor<const Number>{p.b.data, {bl.cols, bl.rows, bl.col_step, bl.row_step, 0}}, first_col);
    const std::uint32_t base = ptx::shared_address(stages), end = base + S::STAGES * S::stage_bytes;
    const auto fill = [&](std::uint32_t stage) {
        a.fill(stage), b.fill(stage + S::a_bytes);
        ptx::commit_copies();
    };

    const LanePlace of_a(row), of_b(col);
    const unsigned a_mask = p.a_sign < 0 ? sign_bit : 0, b_mask = p.b_sign < 0 ? sign_bit : 0;
    double re[down_count][across_count][4] = {}, im[down_count][across_count][4] = {};
    double2 down[2][down_count][2], across[2][across_count];
    const auto read = [&](int to, std::uint32_t stage, int step) {
#pragma unroll
        for (int i = 0; i < down_count; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) down[to][i][half] = of_a.read(stage, i * 16 + half * 8, step);
#pragma unroll
        for (int j = 0; j < across_count; ++j) across[to][j] = of_b.read(stage + S::a_bytes, j * 8, step);
    };
    const auto each_tile = [&](const auto& visit) {
#pragma unroll
        for (int i = 0; i < down_count; ++i)
#pragma unroll
            for (int j = 0; j < across_count; ++j) visit(i, j);
    };
    // Signs are changed in place: copies of the fragments would be more registers than there are.
    const auto flip = [&](double2(&x)[down_count][2], unsigned mask) {
#pragma unroll
        for (int i = 0; i < down_count; ++i)
            x[i][0].y = with_sign(x[i][0].y, mask), x[i][1].y = with_sign(x[i][1].y, mask);
    };
    const auto multiply = [&](double2(&x)[down_count][2], double2(&y)[across_count]) {
#pragma unroll
        for (int j = 0; j < across_count; ++j) y[j].y = with_sign(y[j].y, b_mask);
        each_tile([&](int i, int j) {
            const double real[2] = {x[i][0].x, x[i][1].x};
            ptx::multiply(re[i][j], real, y[j].x), ptx::multiply(im[i][j], real, y[j].y);
        });
        flip(x, a_mask);
        each_tile([&](int i, int j) {
            const double imaginary[2] = {x[i][0].y, x[i][1].y};
            ptx::multiply(im[i][j], imaginary, y[j].x);
        });
        flip(x, sign_bit);
        each_tile([&](int i, int j) {
            const double minus[2] = {x[i][0].y, x[i][1].y};
            ptx::multiply(re[i][j], minus, y[j].y);
        });
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
        read(1, stage, 1);
        multiply(down[0], across[0]);
        ptx::wait_for_copies<S::STAGES - 2>();
        __syncthreads();
        read(0, next, 0);
        multiply(down[1], across[1]);
        free_stage = stage, stage = next;
    }
    ptx::wait_for_copies<0>();

    const auto each_sum = [&](const auto& visit) {
#pragma unroll
        for (int i = 0; i < down_count; ++i)
#pragma unroll
            for (int j = 0; j < across_count; ++j)
#pragma unroll
                for (int x = 0; x < 4; ++x) {
                    Number sum{re[i][j][x], im[i][j][x]};
                    visit(first_row + row + i * 16 + x / 2 * 8 + lane / 4,
                          first_col + col + j * 8 + lane % 4 * 2 + x % 2, sum);
                    re[i][j][x] = sum.re, im[i][j][x] = sum.im;
                }
    };
    scale_and_add(p, each_sum);
    each_sum([&](int i, int j, const Number& sum) { store_one(p, how != Together::ones, i, j, sum); });
}

template <class S, bool whole>
Status start(const Call& call) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const Bands bands{static_cast<int>(tiles_over(call.m(), S::BM)), static_cast<int>(tiles_over(call.n(), S::BN))};
    const Launch how{.blocks = bands.tiles(),
                     .threads = S::threads,
                     .shared = std::size_t{S::STAGES} * S::stage_bytes,
                     .products = static_cast<unsigned>(products_of(call))};
    return launch(dmma_complex<S, whole>, how, call.stream, product_of<Number>(call), bands, places, together_of(call));
}

/// std::complex<double> may begin at any multiple of 8, where no copy of 16 bytes can.
template <class S>
Status run_with(const Call& call) {
    const bool whole = (a_of(call).address_bits() | b_of(call).address_bits()) % 16 == 0;
    return whole ? start<S, true>(call) : start<S, false>(call);
}

using Large = Shape<128, 64, 32, 32, 4, 1>;
using Middle = Shape<64, 64, 32, 32, 4, 2>;
using Small = Shape<32, 32, 16, 16, 6, 4>;

Status run(const Call& call, const Tile& tile) {
    switch (tile == Tile{} ? sm90::r8_dmma_complex_rows(sm90::sizes_of(call)) : tile.m) {
        case Large::BM: return run_with<Large>(call);
        case Middle::BM: return run_with<Middle>(call);
        default: return run_with<Small>(call);
    }
}

double nanoseconds(const Problem& p, int) {
    switch (sm90::r8_dmma_complex_rows({p.m, p.n, p.k, 1, multiprocessors_for_costs()})) {
        case Large::BM: return nanoseconds_at(p, 53, Large::BM, Large::BN);
        case Middle::BM: return nanoseconds_at(p, 48, Middle::BM, Middle::BN);
        default: return nanoseconds_at(p, 30, Small::BM, Small::BN);
    }
}

constexpr Batching batching{[](const Call& call) { return call.batch->size <= most_products; }, places_bytes};
constexpr Tile tiles[] = {{}, {128, 64, 8}, {64, 64, 8}, {32, 32, 8}};

}  // namespace

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
    .run = run,
    .order = dmma_order,
    .batching = &batching,
};

}  // namespace tw::cuda
