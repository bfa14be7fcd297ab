// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r5_register_block: a thread keeps TM x TN results and adds an outer product to them at each step of k.
//
//          BK            BN                 TN
//       +------+      +---+---+        +---+---+
//    TM |a     |   BK |bbb    |     TM |   |###|  TM x TN results of one thread:
//       |a     |      +-------+        |   |###|  TM + TN values read for TM * TN products
//       +------+                       +---+---+
//
// Needs: nothing. Shared-memory reads a product fall to 1/TM + 1/TN.
#include "backend/cuda/core_rung.cuh"
#include "backend/cuda/tiles/tile_loader.cuh"

namespace tw::cuda {
namespace r5 {
namespace {

constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
constexpr int threads = BM * BN / (TM * TN);

template <class T>
__global__ void __launch_bounds__(threads, sizeof(T) == 4 ? 2 : 1) register_block(Product<T> p, TileGrid grid) {
    __shared__ __align__(16) T a_tile[BM * BK], b_tile[BK * BN];
    constexpr Layout a_layout = row_major(BM, BK), b_layout = row_major(BK, BN);

    TileLoader<T, BM, BK, threads> a(p.a, grid.row() * std::int64_t{BM}, 0, 0, BK);
    TileLoader<T, BK, BN, threads> b(p.b, 0, grid.col() * std::int64_t{BN}, BK, 0);
    const int row = static_cast<int>(threadIdx.x) / (BN / TN) * TM,
              col = static_cast<int>(threadIdx.x) % (BN / TN) * TN;

    T sums[TM][TN] = {};
    for (std::int64_t k = 0; k < p.k(); k += BK) {
        a.load(), b.load();
        a.store(a_tile, a_layout), b.store(b_tile, b_layout);
        a.advance(), b.advance();
        __syncthreads();
#pragma unroll 2  // all 8 at once would need more registers than two blocks of an SM have
        for (int q = 0; q < BK; ++q) {
            T down[TM], across[TN];
#pragma unroll
            for (int t = 0; t < TM; ++t) down[t] = p.of_a(a_tile[a_layout(row + t, q)]);
#pragma unroll
            for (int t = 0; t < TN; ++t) across[t] = p.of_b(b_tile[b_layout(q, col + t)]);
#pragma unroll
            for (int s = 0; s < TM; ++s)
#pragma unroll
                for (int t = 0; t < TN; ++t) add_product(sums[s][t], down[s], across[t]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int s = 0; s < TM; ++s)
#pragma unroll
        for (int t = 0; t < TN; ++t)
            p.store(grid.row() * std::int64_t{BM} + row + s, grid.col() * std::int64_t{BN} + col + t, sums[s][t]);
}

template <class T>
Status run(const Call& call, const Tile&) {
    return launch_over<T, BM, BN, threads>(register_block<T>, call);
}

template <class T>
double nanoseconds(const Problem& p, int) {
    return nanoseconds_of_busiest(p, 25, BM, BN, 1);
}

constexpr Tile tiles[] = {{BM, BN, BK}};

template <class T>
constexpr Kernel row(const char* name) {
    constexpr Type type = type_of<HostNumber<T>>;
    return {.name = name,
            .rung = Rung::register_block,
            .in = type,
            .out = type,
            .sum = type,
            .scheme = &plain_f32,
            .needs = feature::sm80,
            .tiles = tiles,
            .idea = "each thread keeps 8 x 8 results and adds an outer product to them at every step of k",
            .takes = fits_ints,
            .sum_bound = number_sum_bound<T>,
            .nanoseconds = nanoseconds<T>,
            .run = run<T>,
            .order = sequential_order};
}

}  // namespace
}  // namespace r5

constinit const Kernel r5_register_block_f32 = r5::row<float>("cuda.r5_register_block.f32");
constinit const Kernel r5_register_block_c64 = r5::row<Complex<float>>("cuda.r5_register_block.c64");

}  // namespace tw::cuda
