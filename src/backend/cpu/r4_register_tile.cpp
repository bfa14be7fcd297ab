// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r4_register_tile: TM x TN results at once, their sums in registers for the whole length of k. One step along k loads
// TM elements of A and TN of B and does TM x TN multiplications with them. The strip of B that all tiles below each
// other read is copied together first, as r3 copies its tiles: spread over a large matrix it would fit no cache.
//
//         k             n                n
//       +-----+       +----+--+--+     +----+--+--+
//    TM |==p==|       | TN |  |  |     |####|  |  |     #### = TM x TN sums, never stored
//       +-----+   x k | p= |  |  |  =  +----+  |  |            before k is through
//       |     |       |    |  |  |     |       |  |
//       +-----+       +----+--+--+     +-------+--+
//
// Needs: TM x TN sums in registers: 4 x 8 f32 are 8 of the 16 that every x86-64 has; k x TN elements of scratch. 2mnk
// flops; (TM + TN) elements loaded for 2 TM TN flops. Gained over r3: the sums leave the cache, 2 loads and a store a
// product become 3/8 of a load.
#include <algorithm>

#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"
#include "backend/cpu/product/vectors.hpp"

namespace tw::cpu {
namespace {

constexpr int TM = 4;
template <class T>
constexpr int TN = 2 * lanes<T>;  // of complex numbers a vector of each part

/// The strip of B from column j on; past the edge lie zeros, whose sums nobody stores.
template <class T>
void copy_strip(T* to, const View<const T>& b, std::int64_t j, int cols) {
    for (std::int64_t p = 0; p < b.rows; ++p, to += TN<T>)
        for (int s = 0; s < TN<T>; ++s) to[s] = s < cols ? b(p, j + s) : T(0);
}

/// A tile of results from (i, j) on. Where C has fewer rows left, the last of them stands in for those that are
/// missing.
template <class T>
void tile(const Product<T>& x, const T* strip, std::int64_t i, std::int64_t j, int rows, int cols) {
    const T* a[TM];
    for (int r = 0; r < TM; ++r) a[r] = &x.a(i + std::min(r, rows - 1), 0);
    Vector<T> sums[TM][2] = {};
    for (std::int64_t p = 0; p < x.k(); ++p, strip += TN<T>) {
        const Vector<T> left = load(strip), right = load(strip + lanes<T>);
        for (int r = 0; r < TM; ++r) {
            const T one = a[r][p * x.a.col_step];
            sums[r][0] += one * left;
            sums[r][1] += one * right;
        }
    }
    for (int r = 0; r < rows; ++r)
        for (int s = 0; s < cols; ++s) x.finish(i + r, j + s, sums[r][s / lanes<T>][s % lanes<T>]);
}

/// Of complex numbers real and imaginary parts lie apart, in the strip as in the sums: no product needs a shuffle.
template <class T>
void copy_strip(T* to, const View<const std::complex<T>>& b, std::int64_t j, int cols) {
    for (std::int64_t p = 0; p < b.rows; ++p, to += 2 * lanes<T>)
        for (int s = 0; s < lanes<T>; ++s) {
            const std::complex<T> x = s < cols ? read(b, p, j + s) : std::complex<T>();
            to[s] = x.real(), to[lanes<T> + s] = x.imag();
        }
}
template <class T>
void tile(const Product<std::complex<T>>& x, const T* strip, std::int64_t i, std::int64_t j, int rows, int cols) {
    const std::complex<T>* a[TM];
    for (int r = 0; r < TM; ++r) a[r] = &x.a(i + std::min(r, rows - 1), 0);
    const T sign = x.a.is_conj ? T(-1) : T(1);
    Vector<T> re[TM] = {}, im[TM] = {};
    for (std::int64_t p = 0; p < x.k(); ++p, strip += 2 * lanes<T>) {
        const Vector<T> c = load(strip), d = load(strip + lanes<T>);
        for (int r = 0; r < TM; ++r) {
            const std::complex<T> one = a[r][p * x.a.col_step];
            const T u = one.real(), v = sign * one.imag();
            re[r] += u * c, re[r] -= v * d;
            im[r] += u * d, im[r] += v * c;
        }
    }
    for (int r = 0; r < rows; ++r)
        for (int s = 0; s < cols; ++s) x.finish(i + r, j + s, {re[r][s], im[r][s]});
}

template <class T>
Status run(const Call& call, const Tile&) {
    const Product<T> x = along_rows(product_of<T>(call));
    PartOf<T>* const strip = reinterpret_cast<PartOf<T>*>(call.scratch.data());
    for (std::int64_t j = 0; j < x.n(); j += TN<T>) {
        const int cols = static_cast<int>(std::min<std::int64_t>(TN<T>, x.n() - j));
        copy_strip(strip, x.b, j, cols);
        for (std::int64_t i = 0; i < x.m(); i += TM)
            tile(x, strip, i, j, static_cast<int>(std::min<std::int64_t>(TM, x.m() - i)), cols);
    }
    return {};
}

template <class T>
std::size_t scratch_bytes(const Problem& p, const Tile&, int) {
    return static_cast<std::size_t>(p.k) * TN<T> * sizeof(T);
}

template <class T>
double nanoseconds(const Problem& p, int) {
    const std::int64_t rows = (p.m + TM - 1) / TM * TM + TM,
                       cols = (p.n + TN<T> - 1) / TN<T> * TN<T>;  // a copy is a tile's work
    const double each = (is_complex(type_of<T>) ? 0.044 : 0.022) * sizeof(T);
    return 30 + each * static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(p.k);
}

template <class T>
constexpr Tile tiles[] = {{TM, TN<T>, 1}};

template <class T>
constexpr Kernel row(const char* name) {
    return {.name = name,
            .rung = Rung::register_tile,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = unsplit<T>,
            .tiles = tiles<T>,
            .idea = "a tile of sums that stays in registers for the whole length of k",
            .sum_bound = sequential_sum_bound<T>,
            .nanoseconds = nanoseconds<T>,
            .scratch_bytes = scratch_bytes<T>,
            .run = run<T>};
}

}  // namespace

constinit const Kernel r4_register_tile_f32 = row<float>("cpu.r4_register_tile.f32");
constinit const Kernel r4_register_tile_f64 = row<double>("cpu.r4_register_tile.f64");
constinit const Kernel r4_register_tile_c64 = row<std::complex<float>>("cpu.r4_register_tile.c64");
constinit const Kernel r4_register_tile_c128 = row<std::complex<double>>("cpu.r4_register_tile.c128");

}  // namespace tw::cpu
