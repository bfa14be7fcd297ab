// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r5_register_block: r3 and r4 together. Blocks of A and B are copied into the cache in the order in which they will be
// read, and inside them tiles of sums are kept in registers: each level of memory hands the next what it uses again.
//
//            BK             BN                  BN
//         +------+       +--+--+--+         +--+--+--+
//      BM |==    |       |= |  |  |      BM |##|  |  |     ## = a TM x TN tile of sums in registers;
//         |      |  x BK |= |  |  |   =     +--+--+--+          it visits the block once for each BK
//         +------+       +--+--+--+         |  |  |  |
//                                           +--+--+--+
//
// Needs: BM x BK + BK x BN elements of scratch in L2, those of A a vector each (320 KiB in f32). 2mnk
// flops; from memory (1/BM + 1/BN) elements for each 2 flops. Gained over r4: A no longer streams from memory once for
// each TN columns, and an element of it is spread over a vector once a block, not once a tile.
#include <algorithm>

#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"
#include "backend/cpu/product/vectors.hpp"

namespace tw::cpu {
namespace {

constexpr int BM = 128, BN = 128, BK = 128;
constexpr int TM = 4;
template <class T>
constexpr int TN = 2 * lanes<T>;

/// A block in the order of reading: for each strip of `width` along one side, its elements side by side at each step
/// along k. An element of B is copied as it is, one of A into all the lanes of a vector: whoever reads it need not
/// spread it. Past the edge the last row or column stands in for those that are missing; nobody stores its sums.
template <int width, class To, class T>
void copy_block(To* to, const View<const T>& from, std::int64_t side, std::int64_t p, std::int64_t depth,
                std::int64_t block) {
    for (std::int64_t strip = 0; strip < block; strip += width) {
        const T* side_by_side[width];
        for (int w = 0; w < width; ++w) side_by_side[w] = &from(std::min(side + strip + w, from.rows - 1), p);
        for (std::int64_t q = 0; q < depth; ++q)
            for (int w = 0; w < width; ++w)
                *to++ = side_by_side[w][q * from.col_step] - To{};  // keeps the sign of a zero
    }
}

/// Of complex numbers real parts at each step, then imaginary ones.
template <int width, class To, class T>
void copy_block(To* to, const View<const std::complex<T>>& from, std::int64_t side, std::int64_t p, std::int64_t depth,
                std::int64_t block) {
    const T sign = from.is_conj ? T(-1) : T(1);
    for (std::int64_t strip = 0; strip < block; strip += width) {
        const std::complex<T>* side_by_side[width];
        for (int w = 0; w < width; ++w) side_by_side[w] = &from(std::min(side + strip + w, from.rows - 1), p);
        for (std::int64_t q = 0; q < depth; ++q) {
            for (int w = 0; w < width; ++w) *to++ = side_by_side[w][q * from.col_step].real() - To{};
            for (int w = 0; w < width; ++w) *to++ = sign * side_by_side[w][q * from.col_step].imag() - To{};
        }
    }
}

/// Two vectors of sums in each of TM rows: neighbours, or the real and the imaginary parts of the same numbers.
template <class T>
using Sums = T[TM][2 * lanes<T>];

template <class T>
void add_products(Vector<T> (&sums)[TM][2], const T*, const Vector<T>* a, const T* b, std::int64_t depth) {
    for (std::int64_t q = 0; q < depth; ++q, a += TM, b += 2 * lanes<T>)
        for (int r = 0; r < TM; ++r) {
            sums[r][0] += a[r] * load(b);
            sums[r][1] += a[r] * load(b + lanes<T>);
        }
}
template <class T>
void add_products(Vector<T> (&sums)[TM][2], const std::complex<T>*, const Vector<T>* a, const T* b,
                  std::int64_t depth) {
    for (std::int64_t q = 0; q < depth; ++q, a += 2 * TM, b += 2 * lanes<T>) {
        const Vector<T> re = load(b), im = load(b + lanes<T>);
        for (int r = 0; r < TM; ++r) {
            sums[r][0] += a[r] * re, sums[r][0] -= a[TM + r] * im;
            sums[r][1] += a[r] * im, sums[r][1] += a[TM + r] * re;
        }
    }
}

/// A tile's sums over the block's depth, on top of those that are there.
template <class Number, class T = PartOf<Number>>
void tile(const Vector<T>* a, const T* b, std::int64_t depth, Sums<T>& kept) {
    Vector<T> sums[TM][2] = {};
    add_products(sums, static_cast<const Number*>(nullptr), a, b, depth);
    for (int r = 0; r < TM; ++r) {
        store(kept[r], load(kept[r]) + sums[r][0]);
        store(kept[r] + lanes<T>, load(kept[r] + lanes<T>) + sums[r][1]);
    }
}

template <class T>
struct Scratch {
    static constexpr int parts = sizeof(T) / sizeof(PartOf<T>);
    Vector<PartOf<T>> a[parts * BM * BK];
    PartOf<T> b[parts * BK * BN];
    Sums<PartOf<T>> c[BM / TM][BN / TN<T>];

