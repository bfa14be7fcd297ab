// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r3_tiled: square tiles of A and B are copied into small arrays that stay in L1, and every element
// copied is used S times before it goes. Inside them the loops are r2's: one element of A meets a whole row of B. The
// next meets the same row of B and another row of C, so that no sum waits for itself. Two rows, S = 16 and S = 32: on a
// CPU no occupancy is at stake, and the larger tile wins as long as three of them fit.
//
//          k                 n                  n
//      +--+--+--+        +--+--+--+         +--+--+--+
//      |  |  |  |        |  |B |  |         |  |  |  |
//    m +--+--+--+    x k +--+--+--+  =    m +--+--+--+     C's tile += A's tile x B's tile,
//      |A |  |  |        |  |  |  |         |  |C |  |     over the tiles along k
//      +--+--+--+        +--+--+--+         +--+--+--+
//
// Needs: three S x S tiles, 12 KiB in f32 at S = 32. 2mnk flops; 8 / S bytes from memory for each 2 flops in f32.
// Gained over r2: memory traffic falls S-fold; what is left is the traffic between cache and registers.
#include <algorithm>

#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"
#include "backend/cpu/product/vectors.hpp"

namespace tw::cpu {
namespace {

/// `rows` x `cols` elements of a matrix, from (i, j) on.
template <int S, class T>
void copy_tile(T (&tile)[S][S], const View<const T>& from, std::int64_t i, std::int64_t j, int rows, int cols) {
    for (int r = 0; r < rows; ++r)
        if (from.col_step == 1 && !from.is_conj && cols == S) std::copy_n(&from(i + r, j), S, tile[r]);
        else
            for (int s = 0; s < cols; ++s) tile[r][s] = read(from, i + r, j + s);
}

/// A row of sums += a * a row of B.
template <int S, class T>
void add_row(T (&sums)[S], T a, const T (&b)[S]) {
    for (int s = 0; s < S; s += lanes<T>) store(sums + s, load(sums + s) + a * load(b + s));
}

template <int S, class T>
void add_row(std::complex<T> (&sums)[S], std::complex<T> a, const std::complex<T> (&b)[S]) {
    cpu::add_row(sums, a, b, 1, false, S);
}

template <int S, class T>
Status run(const Call& call, const Tile&) {
    const Product<T> x = along_rows(product_of<T>(call));
    T a[S][S], b[S][S] = {}, c[S][S];
    for (std::int64_t i = 0; i < x.m(); i += S)
        for (std::int64_t j = 0; j < x.n(); j += S) {
            const int rows = static_cast<int>(std::min<std::int64_t>(S, x.m() - i));
            const int cols = static_cast<int>(std::min<std::int64_t>(S, x.n() - j));
            for (auto& sums : c) std::fill_n(sums, S, T(0));
            for (std::int64_t p = 0; p < x.k(); p += S) {
                const int depth = static_cast<int>(std::min<std::int64_t>(S, x.k() - p));
                copy_tile(a, x.a, i, p, rows, depth);
                copy_tile(b, x.b, p, j, depth, cols);
                for (int q = 0; q < depth; ++q)
                    for (int r = 0; r < rows; ++r) add_row(c[r], a[r][q], b[q]);
            }
            for (int r = 0; r < rows; ++r)
                for (int s = 0; s < cols; ++s) x.finish(i + r, j + s, c[r][s]);
        }
    return {};
}

/// Its tiles of sums are cleared whole, however little of them is used.
template <int S, class T>
double nanoseconds(const Problem& p, int) {
    const double products = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    return 0.1 * sizeof(T) * S * S + (is_complex(type_of<T>) ? 0.08 : 0.02 + 0.2 / S) * sizeof(T) * products;
}

template <int S>
constexpr Tile tiles[] = {{S, S, S}};

template <int S, class T>
constexpr Kernel row(const char* name) {
    return {.name = name,
            .rung = Rung::tiled,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = unsplit<T>,
            .tiles = tiles<S>,
            .idea = "square tiles copied into L1, each element used once a row of the tile",
            .sum_bound = sequential_sum_bound<T>,
            .nanoseconds = nanoseconds<S, T>,
            .run = run<S, T>};
}

}  // namespace

constinit const Kernel r3_tiled_16_f32 = row<16, float>("cpu.r3_tiled.f32.16");
constinit const Kernel r3_tiled_32_f32 = row<32, float>("cpu.r3_tiled.f32.32");
constinit const Kernel r3_tiled_16_f64 = row<16, double>("cpu.r3_tiled.f64.16");
constinit const Kernel r3_tiled_32_f64 = row<32, double>("cpu.r3_tiled.f64.32");
constinit const Kernel r3_tiled_16_c64 = row<16, std::complex<float>>("cpu.r3_tiled.c64.16");
constinit const Kernel r3_tiled_16_c128 = row<16, std::complex<double>>("cpu.r3_tiled.c128.16");

}  // namespace tw::cpu
