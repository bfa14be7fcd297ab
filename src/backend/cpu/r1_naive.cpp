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

namespace tw::cpu {
namespace {

template <class T>
Status run(const Call& call, const Tile&) {
    const auto a = typed<const T>(call.a), b = typed<const T>(call.b);
    const auto c = typed<T>(call.c);
    const T alpha = static_cast<T>(call.alpha), beta = static_cast<T>(call.beta);
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j) {
            T sum = 0;
            for (std::int64_t p = 0; p < a.cols; ++p) sum += a(i, p) * b(p, j);
            c(i, j) = beta == 0 ? alpha * sum : alpha * sum + beta * c(i, j);
        }
    return {};
}

double nanoseconds(const Problem& p, int) {
    return 1.7 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

template <class T>
double sum_bound(std::int64_t k) {
    return gamma(static_cast<double>(k) + 2, sizeof(T) == 4 ? unit_f32 : unit_f64);
}

constexpr Tile tiles[] = {{1, 1, 1}};
constexpr const char* idea = "the triple loop: one result at a time, one dot product each";

}  // namespace

const Kernel r1_naive_f32{
    .name = "cpu.r1_naive.f32",
    .rung = Rung::naive,
    .in = Type::f32, .out = Type::f32, .sum = Type::f32,
    .scheme = &plain_f32,
    .needs = 0,
    .tiles = tiles,
    .fuses_epilogue = false,
    .idea = idea,
    .takes = nullptr,
    .sum_bound = sum_bound<float>,
    .nanoseconds = nanoseconds,
    .scratch_bytes = nullptr,
    .run = run<float>,
};

const Kernel r1_naive_f64{
    .name = "cpu.r1_naive.f64",
    .rung = Rung::naive,
    .in = Type::f64, .out = Type::f64, .sum = Type::f64,
    .scheme = &plain_f64,
    .needs = 0,
    .tiles = tiles,
    .fuses_epilogue = false,
    .idea = idea,
    .takes = nullptr,
    .sum_bound = sum_bound<double>,
    .nanoseconds = nanoseconds,
    .scratch_bytes = nullptr,
    .run = run<double>,
};

}  // namespace tw::cpu
