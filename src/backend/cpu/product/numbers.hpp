// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Real and complex arithmetic under one name, for loops that are written once for all types. The product of two complex
// numbers is the plain one: std::complex's looks again where a part is NaN, which no processor's vectors do.
#pragma once

#include <complex>

#include "tilewright/view.hpp"

namespace tw::cpu {

/// The real type that a number's parts have; of a real number its own.
template <class T>
struct PartsOf {
    using Type = T;
};
template <class T>
struct PartsOf<std::complex<T>> {
    using Type = T;
};
template <class T>
using PartOf = typename PartsOf<T>::Type;

template <class T>
constexpr T times(T x, T y) noexcept {
    return x * y;
}
template <class T>
constexpr std::complex<T> times(std::complex<T> x, std::complex<T> y) noexcept {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

/// By alpha or beta. A real one scales each part, so that an Inf in one is no NaN in the other.
template <class T>
constexpr T scaled(T factor, T x) noexcept {
    return factor * x;
}
template <class T>
constexpr std::complex<T> scaled(std::complex<T> factor, std::complex<T> x) noexcept {
    return factor.imag() == 0 ? std::complex<T>(factor.real() * x.real(), factor.real() * x.imag()) : times(factor, x);
}

/// A scalar of the options as T.
template <class T>
constexpr T number(double re, double im) noexcept {
    if constexpr (is_complex(type_of<T>)) {
        using Part = typename T::value_type;
        return {static_cast<Part>(re), static_cast<Part>(im)};
    } else return static_cast<T>(re);
}

/// An element of an operand, conjugate where the view says so.
template <class T>
constexpr T read(const View<const T>& view, std::int64_t i, std::int64_t j) noexcept {
    const T x = view(i, j);
    if constexpr (is_complex(type_of<T>)) return view.is_conj ? T(x.real(), -x.imag()) : x;
    else return x;
}

/// sums += a * b, `step` numbers apart in b. By parts: a number that is stored as two and read as one has to wait.
template <class T>
void add_row(std::complex<T>* sums, std::complex<T> a, const std::complex<T>* b, std::int64_t step, bool is_conj,
             std::int64_t count) noexcept {
    T* const sum = reinterpret_cast<T*>(sums);
    const T* const number = reinterpret_cast<const T*>(b);
    const T re = a.real(), im = a.imag(), sign = is_conj ? T(-1) : T(1);
    for (std::int64_t j = 0; j < count; ++j) {
        const T x = number[2 * j * step], y = sign * number[2 * j * step + 1];
        sum[2 * j] += re * x - im * y;
        sum[2 * j + 1] += re * y + im * x;
    }
}

}  // namespace tw::cpu
