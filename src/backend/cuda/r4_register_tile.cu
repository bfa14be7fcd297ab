// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r4_register_tile: a thread keeps a column of TM results in registers, so that each value of B it reads from shared
// memory serves TM products.
//
//          BK            BN
//       +------+      +---+---+        +---+---+
//    TM |a     |   BK | b     |        |   #   |  TM results of one thread, one column
//       |a     |      +-------+        |   #   |
//       +------+                       +-------+
//
// Needs: nothing. Shared-memory reads a product fall from 2 to 1 + 1/TM.
#include "backend/cuda/core_rung.cuh"
#include "backend/cuda/tiles/tile_loader.cuh"

namespace tw::cuda {
namespace r4 {
namespace {

constexpr int BM = 64, BN = 64, BK = 8, TM = 16;
constexpr int threads = BM * BN / TM;

template <class T>
__global__ void __launch_bounds__(threads, sizeof(T) == 4 ? 4 : 2) register_tile(Product<T> p, TileGrid grid) {
    __shared__ __align__(16) T a_tile[BM * BK], b_tile[BK * BN];
    constexpr Layout a_layout = row_major(BM, BK), b_layout = row_major(BK, BN);

    TileLoader<T, BM, BK, threads> a(p.a, grid.row() * std::int64_t{BM}, 0, 0, BK);
    TileLoader<T, BK, BN, threads> b(p.b, 0, grid.col() * std::int64_t{BN}, BK, 0);
    const int row = static_cast<int>(threadIdx.x) / BN * TM, col = static_cast<int>(threadIdx.x) % BN;

    T sums[TM] = {};
    for (std::int64_t k = 0; k < p.k(); k += BK) {
        a.load(), b.load();
        a.store(a_tile, a_layout), b.store(b_tile, b_layout);
        a.advance(), b.advance();
        __syncthreads();
#pragma unroll 2  // all 8 would need more registers than four blocks of an SM have
        for (int q = 0; q < BK; ++q) {
            const T value = p.of_b(b_tile[b_layout(q, col)]);
#pragma unroll
            for (int t = 0; t < TM; ++t) add_product(sums[t], p.of_a(a_tile[a_layout(row + t, q)]), value);
        }
        __syncthreads();
    }
#pragma unroll
    for (int t = 0; t < TM; ++t)
        p.store(grid.row() * std::int64_t{BM} + row + t, grid.col() * std::int64_t{BN} + col, sums[t]);
}

template <class T>
Status run(const Call& call, const Tile&) {
    return launch_over<T, BM, BN, threads>(register_tile<T>, call);
}

/// 730 cubed, 12 tiles more than multiprocessors, takes as long as 2.4 of them.
template <class T>
double nanoseconds(const Problem& p, int) {
    return nanoseconds_of_busiest(p, 20, BM, BN, 2.4);
}

constexpr Tile tiles[] = {{BM, BN, BK}};

template <class T>
constexpr Kernel row(const char* name) {
    constexpr Type type = type_of<HostNumber<T>>;
    return {.name = name,
            .rung = Rung::register_tile,
            .in = type,
            .out = type,
            .sum = type,
            .scheme = &plain_f32,
            .needs = feature::sm80,
            .tiles = tiles,
            .idea = "each thread keeps a column of 16 results in registers and uses each value of B 16 times",
            .takes = fits_ints,
            .sum_bound = number_sum_bound<T>,
            .nanoseconds = nanoseconds<T>,
            .run = run<T>,
            .order = sequential_order};
}

}  // namespace
}  // namespace r4

constinit const Kernel r4_register_tile_f32 = r4::row<float>("cuda.r4_register_tile.f32");
constinit const Kernel r4_register_tile_c64 = r4::row<Complex<float>>("cuda.r4_register_tile.c64");

}  // namespace tw::cuda
