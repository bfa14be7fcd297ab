// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sums and products of f64 whose rounding error is kept in a second f64.
#pragma once

#include <cmath>

namespace tw::reference {

/// hi + lo, unevaluated.
struct Twice {
    double hi = 0, lo = 0;
};

/// Exact unless it overflows.
constexpr Twice two_sum(double a, double b) noexcept {
    const double sum = a + b, from_b = sum - a;
    return {sum, (a - (sum - from_b)) + (b - from_b)};
}

/// Exact unless it overflows, or lo underflows.
inline Twice two_product(double a, double b) noexcept {
    const double product = a * b;
    return {product, std::fma(a, b, -product)};
}

/// The upper 26 bits: what is left of x fits into 26 more, so that products of halves are exact.
/// Beyond 2^996 the answer is NaN.
constexpr double upper_half(double x) noexcept {
    const double scaled = x * 0x1.0000002p27;
    return scaled - (scaled - x);
}

/// x + y, the small parts added plainly. Where hi is not finite there is nothing to keep.
inline Twice add(Twice x, Twice y) noexcept {
    const Twice sum = two_sum(x.hi, y.hi);
    if (!std::isfinite(sum.hi)) return {sum.hi, 0};
    return two_sum(sum.hi, sum.lo + (x.lo + y.lo));
}

inline Twice multiply(double factor, Twice x) noexcept {
    const Twice product = two_product(factor, x.hi);
    if (!std::isfinite(product.hi)) return {product.hi, 0};
    return two_sum(product.hi, product.lo + factor * x.lo);
}

}  // namespace tw::reference
