// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r10_split_remainders: a product of doubles from the remainders of whole numbers, by 14 to 16 products of int8.
//
//    A, B  ->  scaled whole numbers  ->  x mod 256, x mod 255, x mod 253, ...     a plane of int8 for each modulus
//                                             |          |          |
//                                          int8 product, reduced where it is summed: a byte a result
//                                             +----------+----------+-->  C / P = fraction of sum t / p, rounded once
//
// As many products as there are moduli, at 28 times the rate of f64's matrix unit; each operand is rounded once, in
// units of its row's norm. Whether that keeps the bound of a plain f64 sum depends on how a row's magnitudes lie beside
// a column's: the device finds that out, takes more moduli, or leaves tiles of C to r8_dmma.
// Needs: sm_90a. 14 times 2mnk int8 operations, 2 x 8 + 14 bytes an element of A and B, and 14 + 14 + 8 one of C.
#include <algorithm>
#include <cmath>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/remainders/scratch.cuh"

namespace tw::cuda {
namespace {

Status run_remainders(const Call& call) {
    const std::int64_t m = call.m(), n = call.n(), k = call.k();
    RemaindersScratch own(call.scratch.data(), m, n, k);
    own.call.a.rows = tensor_of<const double>(call.a);
    own.call.b.rows = tensor_of<const double>(call.b.transposed());
    Status done;
    for (const auto& pass :
         {measure_rows, convert_rows, write_magnitudes, bound_products, convert_again, multiply_remainders})
        if (done) done = pass(own.call, call.stream);
    if (done) done = restore(own.call, product_of<double>(call), call.stream);
    const TileMap native{own.call.out.native, 2 * own.call.out.across, &own.call.found->any_native};
    return done ? run_dmma_where(call, native) : done;
}

std::size_t bytes_for(std::int64_t m, std::int64_t n, std::int64_t k) {
    return k > remainders::most_k ? 0 : RemaindersScratch(nullptr, m, n, k).bytes;
}

/// What it needs and what it would use more of: a large product that finds no memory goes native.
constexpr std::size_t most_needed = std::size_t{1} << 30;
std::size_t scratch_bytes(const Problem& p, const Tile&, int) {
    const std::size_t bytes = std::max(bytes_for(p.m, p.n, p.k), bytes_for(p.n, p.m, p.k));
    return bytes > most_needed ? 0 : bytes;
}
std::size_t scratch_of(const Call& call, const Tile&) {
    return std::max(bytes_for(call.m(), call.n(), call.k()), bytes_for(call.n(), call.m(), call.k()));
}

Status run(const Call& asked, const Tile&) {
    const Call call = is_turned(asked) ? across(asked) : asked;
    const std::size_t bytes = bytes_for(call.m(), call.n(), call.k());
    return bytes == 0 || bytes > call.scratch.size() ? r8_dmma_f64.run(call, {}) : run_remainders(call);
}

/// As measured on an H100, with 14 moduli. Whole waves of tiles: a tile is one modulus's, and what stands in the open
/// between two shows where k is short.
double nanoseconds(const Problem& p, int threads) {
    if (p.k > remainders::most_k) return r8_dmma_f64.nanoseconds(p, threads) + 1;
    constexpr double convert = 13e-3, restore = 9e-3, operations = 1.55e6, between_tiles = 1300, between_passes = 25e3;
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double at_once = multiprocessors_for_costs();
    const auto tiles = static_cast<double>(tiles_over(p.m, RemaindersOutput::rows) * remainders::least_count *
                                           tiles_over(p.n, RemaindersOutput::columns));
    const double of_tile = 2 * RemaindersOutput::tile_bytes * k * at_once / operations;
    return between_passes + convert * k * (m + n) + restore * m * n +
           std::ceil(tiles / at_once) * (of_tile + between_tiles);
}

}  // namespace

constinit const Kernel r10_split_remainders_f64{
    .name = "cuda.r10_split_remainders.f64",
    .rung = Rung::split,
    .in = Type::f64,
    .out = Type::f64,
    .sum = Type::f64,
    .scheme = &remainders_of_f64,
    .needs = feature::sm90a,
    .idea = "f64 from the remainders of scaled whole numbers: an int8 product for each of 14 to 16 moduli",
    .takes = fits_ints,
    .sum_bound = sequential_sum_bound<double>,
    .nanoseconds = nanoseconds,
    .scratch_bytes = scratch_bytes,
    .scratch_of = scratch_of,
    .run = run,
};

}  // namespace tw::cuda
