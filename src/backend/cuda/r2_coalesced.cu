// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r2_coalesced: the same loop with rows and columns swapped among the threads, so that a warp's 32 loads of B are one.
//
//        k              n                  n
//      +-----+      +---+----+      +-------+----+
//    m |=====|  x k |   |####|  = m |       |    |     #### = a warp: one row of A (a broadcast),
//      +-----+      |   |####|      |       |####|            32 neighbouring columns of B (one 128-byte line)
//                   +---+----+      +-------+----+
//
// Needs: nothing. The flops and bytes of r1; the lines of B that a warp fetches fall from 32 to 1 a step.
#include "backend/cuda/core_rung.cuh"

namespace tw::cuda {
namespace r2 {
namespace {

constexpr int side = 32;  // of a block's tile of C

/// Blocks that run together stand below each other: they read the same columns of B.
template <class T>
__global__ void __launch_bounds__(side* side) coalesced(Product<T> p, TileGrid) {
    const int blocks_down = static_cast<int>((p.c.layout.rows + side - 1) / side);
    const int row = static_cast<int>(blockIdx.x) % blocks_down, col = static_cast<int>(blockIdx.x) / blocks_down;
    const std::int64_t i = row * std::int64_t{side} + threadIdx.x / side;
    const std::int64_t j = col * std::int64_t{side} + threadIdx.x % side;
    if (i >= p.c.layout.rows || j >= p.c.layout.cols) return;
    const T *a = &p.a(i, 0), *b = &p.b(0, j);
    const std::int64_t a_step = p.a.layout.col_step, b_step = p.b.layout.row_step;
    T sum{};
    if (a_step == 1 && p.k() < (std::int64_t{1} << 31)) {  // the usual lie of A, and a counter of 32 bits
        const int k = static_cast<int>(p.k());
        for (int q = 0; q < k; ++q) add_product(sum, p.of_a(a[q]), p.of_b(b[q * b_step]));
    } else {
        for (std::int64_t q = 0; q < p.k(); ++q) add_product(sum, p.of_a(a[q * a_step]), p.of_b(b[q * b_step]));
    }
    p.store(i, j, sum);
}

template <class T>
Status run(const Call& call, const Tile&) {
    return launch_over<T, side, side, side * side>(coalesced<T>, call);
}

/// A tile of doubles alone takes longer: 100 x 256 x 32 took 8.7 us.
double nanoseconds(const Problem& p, int) {
    return nanoseconds_of_busiest(p, 6, side, side, size_of(p.in) > 4 ? 4 : 1.5);
}

constexpr Tile tiles[] = {{side, side, 1}};

template <class T>
constexpr Kernel row(const char* name) {
    return {.name = name,
            .rung = Rung::coalesced,
            .in = type_of<HostNumber<T>>,
            .out = type_of<HostNumber<T>>,
            .sum = type_of<HostNumber<T>>,
            .scheme = unsplit<HostNumber<T>>,
            .needs = feature::sm80,
            .tiles = tiles,
            .idea = "neighbouring threads take neighbouring columns, so that a warp reads whole lines of B",
            .sum_bound = number_sum_bound<T>,
            .nanoseconds = nanoseconds,
            .run = run<T>,
            .order = sequential_order};
}

}  // namespace
}  // namespace r2

constinit const Kernel r2_coalesced_f32 = r2::row<float>("cuda.r2_coalesced.f32");
constinit const Kernel r2_coalesced_f64 = r2::row<double>("cuda.r2_coalesced.f64");
constinit const Kernel r2_coalesced_c64 = r2::row<Complex<float>>("cuda.r2_coalesced.c64");
constinit const Kernel r2_coalesced_c128 = r2::row<Complex<double>>("cuda.r2_coalesced.c128");

}  // namespace tw::cuda
