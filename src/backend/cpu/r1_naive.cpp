// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r1_naive: the triple loop. Each result is one dot product, finished before the next is begun.
//
//        k            n               n
//      +-----+      +---+---+      +-------+
//    m |=====|  x k |   |#  |  = m |   #   |     # = one row of A along one column of B
//      +-----+      +---+---+      +-------+
//
// Needs: nothing. 2mnk flops; 8 bytes read for each 2 flops (0.25 flop/byte in f32), B with a stride of a whole row.
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"

namespace tw::cpu {
namespace {

template <class T>
Status run(const Call& call, const Tile&) {
    const Product<T> x = product_of<T>(call);
    for (std::int64_t i = 0; i < x.m(); ++i)
        for (std::int64_t j = 0; j < x.n(); ++j) {
            T sum = 0;
            for (std::int64_t p = 0; p < x.k(); ++p) sum += times(read(x.a, i, p), read(x.b, p, j));
            x.finish(i, j, sum);
        }
    return {};
}

double nanoseconds(const Problem& p, int) {
    return (is_complex(p.in) ? 3 : 1.7) * static_cast<double>(p.m) * static_cast<double>(p.n) *
           static_cast<double>(p.k);
}

constexpr Tile tiles[] = {{1, 1, 1}};

template <class T>
constexpr Kernel row(const char* name) {
    return {.name = name,
            .rung = Rung::naive,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = unsplit<T>,
            .tiles = tiles,
            .idea = "the triple loop: one result at a time, one dot product each",
            .sum_bound = sequential_sum_bound<T>,
            .nanoseconds = nanoseconds,
            .run = run<T>};
}

}  // namespace

constinit const Kernel r1_naive_f32 = row<float>("cpu.r1_naive.f32");
constinit const Kernel r1_naive_f64 = row<double>("cpu.r1_naive.f64");
constinit const Kernel r1_naive_c64 = row<std::complex<float>>("cpu.r1_naive.c64");
constinit const Kernel r1_naive_c128 = row<std::complex<double>>("cpu.r1_naive.c128");

}  // namespace tw::cpu
