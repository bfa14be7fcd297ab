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
namespace r6 {
namespace {

constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
constexpr int threads = BM * BN / (TM * TN);
constexpr int pad = 4;  // numbers after each k-row of A's tile: transposed stores then meet different banks

/// 16 bytes at once.
template <class T>
struct alignas(16) Word {
    T of[16 / sizeof(T)];
};

/// 4 numbers, and 4 more so far apart.
template <class T>
__device__ void read8(T (&to)[8], const T* from, int apart) {
    constexpr int each = 16 / sizeof(T);
#pragma unroll
    for (int t = 0; t < 8; t += each) {
        const auto word = *reinterpret_cast<const Word<T>*>(from + t % 4 + t / 4 * apart);
#pragma unroll
        for (int i = 0; i < each; ++i) to[t + i] = word.of[i];
    }
}

template <class T>
__global__ void __launch_bounds__(threads, sizeof(T) == 4 ? 2 : 1) vectorized(Product<T> p, TileGrid grid) {
    __shared__ __align__(16) T a_tile[BK * (BM + pad)], b_tile[BK * BN];
    constexpr Layout a_layout{BM, BK, 1, BM + pad}, b_layout = row_major(BK, BN);

    TileLoader<T, BM, BK, threads> a(p.a, grid.row() * std::int64_t{BM}, 0, 0, BK);
    TileLoader<T, BK, BN, threads> b(p.b, 0, grid.col() * std::int64_t{BN}, BK, 0);
    const int row = static_cast<int>(threadIdx.x) / 16 * 4, col = static_cast<int>(threadIdx.x) % 16 * 4;

    T sums[TM][TN] = {};
    a.load(), b.load();
    for (std::int64_t k = 0; k < p.k(); k += BK) {
        a.store(a_tile, a_layout), b.store(b_tile, b_layout);
        __syncthreads();
        a.advance(), b.advance();
        a.load(), b.load();
#pragma unroll 2
        for (int q = 0; q < BK; ++q) {
            T down[TM], across[TN];
            read8(down, a_tile + a_layout(row, q), BM / 2);
            read8(across, b_tile + b_layout(q, col), BN / 2);
#pragma unroll
            for (int t = 0; t < TM; ++t) down[t] = p.of_a(down[t]), across[t] = p.of_b(across[t]);
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
            p.store(grid.row() * std::int64_t{BM} + row + s % 4 + s / 4 * (BM / 2),
                    grid.col() * std::int64_t{BN} + col + t % 4 + t / 4 * (BN / 2), sums[s][t]);
}

template <class T>
Status run(const Call& call, const Tile&) {
    return launch_over<T, BM, BN, threads>(vectorized<T>, call);
}

template <class T>
double nanoseconds(const Problem& p, int) {
    return nanoseconds_of_busiest(p, 31, BM, BN, 1);
}

constexpr Tile tiles[] = {{BM, BN, BK}};

template <class T>
constexpr Kernel row(const char* name) {
    constexpr Type type = type_of<HostNumber<T>>;
    return {.name = name,
            .rung = Rung::vectorized,
            .in = type,
            .out = type,
            .sum = type,
            .scheme = &plain_f32,
            .needs = feature::sm80,
            .tiles = tiles,
            .idea = "values are read from shared memory 16 bytes at a time, and the next tile is fetched meanwhile",
            .takes = fits_ints,
            .sum_bound = number_sum_bound<T>,
            .nanoseconds = nanoseconds<T>,
            .run = run<T>,
            .order = sequential_order};
}

}  // namespace
}  // namespace r6

constinit const Kernel r6_vectorized_f32 = r6::row<float>("cuda.r6_vectorized.f32");
constinit const Kernel r6_vectorized_c64 = r6::row<Complex<float>>("cuda.r6_vectorized.c64");

}  // namespace tw::cuda
