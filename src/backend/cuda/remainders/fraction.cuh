// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The fraction C' / P is a sum of quotients t / p, two moduli at once. It is held in three doubles, of which two are
// exact; times P in two terms it is rounded once.
#pragma once

#include "scheme/remainders.hpp"

namespace tw::cuda {

/// Of 0 <= x < 2^31.
__device__ inline double whole(unsigned x) {
    return __dadd_rn(__hiloint2double(0x43300000, static_cast<int>(x)), -0x1p52);
}

/// C' / P, but for a whole number.
struct Fraction {
    double high = 0, middle = 0, low = 0;

    /// x of (t * left + u * right) / (p * q).
    __device__ void add(double x, const remainders::Pair& pair) {
        high = __fma_rn(x, pair.high, high);
        middle = __fma_rn(x, pair.middle, middle);
        low = __fma_rn(x, pair.low, low);
    }
    __device__ double times(const remainders::TwoTerms& product) const {
        const double whole = __dadd_rn(__dadd_rn(high, 0x1.8p52), -0x1.8p52), part = __dadd_rn(high, -whole),
                     sum = __dadd_rn(part, middle), back = __dadd_rn(sum, -part);
        const double lost = __dadd_rn(__dadd_rn(part, -__dadd_rn(sum, -back)), __dadd_rn(middle, -back));
        const double rest = __dadd_rn(lost, low), first = __dadd_rn(sum, rest);
        const double second = __dadd_rn(rest, -__dadd_rn(first, -sum));
        const double large = __dmul_rn(first, product.high);
        double small = __fma_rn(first, product.high, -large);
        small = __fma_rn(first, product.low, small);
        return __dadd_rn(large, __fma_rn(second, product.high, small));
    }
};

}  // namespace tw::cuda
