// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f64 products out of int8 ones, by remainders. Rows of A and columns of B are scaled by powers of two and rounded to
// whole numbers x and y, so that |sum x y| < P / 2 for the product P of `count` coprime moduli. The sum is then known
// from its remainders, each of which one int8 product gives:
//
//    C' / P = fraction of  sum over i of  t_i / p_i,     t_i = C' * (P / p_i)^-1 mod p_i
//
// What the device does with these numbers is in backend/cuda/remainders; everything here is arithmetic of constants.
#pragma once

#include <array>
#include <cstdint>

namespace tw::remainders {

inline constexpr int least_count = 14, most_count = 16, counts = most_count - least_count + 1;
inline constexpr int moduli[most_count] = {256, 255, 253, 251, 247, 241, 239, 233,
                                           229, 227, 223, 217, 211, 199, 197, 193};

/// One go: a remainder is at most 128, and k products of two of them stay inside 31 bits.
inline constexpr std::int64_t most_k = 1 << 16;

__extension__ using Wide = unsigned __int128;

/// P.
constexpr Wide product_of_moduli(int count) {
    Wide product = 1;
    for (int i = 0; i < count; ++i) product *= static_cast<Wide>(moduli[i]);
    return product;
}

constexpr int modulo(std::int64_t x, int p) { return static_cast<int>((x % p + p) % p); }

/// In [-p / 2, p / 2): an int8.
constexpr int balanced(std::int64_t x, int p) {
    const int rest = modulo(x, p);
    return 2 * rest >= p ? rest - p : rest;
}

constexpr int inverse(std::int64_t x, int p) {
    for (int i = 1; i < p; ++i)
        if (modulo(x * i, p) == 1) return i;
    return 0;
}

constexpr int power_modulo(int base, int exponent, int p) {
    int power = 1;
    for (int i = 0; i < exponent; ++i) power = modulo(std::int64_t{power} * base, p);
    return power;
}

/// (P / p_i)^-1 mod p_i.
constexpr int share_of(int i, int count) {
    int others = 1;
    for (int j = 0; j < count; ++j)
        if (j != i) others = modulo(std::int64_t{others} * moduli[j], moduli[i]);
    return inverse(others, moduli[i]);
}

/// The remainder of a sum of products in two steps: the high half of (sum * multiplier + half) * p, without a sign. The
/// multiplier times p is 1 (mod 2^32), so that the error, sum / p, stays below half a remainder's share of 2^32 for
/// every sum of 31 bits. It gives not the remainder, but `factor` times it (mod p).
struct OfSum {
    std::uint32_t multiplier, half, p;
    int factor;
};
constexpr OfSum of_sum(int p) {
    const std::uint32_t half = (1u << 31) / static_cast<std::uint32_t>(p);
    if (p == 256) return {1u << 24, half, 256, 1};
    const auto odd = static_cast<std::uint32_t>(p);
    std::uint32_t multiplier = odd;  // right in 3 bits; each step doubles them
    for (int i = 0; i < 5; ++i) multiplier *= 2 - odd * multiplier;
    const std::uint64_t whole = std::uint64_t{multiplier} * odd;
    return {multiplier, half, odd, static_cast<int>((whole >> 32) % odd)};
}

/// The remainder of an element times g, balanced: the bytes of x + 2^63 by weights of 8 bits, then the high half of
/// (s * multiplier + addend) * p, with a sign. s has 18 bits, so that the multiplier's rounding does no harm.
struct OfElement {
    std::uint32_t low_weights, high_weights;
    std::uint32_t multiplier, addend;
    std::int32_t p;
};
constexpr OfElement of_element(int p, int g) {
    std::uint32_t weights[2] = {};
    for (int i = 0; i < 8; ++i) {
        const int weight = balanced(std::int64_t{power_modulo(256, i, p)} * g, p);
        weights[i / 4] |= static_cast<std::uint32_t>(weight & 255) << (8 * (i % 4));
    }
    const auto multiplier = static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + static_cast<std::uint64_t>(p) / 2) /
                                                       static_cast<std::uint64_t>(p));
    const auto sign = static_cast<std::uint32_t>(balanced(std::int64_t{power_modulo(2, 63, p)} * g, p));
    return {weights[0], weights[1], multiplier, (1u << 31) / static_cast<std::uint32_t>(p) - sign * multiplier, p};
}

