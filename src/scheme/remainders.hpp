// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f64 and complex products out of int8 ones, by remainders. Rows of A and columns of B are scaled by powers of two and
// rounded to whole numbers x and y, so that |sum x y| < P / 2 for the product P of `count` coprime moduli. The sum is
// then known from its remainders, each of which one int8 product gives:
//
//    C' / P = fraction of  sum over i of  t_i / p_i,     t_i = C' * (P / p_i)^-1 mod p_i
//
// What the device does with these numbers is in backend/cuda/remainders; everything here is arithmetic of constants.
#pragma once

#include <array>
#include <cstdint>

namespace tw::remainders {

inline constexpr int most_of_any = 17, counts = 3;

/// The moduli that products of one type of elements are taken by: the first `least` to `most` of them.
struct Set {
    std::array<int, most_of_any> moduli;
    int least;
    int planes;   ///< int8 products for each of them
    double unit;  ///< the rounding of the type
    int terms;    ///< real products for each of k

    constexpr int most() const { return least + counts - 1; }
    constexpr int modulus(int i) const { return moduli[static_cast<std::size_t>(i)]; }
};
inline constexpr Set of_f64{
    {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193, 0}, 14, 1, 0x1p-53, 1};
/// -1 is a square modulo each of their primes (remainders_complex.hpp).
inline constexpr std::array<int, most_of_any> complex_moduli{241, 233, 229, 221, 205, 197, 193, 181, 173,
                                                             157, 149, 137, 113, 109, 101, 97,  89};
inline constexpr Set of_c128{complex_moduli, 15, 2, 0x1p-53, 2};
inline constexpr Set of_c64{complex_moduli, 7, 2, 0x1p-24, 2};

/// One go: a remainder is at most 128, and k products of two of them stay inside 31 bits.
inline constexpr std::int64_t most_k = 1 << 16;

__extension__ using Wide = unsigned __int128;

/// P.
constexpr Wide product_of_moduli(const Set& set, int count) {
    Wide product = 1;
    for (int i = 0; i < count; ++i) product *= static_cast<Wide>(set.modulus(i));
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
constexpr int share_of(const Set& set, int i, int count) {
    int others = 1;
    for (int j = 0; j < count; ++j)
        if (j != i) others = modulo(std::int64_t{others} * set.modulus(j), set.modulus(i));
    return inverse(others, set.modulus(i));
}

/// The remainder of a sum of products in two steps: the high half of (sum * multiplier + half) * p, without a sign. The
/// multiplier times p is 1 (mod 2^32), so that the error, sum / p, stays below half a remainder's share of 2^32 for
/// every sum of 31 bits. It gives not the remainder, but `factor` times it (mod p).
struct OfSum {
    std::uint32_t multiplier, half, p;
    int factor;
};
constexpr std::uint32_t half_of(int p) { return (1u << 31) / static_cast<std::uint32_t>(p); }
constexpr OfSum of_sum(int p) {
    if (p == 256) return {1u << 24, half_of(p), 256, 1};
    const auto odd = static_cast<std::uint32_t>(p);
    std::uint32_t multiplier = odd;  // right in 3 bits; each step doubles them
    for (int i = 0; i < 5; ++i) multiplier *= 2 - odd * multiplier;
    const std::uint64_t whole = std::uint64_t{multiplier} * odd;
    return {multiplier, half_of(p), odd, static_cast<int>((whole >> 32) % odd)};
}

/// The low byte of a balanced remainder of s, which has 19 bits. On top of `start` s is the bits of a float, a multiple
/// of 256 p and s. That times `inverse` plus `back` is rounded to 1.5 * 2^23 and the quotient q, and the low byte of
/// s - p * q is that of the two floats' bits, too.
struct OfQuotient {
    std::uint32_t start;
    float inverse, back;
    std::int32_t p;
};
constexpr OfQuotient of_quotient(int p) {
    constexpr int bits_of_2_23 = 0x4b000000, one = 1 << 23, room = 1 << 19;
    const int quotient = 256 * ((one + room) / (256 * p) + 1);
    return {static_cast<std::uint32_t>(bits_of_2_23 + quotient * p - one), static_cast<float>(1.0 / p),
            static_cast<float>(3 * (one / 2) - quotient), p};
}

struct Weights {
    std::uint32_t low, high;
};
/// The remainder of an element times g: its bytes, with signs, by weights of 8 bits add up to s.
struct OfElement {
    Weights weights;
    OfQuotient quotient;
};
constexpr Weights weights_of(int p, std::int64_t g) {
    std::uint32_t words[2] = {};
    for (int i = 0; i < 8; ++i) {
        const int weight = balanced(power_modulo(256, i, p) * g, p);
        words[i / 4] |= static_cast<std::uint32_t>(weight & 255) << (8 * (i % 4));
    }
    return {words[0], words[1]};
}
constexpr OfElement of_element(int p, int g) { return {weights_of(p, g), of_quotient(p)}; }

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
constexpr double largest_norm(const Set& set, int count) {
    const auto half = static_cast<double>(product_of_moduli(set, count) / 2);
    double root = 0x1p50;
    for (int i = 0; i < 40; ++i) root = (root + half / root) / 2;
    return root * (1 - 1e-6);
}

/// P as two doubles.
struct TwoTerms {
    double high, low;
};
constexpr TwoTerms terms_of_product(const Set& set, int count) {
    const Wide product = product_of_moduli(set, count);
    int shift = 0;
    while ((product >> shift) >= Wide{1} << 53) ++shift;
    const auto high = static_cast<double>(product >> shift << shift);
    const Wide rest = product - (product >> shift << shift);
    return {high, static_cast<double>(rest)};
}

inline constexpr int most_pairs = (most_of_any + 1) / 2;

/// What C is put together with, from the remainders by so many moduli.
struct PairsOfCount {
    std::array<Pair, most_pairs> pairs;
    TwoTerms product;
};
constexpr PairsOfCount pairs_of_count(const Set& set, int count) {
    PairsOfCount made{};
    for (int i = 0; 2 * i < count; ++i)
        made.pairs[static_cast<std::size_t>(i)] =
            pair_of(set.modulus(2 * i), 2 * i + 1 < count ? set.modulus(2 * i + 1) : 1);
    made.product = terms_of_product(set, count);
    return made;
}
constexpr std::array<PairsOfCount, counts> pairs_of_counts(const Set& set) {
    std::array<PairsOfCount, counts> made{};
    for (int i = 0; i < counts; ++i) made[static_cast<std::size_t>(i)] = pairs_of_count(set, set.least + i);
    return made;
}

constexpr std::array<OfSum, most_of_any> of_sums(const Set& set) {
    std::array<OfSum, most_of_any> made{};
    for (int i = 0; i < set.most(); ++i) made[static_cast<std::size_t>(i)] = of_sum(set.modulus(i));
    return made;
}

/// How elements become remainders; A's depend on the count.
template <class Rule>
struct Elements {
    std::array<std::array<Rule, most_of_any>, counts> of_a;  ///< times share / factor, so that the sum's are t_i
    std::array<Rule, most_of_any> of_b;
};
constexpr Elements<OfElement> elements_of_f64() {
    Elements<OfElement> made{};
    for (int i = 0; i < of_f64.most(); ++i) {
        const int p = of_f64.modulus(i);
        made.of_b[static_cast<std::size_t>(i)] = of_element(p, 1);
        for (int above = 0; above < counts; ++above) {
            const int share = share_of(of_f64, i, of_f64.least + above);
            made.of_a[static_cast<std::size_t>(above)][static_cast<std::size_t>(i)] =
                of_element(p, modulo(std::int64_t{share} * inverse(of_sum(p).factor, p), p));
        }
    }
    return made;
}

/// The least |a||b| / (||a|| ||b||) of a row and a column whose result a plain sum's bound then covers, where each part
/// of it is a sum of `terms` real products. Rounding to whole numbers loses (2 sqrt(terms) / norm + terms / norm^2)
/// ||a|| ||b||: half a unit of each element of one times the other, whose scaled norm is at least half the largest. The
/// bound has two roundings more than terms, four of complex ones; the result, alpha and beta take three, and five.
constexpr double least_coefficient(const Set& set, int count, std::int64_t k) {
    const auto terms = static_cast<double>(set.terms * k);
    if (terms <= 1) return 2;  // more than there is
    double root = terms;
    for (int i = 0; i < 40; ++i) root = (root + terms / root) / 2;
    const double norm = largest_norm(set, count);
    return (2 * root / norm + terms / norm / norm) / ((terms - 1) * set.unit) * (1 + 1e-9);
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
