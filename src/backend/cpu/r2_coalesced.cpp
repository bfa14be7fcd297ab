// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r2_coalesced: the same loops in the order of memory. One element of A meets a whole row of B, and the row of sums
// grows side by side: every load is the neighbour of the last, so that each cache line is used whole.
//
//        k            n               n
//      +-----+      +-------+       +-------+
//    m |  a  |  x k |#######|  =  m |#######|     a * a row of B is added to a row of sums
//      +-----+      +-------+       +-------+
//
// Needs: one row of sums. 2mnk flops; B is read m times from wherever it fits, 4 bytes for each 2 flops in f32.
// Gained over r1: no strided load is left, and the compiler finds vectors in the inner loop.
#include <algorithm>

#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"

namespace tw::cpu {
namespace {

template <class T>
Status run(const Call& call, const Tile&) {
    const Product<T> x = along_rows(product_of<T>(call));
    T* const sums = reinterpret_cast<T*>(call.scratch.data());
    for (std::int64_t i = 0; i < x.m(); ++i) {
        std::fill_n(sums, x.n(), T(0));
        for (std::int64_t p = 0; p < x.k(); ++p) {
            const T a = read(x.a, i, p);
            if constexpr (is_complex(type_of<T>)) add_row(sums, a, &x.b(p, 0), x.b.col_step, x.b.is_conj, x.n());
            else
                for (std::int64_t j = 0; j < x.n(); ++j) sums[j] += a * x.b(p, j);
        }
        for (std::int64_t j = 0; j < x.n(); ++j) x.finish(i, j, sums[j]);
    }
    return {};
}

template <class T>
std::size_t scratch_bytes(const Problem& p, const Tile&, int) {
    return static_cast<std::size_t>(std::max(p.m, p.n)) * sizeof(T);
}

template <class T>
double nanoseconds(const Problem& p, int) {
    return 30 + (is_complex(type_of<T>) ? 0.1 : 0.045) * sizeof(T) * static_cast<double>(p.m) *
                    static_cast<double>(p.n) * static_cast<double>(p.k);
}

constexpr Tile tiles[] = {{1, 1, 1}};

template <class T>
constexpr Kernel row(const char* name) {
    return {.name = name,
            .rung = Rung::coalesced,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = unsplit<T>,
            .tiles = tiles,
            .idea = "the loops in the order of memory: a row of sums grows side by side",
            .sum_bound = sequential_sum_bound<T>,
            .nanoseconds = nanoseconds<T>,
            .scratch_bytes = scratch_bytes<T>,
            .run = run<T>};
}

}  // namespace

constinit const Kernel r2_coalesced_f32 = row<float>("cpu.r2_coalesced.f32");
constinit const Kernel r2_coalesced_f64 = row<double>("cpu.r2_coalesced.f64");
constinit const Kernel r2_coalesced_c64 = row<std::complex<float>>("cpu.r2_coalesced.c64");
constinit const Kernel r2_coalesced_c128 = row<std::complex<double>>("cpu.r2_coalesced.c128");

}  // namespace tw::cpu
