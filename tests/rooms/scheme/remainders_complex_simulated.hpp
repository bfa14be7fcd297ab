// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A complex dot product by remainders as the device computes it, step by step, with the same constants.
#pragma once

#include <array>
#include <complex>

#include "rooms/scheme/remainders_simulated.hpp"
#include "scheme/remainders_complex.hpp"

namespace simulated {

using Complex = std::complex<double>;
using ComplexNumbers = std::vector<Complex>;

struct Faces {
    int plus, minus;
};
inline Faces faces(const OfFaces& by, std::int64_t x, std::int64_t y) {
    const std::int32_t s = weighed(by.real, x, start_of(by.quotient)), both = weighed(by.imaginary, y, s);
    return {remainder(by.quotient, both), remainder(by.quotient, 2 * s - both)};
}

/// What faces u and v, and those of the next modulus, add to both parts.
struct Parts {
    std::int32_t real, imaginary;
};
using FourFaces = std::array<unsigned, 4>;
inline std::int32_t balanced(const OfParts& by, std::int32_t sum) {
    const float quotient = std::fma(static_cast<float>(sum), by.inverse, 0x1.8p23f);
    const std::uint32_t product = std::bit_cast<std::uint32_t>(quotient) * static_cast<std::uint32_t>(by.both);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) - product - by.rest);
}
inline Parts parts(const OfParts& by, const FourFaces& faces) {
    std::int32_t real = 0, low = 0, high = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto face = static_cast<std::int32_t>(faces[i]);
        real += face * static_cast<std::uint8_t>(by.real >> 8 * i);
        low += face * static_cast<std::int8_t>(by.low >> 8 * i);
        high += face * static_cast<std::int8_t>(by.high >> 8 * i);
    }
    return {real, balanced(by, high * 256 + low)};
}

/// C' of 64 bits.
inline std::int64_t times(std::int64_t x, const Halves& by) {
    return x * by.low + x * by.high * (std::int64_t{1} << 32);
}
inline double whole(const WholeOfCount& of, const std::vector<std::int32_t>& sums) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) sum += times(sums[i], of.pairs[i]);
    const float quotient = std::fma(static_cast<float>(static_cast<std::int32_t>(sum >> 32)), of.inverse, 0x1.8p23f);
    return static_cast<double>(sum - times(static_cast<std::int64_t>(quotient - 0x1.8p23f), of.product));
}

/// What the pass that measures finds of a row.
struct ComplexRow {
    const Set& set;
    double largest = 0, norm = 0;
    bool finite = true;
    std::int64_t large = 0;  ///< parts that reach the threshold
    ComplexNumbers x;

    ComplexRow(const Set& of, const ComplexNumbers& numbers) : set(of), x(numbers) {
        double squares = 0;
        const auto each = [&](const auto& visit) {
            for (const Complex& element : x) visit(element.real()), visit(element.imag());
        };
        each([&](double part) {
            squares += part * part;
            largest = std::isnan(part) ? HUGE_VAL : std::max(largest, std::fabs(part));
        });
        finite = largest == 0 || (largest >= 0x1p-400 && largest < 0x1p401);
        norm = std::sqrt(squares) * (1 + 1e-9);
        const double least =
            least_element(least_coefficient(set, set.least, k())) / std::sqrt(2 * static_cast<double>(k()));
        each([&](double part) { large += std::fabs(part) >= least * norm; });
    }
    std::int64_t k() const { return static_cast<std::int64_t>(x.size()); }
    int exponent(int count) const { return largest == 0 ? 0 : std::ilogb(largest_norm(set, count) / norm); }
    double step() const { return largest * (1 + 0x1p-19) / 127; }
    std::int64_t digit(double part) const { return static_cast<std::int64_t>(std::fabs(part) / step()); }
};

/// The count of moduli that the device would take for this row and column alone, if any. Each part of the result has a
/// bound of its own.
inline std::optional<int> count_for(const ComplexRow& a, const ComplexRow& b) {
    if (!a.finite || !b.finite) return {};
    const Set& set = a.set;
    if (are_most(a.large, 2 * a.k()) && are_most(b.large, 2 * a.k())) return set.least;
    if (a.largest == 0 || b.largest == 0) return set.least;
    std::int64_t real = 0, imaginary = 0;
    for (std::size_t i = 0; i < a.x.size(); ++i) {
        const std::int64_t ar = a.digit(a.x[i].real()), ai = a.digit(a.x[i].imag()), br = b.digit(b.x[i].real()),
                           bi = b.digit(b.x[i].imag());
        real += ar * br + ai * bi, imaginary += ar * bi + ai * br;
    }
    const double coefficient =
        static_cast<double>(std::min(real, imaginary)) * (a.step() / a.norm) * (b.step() / b.norm) * (1 - 0x1p-19);
    for (int count = set.least; count <= set.most(); ++count)
        if (coefficient >= least_coefficient(set, count, a.k())) return count;
    return {};
}

inline Complex dot(const ComplexRow& a, const ComplexRow& b, int count) {
    static const Elements<OfFaces> all = faces_of(of_c128);
    const Set& set = a.set;
    const Elements<OfFaces> by = set.least == of_c128.least ? all : faces_of(set);
    const auto& of_a = by.of_a[static_cast<std::size_t>(count - set.least)];
    const int up = a.exponent(count), across = b.exponent(count);
    const auto whole = [](double x, int e) { return std::llrint(std::ldexp(x, e)); };
    std::vector<FourFaces> all_faces(static_cast<std::size_t>((count + 1) / 2));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        std::int32_t plus = 0, minus = 0;
        for (std::size_t j = 0; j < a.x.size(); ++j) {
            const Faces x = faces(of_a[i], whole(a.x[j].real(), up), whole(a.x[j].imag(), up));
            const Faces y = faces(by.of_b[i], whole(b.x[j].real(), across), whole(b.x[j].imag(), across));
            plus += x.plus * y.plus, minus += x.minus * y.minus;
        }
        const OfSum of = of_sum(set.moduli[i]);
        all_faces[i / 2][i % 2 * 2] = remainder(of, plus), all_faces[i / 2][i % 2 * 2 + 1] = remainder(of, minus);
    }
    static const std::array<PartsOfCount, counts> parts_of_c128 = parts_of(of_c128);
    const std::array<PartsOfCount, counts> of_parts = set.least == of_c128.least ? parts_of_c128 : parts_of(set);
    std::vector<std::int32_t> real, imaginary;
    Numbers of_real, of_imaginary;
    for (std::size_t i = 0; i < all_faces.size(); ++i) {
        const OfParts& of = of_parts[static_cast<std::size_t>(count - set.least)][i];
        const Parts sums = parts(of, all_faces[i]);
        real.push_back(sums.real), imaginary.push_back(sums.imaginary);
        of_real.push_back(balanced(of, sums.real)), of_imaginary.push_back(sums.imaginary);
    }
    if (set.least == of_c64.least && count == set.least) {
        const WholeOfCount of = whole_of(set, count);
        return {std::ldexp(simulated::whole(of, real), -up - across),
                std::ldexp(simulated::whole(of, imaginary), -up - across)};
    }
    const auto scaled = [&](const Numbers& sums) {
        return std::ldexp(restored(pairs_of_count(set, count), sums), -up - across);
    };
    return {scaled(of_real), scaled(of_imaginary)};
}

}  // namespace simulated
