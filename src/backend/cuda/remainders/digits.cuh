// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Elements as whole numbers, and these as remainders: some five instructions for each and each modulus.
#pragma once

#include <cstdint>
#include <type_traits>

#include "scheme/remainders_complex.hpp"

namespace tw::cuda {

/// Four low bytes.
__device__ inline unsigned bytes_of(int a, int b, int c, int d) {
    return __byte_perm(__byte_perm(static_cast<unsigned>(a), static_cast<unsigned>(b), 0x0040),
                       __byte_perm(static_cast<unsigned>(c), static_cast<unsigned>(d), 0x0040), 0x5410);
}

/// A whole number by bytes that have signs. One word, of a float, or two.
template <int words>
struct Digits {
    unsigned word[words];
    using Real = std::conditional_t<words == 1, float, double>;

    /// By their weights, on top of another sum.
    __device__ int weighed(const remainders::Weights& weights, int on) const {
        const auto add = [](unsigned bytes, std::uint32_t by, int sum) {
            return __dp4a(static_cast<int>(bytes), static_cast<int>(by), sum);
        };
        const int low = add(word[0], weights.low, on);
        if constexpr (words == 1) return low;
        else return add(word[1], weights.high, low);
    }
    __device__ static Digits of(Real scaled) {
        if constexpr (words == 1) {
            return {(static_cast<unsigned>(__float2int_rn(scaled)) + 0x80808080u) ^ 0x80808080u};
        } else {
            const auto all = static_cast<std::uint64_t>(__double2ll_rn(scaled)) + 0x8080808080808080u;
            return {static_cast<unsigned>(all) ^ 0x80808080u, static_cast<unsigned>(all >> 32) ^ 0x80808080u};
        }
    }
};
/// The low byte, of a sum on top of by.start.
__device__ inline int remainder(int sum, const remainders::OfQuotient& by) {
    const unsigned quotient = __float_as_uint(__fmaf_rn(__int_as_float(sum), by.inverse, by.back));
    return static_cast<int>(static_cast<unsigned>(sum) - static_cast<unsigned>(by.p) * quotient);
}

/// One plane of 16 neighbours, by the rule of a modulus.
template <int words>
__device__ void store_remainders(std::int8_t* to, std::int64_t, const Digits<words> (&whole)[16][1],
                                 const remainders::OfElement& by) {
    const auto of = [&](int i) {
        return remainder(whole[i][0].weighed(by.weights, static_cast<int>(by.quotient.start)), by.quotient);
    };
    *reinterpret_cast<uint4*>(to) =
        make_uint4(bytes_of(of(0), of(1), of(2), of(3)), bytes_of(of(4), of(5), of(6), of(7)),
                   bytes_of(of(8), of(9), of(10), of(11)), bytes_of(of(12), of(13), of(14), of(15)));
}
/// Two planes of 8 neighbours: a face in each.
template <int words>
__device__ void store_remainders(std::int8_t* to, std::int64_t plane_bytes, const Digits<words> (&whole)[8][2],
                                 const remainders::OfFaces& by) {
    unsigned faces[2][2];
#pragma unroll
    for (int word = 0; word < 2; ++word) {
        int plus[4], minus[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const Digits<words>(&x)[2] = whole[4 * word + i];
            const int s = x[0].weighed(by.real, static_cast<int>(by.quotient.start)),
                      both = x[1].weighed(by.imaginary, s);
            plus[i] = remainder(both, by.quotient), minus[i] = remainder(2 * s - both, by.quotient);
        }
        faces[0][word] = bytes_of(plus[0], plus[1], plus[2], plus[3]);
        faces[1][word] = bytes_of(minus[0], minus[1], minus[2], minus[3]);
    }
#pragma unroll
    for (int face = 0; face < 2; ++face)
        *reinterpret_cast<uint2*>(to + face * plane_bytes) = make_uint2(faces[face][0], faces[face][1]);
}

/// Times 2^exponent or less it, of floats in two factors: for a row of small ones it is no float.
__device__ inline double scaled(double x, int exponent, bool negative) {
    return x * __hiloint2double((exponent + 1023 + (negative ? 2048 : 0)) << 20, 0);
}
__device__ inline float scaled(float x, int exponent, bool negative) {
    const int half = exponent / 2, rest = exponent - half + (negative ? 256 : 0);
    return x * __int_as_float((half + 127) << 23) * __int_as_float((rest + 127) << 23);
}

/// Floats reach the one where they reach the other.
template <class Real>
__device__ Real least_above(double threshold) {
    if constexpr (sizeof(Real) == 4) return __double2float_ru(threshold);
    else return threshold;
}

}  // namespace tw::cuda