    T sum(std::int64_t r, std::int64_t s) const {
        const PartOf<T>* const first = &c[r / TM][s / TN<T>][r % TM][s % TN<T>];
        if constexpr (parts == 2) return {first[0], first[TN<T>]};
        else return *first;
    }
};

template <class T>
Status run(const Call& call, const Tile&) {
    const Product<T> x = along_rows(product_of<T>(call));
    auto& block = *reinterpret_cast<Scratch<T>*>(call.scratch.data());
    constexpr int parts = Scratch<T>::parts;
    for (std::int64_t i = 0; i < x.m(); i += BM)
        for (std::int64_t j = 0; j < x.n(); j += BN) {
            const std::int64_t rows = std::min<std::int64_t>(BM, x.m() - i);
            const std::int64_t cols = std::min<std::int64_t>(BN, x.n() - j);
            std::fill_n(&block.c[0][0][0][0], sizeof block.c / sizeof(PartOf<T>), PartOf<T>(0));
            for (std::int64_t p = 0; p < x.k(); p += BK) {
                const std::int64_t depth = std::min<std::int64_t>(BK, x.k() - p);
                copy_block<TM>(block.a, x.a, i, p, depth, rows);
                copy_block<TN<T>>(block.b, x.b.transposed(), j, p, depth, cols);
                for (int r = 0; r * TM < rows; ++r)
                    for (int s = 0; s * TN<T> < cols; ++s)
                        tile<T>(block.a + parts * r * TM * depth, block.b + parts * s * TN<T> * depth, depth,
                                block.c[r][s]);
            }
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t s = 0; s < cols; ++s) x.finish(i + r, j + s, block.sum(r, s));
        }
    return {};
}

template <class T>
std::size_t scratch_bytes(const Problem&, const Tile&, int) {
    return sizeof(Scratch<T>);
}

template <class T>
double nanoseconds(const Problem& p, int) {
    const std::int64_t rows = (p.m + TM - 1) / TM * TM, cols = (p.n + TN<T> - 1) / TN<T> * TN<T>;
    const double each = (is_complex(type_of<T>) ? 0.038 : 0.019) * sizeof(T);
    return 100 + each * static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(p.k);
}

template <class T>
double sum_bound(std::int64_t k) {
    constexpr bool is_pair = is_complex(type_of<T>);
    const std::int64_t of_block = std::min<std::int64_t>(k, BK) * (is_pair ? 2 : 1);
    const auto longest = static_cast<double>(of_block + (k - 1) / BK + 2);  // the first block adds to 0
    return gamma(longest + (is_pair ? 2 : 0), unit_of<T>);
}

constexpr Tile tiles[] = {{BM, BN, BK}};

template <class T>
constexpr Kernel row(const char* name) {
    return {.name = name,
            .rung = Rung::register_block,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = unsplit<T>,
            .tiles = tiles,
            .idea = "blocks copied into the cache in the order of reading, and register tiles inside them",
            .sum_bound = sum_bound<T>,
            .nanoseconds = nanoseconds<T>,
            .scratch_bytes = scratch_bytes<T>,
            .run = run<T>};
}

}  // namespace

constinit const Kernel r5_register_block_f32 = row<float>("cpu.r5_register_block.f32");
constinit const Kernel r5_register_block_f64 = row<double>("cpu.r5_register_block.f64");
constinit const Kernel r5_register_block_c64 = row<std::complex<float>>("cpu.r5_register_block.c64");
constinit const Kernel r5_register_block_c128 = row<std::complex<double>>("cpu.r5_register_block.c128");

}  // namespace tw::cpu
