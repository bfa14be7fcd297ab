// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r3_tiled: a block loads a tile of A and a tile of B into shared memory once, and all its threads read them there.
//
//         BK             BN
//      +---+---+      +---+----+        block: BM x BN results, one a thread
//   BM |#a#| > |   BK |   |#b##|        each step: BM x BK of A and BK x BN of B, loaded together,
//      +---+---+      +---+ v--+        then BK products a thread from shared memory
//
// Needs: nothing. Each value loaded serves a whole tile: global reads fall by the tile's side (16 or 32).
#include "backend/cuda/core_rung.cuh"
#include "backend/cuda/tiles/tile_loader.cuh"

namespace tw::cuda {
namespace r3 {
namespace {

template <class T, int side>
__global__ void __launch_bounds__(side* side, 2048 / (side * side) / (sizeof(T) / 4))
    tiled(Product<T> p, TileGrid grid) {
    constexpr int BM = side, BN = side, BK = side, threads = side * side;
    __shared__ __align__(16) T a_tile[BM * BK], b_tile[BK * BN];
    constexpr Layout a_layout = row_major(BM, BK), b_layout = row_major(BK, BN);

    TileLoader<T, BM, BK, threads> a(p.a, grid.row() * std::int64_t{BM}, 0, 0, BK);
    TileLoader<T, BK, BN, threads> b(p.b, 0, grid.col() * std::int64_t{BN}, BK, 0);
    const int row = static_cast<int>(threadIdx.x) / BN, col = static_cast<int>(threadIdx.x) % BN;

    T sum{};
    a.load(), b.load();
    for (std::int64_t k = 0; k < p.k(); k += BK) {
        a.store(a_tile, a_layout), b.store(b_tile, b_layout);
        __syncthreads();
        a.advance(), b.advance();
        a.load(), b.load();
#pragma unroll
        for (int q = 0; q < BK; ++q)
            add_product(sum, p.of_a(a_tile[a_layout(row, q)]), p.of_b(b_tile[b_layout(q, col)]));
        __syncthreads();
    }
    p.store(grid.row() * std::int64_t{BM} + row, grid.col() * std::int64_t{BN} + col, sum);
}

template <class T>
Status run(const Call& call, const Tile& tile) {
    return tile.m == 16 ? launch_over<T, 16, 16, 256>(tiled<T, 16>, call)
                        : launch_over<T, 32, 32, 1024>(tiled<T, 32>, call);
}

/// 30 ns of k a tile where two share a multiprocessor; alone it takes 41 (B by rows) to 50 (by columns). Numbers of 8
/// bytes and more take twice as long, and more where k is short: 1161 x 1757 x 18 of f64 62 us.
double nanoseconds(const Problem& p, int) { return nanoseconds_of_busiest(p, size_of(p.in) > 4 ? 4 : 9, 32, 32, 1.5); }

constexpr Tile tiles[] = {{32, 32, 32}, {16, 16, 16}};

template <class T>
constexpr Kernel row(const char* name) {
    return {.name = name,
            .rung = Rung::tiled,
            .in = type_of<HostNumber<T>>,
            .out = type_of<HostNumber<T>>,
            .sum = type_of<HostNumber<T>>,
            .scheme = unsplit<HostNumber<T>>,
            .needs = feature::sm80,
            .tiles = tiles,
            .idea = "tiles of A and B in shared memory, loaded once and read by every thread of the block",
            .takes = fits_ints,
            .sum_bound = number_sum_bound<T>,
            .nanoseconds = nanoseconds,
            .run = run<T>,
            .order = sequential_order};
}

}  // namespace
}  // namespace r3

constinit const Kernel r3_tiled_f32 = r3::row<float>("cuda.r3_tiled.f32");
constinit const Kernel r3_tiled_f64 = r3::row<double>("cuda.r3_tiled.f64");
constinit const Kernel r3_tiled_c64 = r3::row<Complex<float>>("cuda.r3_tiled.c64");
constinit const Kernel r3_tiled_c128 = r3::row<Complex<double>>("cuda.r3_tiled.c128");

}  // namespace tw::cuda
