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

/// The faces of an element times g, balanced, as OfElement has the remainder of a real one: the bytes of x and of y by
/// their weights are two sums, whose sum and difference have 19 bits.
struct OfFaces {
    Weights real, imaginary;
    std::uint32_t multiplier, addends[2];
    std::int32_t p;
};
constexpr OfFaces of_faces(int p, int g) {
    const std::int64_t across = std::int64_t{g} * root_of_minus_one(p);
    const std::uint32_t multiplier = multiplier_of(p), x = bias_of(p, g), y = bias_of(p, across);
    return {weights_of(p, g),
            weights_of(p, across),
            multiplier,
            {half_of(p) - (x + y) * multiplier, half_of(p) - (x - y) * multiplier},
            p};
}

/// The parts' remainders of two faces' u and v, which have the half of it: u + v, and (u - v) / r as the high half of
/// ((u - v) * multiplier + half) * p, without a sign.
struct OfParts {
    std::uint32_t p, multiplier, half;
};
constexpr OfParts of_parts(int p) {
    return {static_cast<std::uint32_t>(p), multiplier_of(p, inverse(root_of_minus_one(p), p)), half_of(p)};
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
constexpr std::array<OfParts, most_of_any> parts_of(const Set& set) {
    std::array<OfParts, most_of_any> made{};
    for (int i = 0; i < set.most(); ++i) made[static_cast<std::size_t>(i)] = of_parts(set.modulus(i));
    return made;
}

}  // namespace tw::remainders
