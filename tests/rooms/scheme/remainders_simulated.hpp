// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A dot product by remainders as the device computes it, step by step, with the same constants.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheme/remainders.hpp"

namespace simulated {

using namespace tw::remainders;
using Numbers = std::vector<double>;

inline const Elements<OfElement>& elements() {
    static constexpr Elements<OfElement> made = elements_of_f64();
    return made;
}

/// The bytes of x, which have signs, by their weights, on top of another sum.
inline std::int32_t weighed(const Weights& by, std::int64_t x, std::int32_t s) {
    constexpr std::uint64_t all = 0x8080808080808080u;
    const std::uint64_t bytes = (static_cast<std::uint64_t>(x) + all) ^ all;
    for (unsigned i = 0; i < 8; ++i) {
        const std::uint32_t weights = i < 4 ? by.low : by.high;
        s += static_cast<std::int8_t>(bytes >> (8 * i)) * static_cast<std::int8_t>(weights >> (8 * (i % 4)));
    }
    return s;
}
inline std::int32_t start_of(const OfQuotient& by) { return static_cast<std::int32_t>(by.start); }
inline int remainder(const OfQuotient& by, std::int32_t sum) {
    const float quotient = std::fma(std::bit_cast<float>(sum), by.inverse, by.back);
    const std::uint32_t product = std::bit_cast<std::uint32_t>(quotient) * static_cast<std::uint32_t>(by.p);
    return static_cast<std::int8_t>(static_cast<std::uint32_t>(sum) - product);
}
inline int remainder(const OfElement& by, std::int64_t x) {
    return remainder(by.quotient, weighed(by.weights, x, start_of(by.quotient)));
}

inline unsigned remainder(const OfSum& by, std::int32_t sum) {
    const std::uint32_t part = static_cast<std::uint32_t>(sum) * by.multiplier + by.half;
    return static_cast<unsigned>((std::uint64_t{part} * by.p) >> 32);
}

/// C' out of what two remainders each add up to.
inline double restored(const PairsOfCount& of, const Numbers& sums) {
    double high = 0, middle = 0, low = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const Pair& pair = of.pairs[i];
        high = std::fma(sums[i], pair.high, high), middle = std::fma(sums[i], pair.middle, middle),
        low = std::fma(sums[i], pair.low, low);
    }
    const double part = high - std::rint(high), sum = part + middle, back = sum - part;
    const double rest = ((part - (sum - back)) + (middle - back)) + low, first = sum + rest;
    const double second = rest - (first - sum);
    const double large = first * of.product.high;
    const double small = std::fma(first, of.product.low, std::fma(first, of.product.high, -large));
    return large + std::fma(second, of.product.high, small);
}

/// C' out of the remainders t_i.
inline double restored(const PairsOfCount& of, const std::vector<unsigned>& t) {
    Numbers sums;
    for (std::size_t i = 0; 2 * i < t.size(); ++i) {
        const Pair& pair = of.pairs[i];
        const unsigned left = t[2 * i] * static_cast<unsigned>(pair.left),
                       right = 2 * i + 1 < t.size() ? t[2 * i + 1] * static_cast<unsigned>(pair.right) : 0;
        sums.push_back(static_cast<double>(left + right));
    }
    return restored(of, sums);
}

/// What the pass that measures finds of a row.
struct Row {
    double largest = 0, norm = 0;
    bool finite = true;
    std::int64_t large = 0;  ///< elements that reach the threshold
    Numbers x;

    explicit Row(const Numbers& numbers) : x(numbers) {
        double squares = 0;
        for (const double element : x) {
            squares += element * element;
            largest = std::isnan(element) ? HUGE_VAL : std::max(largest, std::fabs(element));
        }
        finite = largest == 0 || (largest >= 0x1p-400 && largest < 0x1p401);
        norm = std::sqrt(squares) * (1 + 1e-9);
        const auto k = static_cast<std::int64_t>(x.size());
        const double least =
            least_element(least_coefficient(of_f64, of_f64.least, k)) / std::sqrt(static_cast<double>(k));
        for (const double element : x) large += std::fabs(element) >= least * norm;
    }
    int exponent(int count) const { return largest == 0 ? 0 : std::ilogb(largest_norm(of_f64, count) / norm); }
    double step() const { return largest * (1 + 0x1p-19) / 127; }
};

/// The count of moduli that the device would take for this row and column alone, if any.
inline std::optional<int> count_for(const Row& a, const Row& b) {
    if (!a.finite || !b.finite) return {};
    const auto k = static_cast<std::int64_t>(a.x.size());
    if (are_most(a.large, k) && are_most(b.large, k)) return of_f64.least;
    if (a.largest == 0 || b.largest == 0) return of_f64.least;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < a.x.size(); ++i)
        sum += static_cast<std::int64_t>(std::fabs(a.x[i]) / a.step()) *
               static_cast<std::int64_t>(std::fabs(b.x[i]) / b.step());
    const double coefficient = static_cast<double>(sum) * (a.step() / a.norm) * (b.step() / b.norm) * (1 - 0x1p-19);
    for (int count = of_f64.least; count <= of_f64.most(); ++count)
        if (coefficient >= least_coefficient(of_f64, count, k)) return count;
    return {};
}

inline double dot(const Row& a, const Row& b, int count) {
    const auto& of_a = elements().of_a[static_cast<std::size_t>(count - of_f64.least)];
    const int up = a.exponent(count), across = b.exponent(count);
    std::vector<unsigned> t(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < t.size(); ++i) {
        std::int32_t sum = 0;
        for (std::size_t j = 0; j < a.x.size(); ++j)
            sum += remainder(of_a[i], std::llrint(std::ldexp(a.x[j], up))) *
                   remainder(elements().of_b[i], std::llrint(std::ldexp(b.x[j], across)));
        t[i] = remainder(of_sum(of_f64.moduli[i]), sum);
    }
    return std::ldexp(restored(pairs_of_count(of_f64, count), t), -up - across);
}

}  // namespace simulated
