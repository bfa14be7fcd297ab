// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r1_naive: one thread, one result. Neighbouring threads take neighbouring ROWS of C, as a first attempt would.
//
//        k            n               n
//      +-----+      +---+---+      +-------+
//    m |=====|  x k |   |#  |  = m |   #   |     # = one thread: a row of A along a column of B
//      |=====|      |   |#  |      |   #   |         its neighbour: the next row of A, the same column
//      +-----+      +---+---+      +-------+
//
// Needs: nothing. 2mnk flops, 8 bytes loaded for each 2 of them; a warp's load of A touches 32 separate rows.
#include "backend/cuda/core_rung.cuh"

namespace tw::cuda {
namespace r1 {
namespace {

constexpr int side = 32;  // of a block's tile of C

template <class T>
__global__ void __launch_bounds__(side* side) naive(Product<T> p, TileGrid grid) {
    const std::int64_t i = grid.row() * std::int64_t{side} + threadIdx.x % side;
    const std::int64_t j = grid.col() * std::int64_t{side} + threadIdx.x / side;
    if (i >= p.c.layout.rows || j >= p.c.layout.cols) return;
    T sum{};
    for (std::int64_t q = 0; q < p.k(); ++q) add_product(sum, p.of_a(p.a(i, q)), p.of_b(p.b(q, j)));
    p.store(i, j, sum);
}

template <class T>
Status run(const Call& call, const Tile&) {
    return launch_over<T, side, side, side * side>(naive<T>, call);
}

double nanoseconds(const Problem& p, int) { return nanoseconds_of_busiest(p, 0.45, side, side, 1.5); }

constexpr Tile tiles[] = {{side, side, 1}};

template <class T>
constexpr Kernel row(const char* name) {
    return {.name = name,
            .rung = Rung::naive,
            .in = type_of<HostNumber<T>>,
            .out = type_of<HostNumber<T>>,
            .sum = type_of<HostNumber<T>>,
            .scheme = unsplit<HostNumber<T>>,
            .needs = feature::sm80,
            .tiles = tiles,
            .idea = "one thread, one result: each reads a whole row of A and a whole column of B",
            .sum_bound = number_sum_bound<T>,
            .nanoseconds = nanoseconds,
            .run = run<T>,
            .order = sequential_order};
}

}  // namespace
}  // namespace r1

constinit const Kernel r1_naive_f32 = r1::row<float>("cuda.r1_naive.f32");
constinit const Kernel r1_naive_f64 = r1::row<double>("cuda.r1_naive.f64");
constinit const Kernel r1_naive_c64 = r1::row<Complex<float>>("cuda.r1_naive.c64");
constinit const Kernel r1_naive_c128 = r1::row<Complex<double>>("cuda.r1_naive.c128");

}  // namespace tw::cuda
