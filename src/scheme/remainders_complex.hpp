// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex products by remainders take two real products for each modulus, not four. Where -1 has a root r modulo p, a
// complex number x + iy has two faces, and the faces of a product are the products of faces:
//
//    a+ = x + r y,  a- = x - r y  (mod p)       c+ = sum a+ b+,  c- = sum a- b-
//    re c = (c+ + c-) / 2,  im c = (c+ - c-) / (2 r)
//
// There are roots where every prime of p is 1 more than a multiple of 4. A conjugate has the faces changed.
#pragma once

#include "scheme/remainders.hpp"
#include "scheme/scheme.hpp"

namespace tw {

/// What remainders_of_f64 is for c128, for c64.
extern const Scheme remainders_of_f32;

}  // namespace tw

namespace tw::remainders {

constexpr int root_of_minus_one(int p) {
    for (int i = 1; i < p; ++i)
        if (modulo(std::int64_t{i} * i + 1, p) == 0) return i;
    return 0;
}

/// The faces of an element times g, as OfElement has the remainder of a real one: the bytes of x and of y by their
/// weights are two sums, whose sum and difference have 19 bits.
struct OfFaces {
    Weights real, imaginary;
    OfQuotient quotient;
};
constexpr OfFaces of_faces(int p, int g) {
    return {weights_of(p, g), weights_of(p, std::int64_t{g} * root_of_minus_one(p)), of_quotient(p)};
}

/// What two faces' halves u and v, and those of the next modulus, add to C's parts, beside one another in a word: bytes
/// times weights are  (u + v) q + (u' + v') p  and  (u - v) q / r + (u' - v') p / r'  (mod pq), of which the second's
/// weights have two bytes. A sum x has 24 bits and a sign. With x / pq + 1.5 * 2^23 as a float, its bits times pq are
/// taken from x; what is left is a balanced remainder on top of `rest`.
struct OfParts {
    std::uint32_t real, low, high;
    float inverse;
    std::int32_t both;
    std::uint32_t rest;
};
constexpr OfParts of_parts(int p, int q) {
    const int left = balanced(inverse(root_of_minus_one(p), p), p) * q,
              right = q == 1 ? 0 : balanced(inverse(root_of_minus_one(q), q), q) * p;
    const auto lowest = [](int x) { return balanced(x, 256); };
    const auto bytes = [](int a, int b, int c, int d) {
        std::uint32_t word = 0;
        for (const int x : {d, c, b, a}) word = word << 8 | static_cast<std::uint32_t>(x & 255);
        return word;
    };
    const int low[] = {lowest(left), lowest(right)}, high[] = {(left - low[0]) / 256, (right - low[1]) / 256};
    const int both = p * q;
    return {bytes(q, q, p, p),
            bytes(low[0], -low[0], low[1], -low[1]),
            bytes(high[0], -high[0], high[1], -high[1]),
            static_cast<float>(1.0 / both),
            both,
            0u - 0x4b400000u * static_cast<std::uint32_t>(both)};
}

constexpr Elements<OfFaces> faces_of(const Set& set) {
    Elements<OfFaces> made{};
    for (int i = 0; i < set.most(); ++i) {
        const int p = set.modulus(i), rest = inverse(modulo(std::int64_t{2} * of_sum(p).factor, p), p);
        made.of_b[static_cast<std::size_t>(i)] = of_faces(p, 1);
        for (int above = 0; above < counts; ++above)
            made.of_a[static_cast<std::size_t>(above)][static_cast<std::size_t>(i)] =
                of_faces(p, modulo(std::int64_t{share_of(set, i, set.least + above)} * rest, p));
    }
    return made;
}
/// For each count.
using PartsOfCount = std::array<OfParts, most_pairs>;
constexpr std::array<PartsOfCount, counts> parts_of(const Set& set) {
    std::array<PartsOfCount, counts> made{};
    for (int above = 0; above < counts; ++above)
        for (int i = 0, count = set.least + above; 2 * i < count; ++i)
            made[static_cast<std::size_t>(above)][static_cast<std::size_t>(i)] =
                of_parts(set.modulus(2 * i), 2 * i + 1 < count ? set.modulus(2 * i + 1) : 1);
    return made;
}

/// C' as a whole number of 64 bits, where P has less than 56, as c64's fewest moduli have: the sum of what two faces
/// each add, x of x / pq, times P / pq, less a multiple of P. The real parts' x may be a few pq, the imaginary ones'
/// are balanced. The quotient follows from the sum's high half.
struct Halves {
    std::int32_t low, high;
};
struct WholeOfCount {
    std::array<Halves, most_pairs> pairs;  ///< P / pq
    Halves product;
    float inverse;  ///< 2^32 / P
};
constexpr Halves halves_of(Wide x) {
    const auto all = static_cast<std::int64_t>(x);
    const auto low = static_cast<std::int32_t>(all);
    return {low, static_cast<std::int32_t>((all - low) >> 32)};
}
constexpr WholeOfCount whole_of(const Set& set, int count) {
    const Wide product = product_of_moduli(set, count);
    WholeOfCount made{{}, halves_of(product), static_cast<float>(0x1p32 / static_cast<double>(product))};
    for (int i = 0; 2 * i < count; ++i) {
        const int both = set.modulus(2 * i) * (2 * i + 1 < count ? set.modulus(2 * i + 1) : 1);
        made.pairs[static_cast<std::size_t>(i)] = halves_of(product / static_cast<Wide>(both));
    }
    return made;
}

}  // namespace tw::remainders
