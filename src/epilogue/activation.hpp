// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Activations on W f64 at a time. Results stored in f64 use the C library's exp and erf; for narrower ones a relative
// error of 2^-26 is enough, a quarter of what storing them loses. Internal linkage, as each instruction set compiles
// its own copy; the operations and their order are the same, and so are the bits.
#pragma once

#include <cmath>
#include <cstring>

#include "tilewright/epilogue.hpp"

namespace tw {
namespace {

template <int W>
struct Lanes {
    typedef double Vector __attribute__((vector_size(8 * W)));
    typedef long long Bits __attribute__((vector_size(8 * W)));
    typedef unsigned long long Words __attribute__((vector_size(8 * W)));
    typedef float Floats __attribute__((vector_size(4 * W)));

    static Vector all(double x) { return x - Vector{}; }

    /// Lane by lane: yes where the mask is all ones, no where it is zero.
    static Vector select(Bits mask, Vector yes, Vector no) {
        return reinterpret_cast<Vector>((reinterpret_cast<Bits>(yes) & mask) | (reinterpret_cast<Bits>(no) & ~mask));
    }

    /// e^x as 2^n e^r with |r| <= ln(2) / 2, e^r by its series to r^9 (7e-12): infinite above 709, 1e-304 below -700.
    static Vector exp_of(Vector x) {
        constexpr double shift = 0x1.8p52, ln2_upper = 0x1.62e42fefa38p-1, ln2_lower = 0x1.ef35793c7673p-45;
        const Bits is_infinite = x > all(709);
        x = select(x < all(-700), all(-700), x);
        const Vector shifted = x * 1.4426950408889634074 + shift, n = shifted - shift;
        const Vector r = (x - n * ln2_upper) - n * ln2_lower;
        Vector sum = all(1.0 / 362880);
        for (const double factorial : {40320., 5040., 720., 120., 24., 6., 2., 1., 1.}) sum = sum * r + 1 / factorial;
        const Words power = reinterpret_cast<Words>(shifted)
                            << 52;  // n's low bits, moved to the exponent; garbage where the lane is infinite
        return select(is_infinite, all(HUGE_VAL), reinterpret_cast<Vector>(reinterpret_cast<Words>(sum) + power));
    }

    /// The normal distribution's weight below x: t e^(p(t) - z^2) / 2 for z = |x| / sqrt(2) and t = 2 / (2 + z), which
    /// is erfc(z) / 2; p is a Chebyshev fit on (0, 1], within 1.1e-8.
    static Vector normal_below(Vector x) {
        constexpr double fit[] = {-0.17875724411, 0.99135759854, -2.2051075032,  2.3987337331,
                                  -1.225425173,   0.33554022788, -0.23370789056, -0.07473419439,
                                  0.082592433242, 0.37502019901, 0.99999992725,  -1.2655121243};
        const Bits positive = x > all(0);
        const Vector z = select(positive, x, -x) * 0.70710678118654752440, t = 2 / (2 + z);
        Vector p{};
        for (const double c : fit) p = p * t + c;
        const Vector tail = 0.5 * t * exp_of(p - z * z);
        return select(positive, 1 - tail, tail);
    }

    /// x * weight, with a result too small for f32 made -0 here: rounding it to a subnormal takes a hundred times as
    /// long. An infinite or NaN x still gives what IEEE arithmetic gives.
    static Vector times_weight(Vector x, Vector weight, double vanishes_below) {
        return x * select(x < all(vanishes_below), all(0), weight);
    }

    template <Activation activation>
    static Vector activated_by_library(Vector x) {
        double each[W];
        std::memcpy(each, &x, sizeof x);
        for (double& e : each)
            e = activation == Activation::gelu ? 0.5 * e * (1 + std::erf(e * 0.70710678118654752440))
                                               : e / (1 + std::exp(-e));
        std::memcpy(&x, each, sizeof x);
        return x;
    }

    template <Activation activation, bool to_f64>
    static Vector activated(Vector x) {
        if constexpr (activation == Activation::none) return x;
        if constexpr (activation == Activation::relu) return select(x < all(0), all(0), x);  // a NaN stays
        if constexpr (to_f64 && (activation == Activation::gelu || activation == Activation::silu))
            return activated_by_library<activation>(x);
        if constexpr (activation == Activation::gelu) return times_weight(x, normal_below(x), -40);
        if constexpr (activation == Activation::silu) return times_weight(x, 1 / (1 + exp_of(-x)), -120);
        return x;
    }
};

}  // namespace
}  // namespace tw
