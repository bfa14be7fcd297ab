// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r6_vectorized: r5 with A's tile stored k-major, so that what a thread reads of A and of B lies side by side and comes
// in loads of 16 bytes; the next tile is fetched into registers while this one is multiplied.
//
//        BM (k-major)        BN
//       +---------+      +---------+     a thread's 8 rows are 4 + 4, half a tile apart, and so are its columns:
//    BK |aaaa aaaa|   BK |bbbb bbbb|     a warp's 16-byte loads then meet every bank once
//       +---------+      +---------+
//
// Needs: nothing. 4 loads of 16 bytes for 64 products instead of 16 of 4 bytes.
#include "backend/cuda/core_rung.cuh"
#include "backend/cuda/tiles/tile_loader.cuh"

namespace tw::cuda {
namespace {

constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
constexpr int threads = BM * BN / (TM * TN);
constexpr int pad = 4;  // floats after each k-row of A's tile: transposed stores then meet different banks

__device__ void read8(float (&to)[8], const float* from, int apart) {
    const float4 low = *reinterpret_cast<const float4*>(from), high = *reinterpret_cast<const float4*>(from + apart);
    to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
    to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
}

__global__ void __launch_bounds__(threads, 2) vectorized(Product<float> p, TileGrid grid) {
    __shared__ __align__(16) float a_tile[BK * (BM + pad)], b_tile[BK * BN];
    constexpr Layout a_layout{BM, BK, 1, BM + pad}, b_layout = row_major(BK, BN);

    TileLoader<float, BM, BK, threads> a(p.a, grid.row() * std::int64_t{BM}, 0, 0, BK);
    TileLoader<float, BK, BN, threads> b(p.b, 0, grid.col() * std::int64_t{BN}, BK, 0);
    const int row = static_cast<int>(threadIdx.x) / 16 * 4, col = static_cast<int>(threadIdx.x) % 16 * 4;

    float sums[TM][TN] = {};
    a.load(), b.load();
    for (std::int64_t k = 0; k < p.k(); k += BK) {
        a.store(a_tile, a_layout), b.store(b_tile, b_layout);
        __syncthreads();
        a.advance(), b.advance();
        a.load(), b.load();
#pragma unroll 2
        for (int q = 0; q < BK; ++q) {
            float down[TM], across[TN];
            read8(down, a_tile + a_layout(row, q), BM / 2);
            read8(across, b_tile + b_layout(q, col), BN / 2);
#pragma unroll
            for (int s = 0; s < TM; ++s)
#pragma unroll
                for (int t = 0; t < TN; ++t) sums[s][t] += down[s] * across[t];
        }
        __syncthreads();
    }
#pragma unroll
    for (int s = 0; s < TM; ++s)
#pragma unroll
        for (int t = 0; t < TN; ++t)
            p.store(grid.row() * std::int64_t{BM} + row + s % 4 + s / 4 * (BM / 2),
                    grid.col() * std::int64_t{BN} + col + t % 4 + t / 4 * (BN / 2), sums[s][t]);
}

Status run(const Call& call, const Tile&) { return launch_over<float, BM, BN, threads>(vectorized, call); }

double nanoseconds(const Problem& p, int) { return nanoseconds_of_busiest(p, 31, BM, BN, 1); }

constexpr Tile tiles[] = {{BM, BN, BK}};

}  // namespace

constinit const Kernel r6_vectorized_f32{
    .name = "cuda.r6_vectorized.f32",
    .rung = Rung::vectorized,
    .in = Type::f32,
    .out = Type::f32,
    .sum = Type::f32,
    .scheme = &plain_f32,
    .needs = feature::sm80,
    .tiles = tiles,
    .idea = "values are read from shared memory 4 at a time, and the next tile is fetched meanwhile",
    .takes = fits_ints,
    .sum_bound = sequential_sum_bound<float>,
    .nanoseconds = nanoseconds,
    .run = run,
    .order = sequential_order,
};

}  // namespace tw::cuda
