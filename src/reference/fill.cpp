// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "reference/fill.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/element.hpp"
#include "reference/random.hpp"

namespace tw::reference {
namespace {

constexpr double least_normal_of(Type type) {
    return type == Type::f64 ? 0x1p-1022 : type == Type::f16 ? 0x1p-14 : 0x1p-126;
}

/// The widest exponents that leave sums of products inside f32 when the operands are f16.
double spread_of(Type type, double wanted) { return type == Type::f16 ? std::min(wanted, 7.0) : wanted; }

constexpr std::uint64_t of_imaginary_parts = 0x5eed;  // their seed is so much larger

double power(Random& random, double spread) { return random.sign() * std::exp2(random.between(-spread, spread)); }

/// The largest whole number whose k-fold sum of squares every sum type holds exactly.
std::int64_t largest_integer(std::int64_t k) {
    const auto root = static_cast<std::int64_t>(std::sqrt(0x1p23 / static_cast<double>(std::max<std::int64_t>(k, 1))));
    return std::clamp<std::int64_t>(root, 1, 64);
}

/// 1 + half a step of bf16, tf32 and f16 (even and odd below), and what the ends of f16 and bf16 do.
constexpr double tie_values[] = {
    0x1.01p0, 0x1.03p0, 0x1.002p0, 0x1.006p0, 0x1.0081p0, 0x1.00fffep0, 65504, 65519, 65520, 65536, 0x1p-14, 0x1p-24,
};

/// Just below, at and above where rounding to bf16 overflows.
double huge_value(Type type, Random& random) {
    if (type != Type::f32) return range_of(type).largest;
    constexpr double near[] = {0x1.fffffep127, 0x1.ffp127, 0x1.fefffep127, 0x1.fep127};
    return near[random.whole(0, 3)];
}

double one_value(Type type, Fill how, Random& random, std::int64_t k) {
    switch (how) {
        case Fill::integers: return static_cast<double>(random.whole(-largest_integer(k), largest_integer(k)));
        case Fill::normal: return random.normal();
        case Fill::symmetric: return random.between(-1, 1);
        case Fill::uniform: return random.unit();
        case Fill::exponents_10: return power(random, spread_of(type, 10));
        case Fill::exponents_30: return power(random, spread_of(type, 30));
        case Fill::exponents_60: return power(random, spread_of(type, 60));
        case Fill::subnormals: return random.between(-1, 1) * least_normal_of(type);
        case Fill::ties: return random.sign() * tie_values[random.whole(0, std::ssize(tie_values) - 1)];
        case Fill::cancellation: return random.normal();
        case Fill::huge:
        case Fill::overflowing: break;
    }
    return huge_value(type, random);
}

/// Which k holds which: pairs (x, -x) in a shuffled order, and with odd k a last one alone.
std::vector<std::int64_t> shuffled(std::int64_t k, std::uint64_t seed) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(k));
    std::iota(order.begin(), order.end(), 0);
    Random random(seed ^ 0x5bd1e995);
    for (std::int64_t i = k - 1; i > 0; --i)
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.whole(0, i))]);
    return order;
}

/// `pair(first, second)` for each pair of k, `tail(last)` for what is left (the last pair when k is even).
template <class Pair, class Tail>
void by_pairs(std::int64_t k, std::uint64_t seed, Pair pair, Tail tail) {
    const auto order = shuffled(k, seed);
    const std::size_t paired = static_cast<std::size_t>((k - 1) / 2 * 2);
    for (std::size_t p = 0; p < paired; p += 2) pair(order[p], order[p + 1]);
    for (std::size_t p = paired; p < order.size(); ++p) tail(order[p]);
}

void fill_cancelling(const Matrix& a, const Matrix& b, std::uint64_t seed) {
    Random random(seed);
    by_pairs(
        a.cols, seed,
        [&](std::int64_t p, std::int64_t q) {
            for (std::int64_t i = 0; i < a.rows; ++i) {
                store_element(a, i, p, random.normal());
                store_element(a, i, q, -load_element(a, i, p));
            }
            for (std::int64_t j = 0; j < b.cols; ++j) {
                store_element(b, p, j, random.normal());
                store_element(b, q, j, load_element(b, p, j));
            }
        },
        [&](std::int64_t p) {
            for (std::int64_t i = 0; i < a.rows; ++i) store_element(a, i, p, random.normal() * 0x1p-20);
            for (std::int64_t j = 0; j < b.cols; ++j) store_element(b, p, j, random.normal());
        });
}

/// What column j of B holds where A is extreme. Beside subnormals every other column leaves the sums subnormal.
double opposite(Fill how, Random& random, std::int64_t k, std::int64_t j) {
    switch (how) {
        case Fill::subnormals: return random.sign() * std::exp2(j % 2 ? random.between(0, 30) : random.between(-9, -6));
        case Fill::overflowing: return random.sign();
        default: break;  // huge: 8 k products still fit
    }
    const auto terms = std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(k, 1)));
    return random.sign() / (8 * static_cast<double>(terms));
}

}  // namespace

const char* name_of(Fill fill) noexcept {
    switch (fill) {
        case Fill::integers: return "integers";
        case Fill::normal: return "normal";
        case Fill::symmetric: return "symmetric";
        case Fill::uniform: return "uniform";
        case Fill::exponents_10: return "exponents_10";
        case Fill::exponents_30: return "exponents_30";
        case Fill::exponents_60: return "exponents_60";
        case Fill::cancellation: return "cancellation";
        case Fill::subnormals: return "subnormals";
        case Fill::huge: return "huge";
        case Fill::overflowing: return "overflowing";
        case Fill::ties: return "ties";
    }
    return "?";
}

void fill(const Matrix& matrix, Fill how, std::uint64_t seed) {
    if (is_complex(matrix.type)) {
        fill(real_parts(matrix), how, seed);
        return fill(imaginary_parts(matrix), how, seed + of_imaginary_parts);
    }
    Random random(seed);
    const bool alternates = how == Fill::huge || how == Fill::overflowing;
    for (std::int64_t i = 0; i < matrix.rows; ++i)
        for (std::int64_t j = 0; j < matrix.cols; ++j) {
            const double value = one_value(matrix.type, how, random, matrix.cols);
            store_element(matrix, i, j, alternates && (i + j) % 2 ? -value : value);
        }
}

void fill_operands(const Matrix& a, const Matrix& b, Fill how, std::uint64_t seed) {
    if (is_complex(a.type)) {
        fill_operands(real_parts(a), real_parts(b), how, seed);
        return fill_operands(imaginary_parts(a), imaginary_parts(b), how, seed + of_imaginary_parts);
    }
    if (how == Fill::cancellation) return fill_cancelling(a, b, seed);
    fill(a, how, seed);
    Random random(seed + 1);
    const bool one_sided = how == Fill::subnormals || how == Fill::huge || how == Fill::overflowing;
    for (std::int64_t p = 0; p < b.rows; ++p)
        for (std::int64_t j = 0; j < b.cols; ++j) {
            const std::int64_t k = b.rows;
            store_element(b, p, j, one_sided ? opposite(how, random, k, j) : one_value(b.type, how, random, k));
        }
}

void fill_with(const Matrix& matrix, double value) {
    if (is_complex(matrix.type)) return fill_with(real_parts(matrix), value), fill_with(imaginary_parts(matrix), value);
    for (std::int64_t i = 0; i < matrix.rows; ++i)
        for (std::int64_t j = 0; j < matrix.cols; ++j) store_element(matrix, i, j, value);
}

}  // namespace tw::reference