/// Two remainders t and u at once: (t * left + u * right) / (p * q), the quotient's inverse in three parts, of which
/// the first two are multiples of 2^-48 and 2^-80, so that sums of them are exact.
struct Pair {
    int left, right;
    double high, middle, low;
};
constexpr Pair pair_of(int p, int q) {
    const auto d = static_cast<std::uint64_t>(p) * static_cast<std::uint64_t>(q);
    const std::uint64_t high = (std::uint64_t{1} << 48) / d, rest = (std::uint64_t{1} << 48) % d;
    const std::uint64_t middle = (rest << 32) / d, last = (rest << 32) % d;
    return {q, p, static_cast<double>(high) * 0x1p-48, static_cast<double>(middle) * 0x1p-80,
            static_cast<double>(last) / static_cast<double>(d) * 0x1p-80};
}

/// sqrt(P / 2), a little less: what the 2-norm of a scaled row may be. The millionth is for the rounding to whole
/// numbers and for that of norms.
constexpr double largest_norm(int count) {
    const auto half = static_cast<double>(product_of_moduli(count) / 2);
    double root = 0x1p50;
    for (int i = 0; i < 40; ++i) root = (root + half / root) / 2;
    return root * (1 - 1e-6);
}

/// P as two doubles.
struct TwoTerms {
    double high, low;
};
constexpr TwoTerms terms_of_product(int count) {
    const Wide product = product_of_moduli(count);
    int shift = 0;
    while ((product >> shift) >= Wide{1} << 53) ++shift;
    const auto high = static_cast<double>(product >> shift << shift);
    const Wide rest = product - (product >> shift << shift);
    return {high, static_cast<double>(rest)};
}

inline constexpr int most_pairs = most_count / 2;

/// All that depends on the count.
struct OfCount {
    std::array<OfElement, most_count> of_a;  ///< times share / factor, so that the sum's remainder is t_i
    std::array<Pair, most_pairs> pairs;
    TwoTerms product;
    double largest_norm;
};
constexpr OfCount of_count(int count) {
    OfCount made{};
    for (int i = 0; i < count; ++i) {
        const int p = moduli[i];
        made.of_a[static_cast<std::size_t>(i)] =
            of_element(p, modulo(std::int64_t{share_of(i, count)} * inverse(of_sum(p).factor, p), p));
    }
    for (int i = 0; 2 * i < count; ++i)
        made.pairs[static_cast<std::size_t>(i)] = pair_of(moduli[2 * i], 2 * i + 1 < count ? moduli[2 * i + 1] : 1);
    made.product = terms_of_product(count);
    made.largest_norm = largest_norm(count);
    return made;
}

struct Tables {
    std::array<OfCount, counts> of_count;
    std::array<OfElement, most_count> of_b;
    std::array<OfSum, most_count> of_sum;
};
constexpr Tables tables() {
    Tables made{};
    for (int i = 0; i < counts; ++i) made.of_count[static_cast<std::size_t>(i)] = of_count(least_count + i);
    for (int i = 0; i < most_count; ++i) {
        made.of_b[static_cast<std::size_t>(i)] = of_element(moduli[i], 1);
        made.of_sum[static_cast<std::size_t>(i)] = of_sum(moduli[i]);
    }
    return made;
}

/// The least |a||b| / (||a|| ||b||) of a row and a column whose result a plain f64 sum's bound then covers. Rounding to
/// whole numbers loses (2 sqrt(k) / norm + k / norm^2) ||a|| ||b||: half a unit of each element of one times the other,
/// whose scaled norm is at least half the largest. The bound has k + 2 roundings, of which the result, alpha and beta
/// take three.
constexpr double least_coefficient(int count, std::int64_t k) {
    const auto terms = static_cast<double>(k);
    if (k <= 1) return 2;  // more than there is
    double root = terms;
    for (int i = 0; i < 40; ++i) root = (root + terms / root) / 2;
    const double norm = largest_norm(count);
    return (2 * root / norm + terms / norm / norm) / ((terms - 1) * 0x1p-53) * (1 + 1e-9);
}

/// What most of a row must reach, in units of ||a|| / sqrt(k): where 5 of 8 elements of both do, a quarter of k has
/// both factors so large, and the coefficient is at least a quarter of the square.
constexpr double least_element(double coefficient) {
    double root = 1;
    for (int i = 0; i < 60; ++i) root = (root + coefficient / root) / 2;
    return 2 * root;
}
constexpr bool are_most(std::int64_t large, std::int64_t k) { return 8 * large >= 5 * k; }

}  // namespace tw::remainders
