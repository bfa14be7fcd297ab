// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex numbers for kernels: a product of theirs is always the same four fused ones in the same order, and scalars
// are always taken in the same roundings, so that rows of one order give the same bits. Conjugates are signs of
// operands.
#pragma once

#include <complex>

#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {

/// As std::complex lies in memory, and aligned as it is: as one of its parts.
template <class T>
struct Complex {
    T re, im;
};

/// Elements of either kind as the host sees them.
template <class T>
struct OnHost {
    using Number = T;
};
template <class T>
struct OnHost<Complex<T>> {
    using Number = std::complex<T>;
};
template <class T>
using HostNumber = typename OnHost<T>::Number;

__device__ inline float rounded_product(float x, float y) { return __fmul_rn(x, y); }
__device__ inline double rounded_product(double x, double y) { return __dmul_rn(x, y); }

template <class T>
__device__ Complex<T> operator+(Complex<T> x, Complex<T> y) {
    return {x.re + y.re, x.im + y.im};
}

template <class T>
__device__ void add_product(T& sum, T x, T y) {
    sum += x * y;
}
template <class T>
__device__ void add_product(Complex<T>& sum, Complex<T> x, Complex<T> y) {
    sum.re = fma(x.re, y.re, sum.re), sum.im = fma(x.re, y.im, sum.im);
    sum.re = fma(-x.im, y.im, sum.re), sum.im = fma(x.im, y.re, sum.im);
}

/// A real factor scales each part by itself.
template <class T>
__device__ Complex<T> scaled(Complex<T> factor, Complex<T> x) {
    const Complex<T> by_real{rounded_product(factor.re, x.re), rounded_product(factor.re, x.im)};
    if (factor.im == 0) return by_real;
    return {fma(-factor.im, x.im, by_real.re), fma(factor.im, x.re, by_real.im)};
}
template <class T>
__device__ Complex<T> plus_scaled(Complex<T> sum, Complex<T> factor, Complex<T> x) {
    const Complex<T> by_real{fma(factor.re, x.re, sum.re), fma(factor.re, x.im, sum.im)};
    if (factor.im == 0) return by_real;
    return {fma(-factor.im, x.im, by_real.re), fma(factor.im, x.re, by_real.im)};
}

template <class T>
struct Product<Complex<T>> {
    Tensor<const Complex<T>> a, b;
    Tensor<Complex<T>> c;
    Complex<T> alpha, beta;
    T a_sign, b_sign;  ///< of imaginary parts: -1 where an operand is read as its conjugates

    static Product of(const Call& call);

    __device__ std::int64_t k() const { return a.layout.cols; }
    __device__ Complex<T> of_a(Complex<T> x) const { return {x.re, a_sign * x.im}; }
    __device__ Complex<T> of_b(Complex<T> x) const { return {x.re, b_sign * x.im}; }

    /// C is not read where beta is 0.
    __device__ bool reads_c() const { return beta.re != 0 || beta.im != 0; }
    __device__ void store(std::int64_t i, std::int64_t j, Complex<T> sum) const {
        if (i >= c.layout.rows || j >= c.layout.cols) return;
        Complex<T>& to = c(i, j);
        const Complex<T> product = scaled(alpha, sum);
        to = reads_c() ? plus_scaled(product, beta, to) : product;
    }
};

template <class T>
Product<Complex<T>> Product<Complex<T>>::of(const Call& call) {
    const auto part = [](double x) { return static_cast<T>(x); };
    const auto sign = [](const Matrix& operand) { return operand.is_conj ? T(-1) : T(1); };
    return {tensor_of<const Complex<T>>(call.a),
            tensor_of<const Complex<T>>(call.b),
            tensor_of<Complex<T>>(call.c),
            {part(call.alpha), part(call.alpha_imag)},
            {part(call.beta), part(call.beta_imag)},
            sign(call.a),
            sign(call.b)};
}

/// Of complex numbers gamma(2k + 4): 2k products summed one after the other, and two roundings each by alpha and beta.
template <class T>
double number_sum_bound(std::int64_t k) {
    constexpr Type part = part_of(type_of<HostNumber<T>>);
    if constexpr (part == type_of<HostNumber<T>>) return sequential_sum_bound<T>(k);
    else return gamma(static_cast<double>(2 * k) + 4, part == Type::f32 ? unit_f32 : unit_f64);
}

}  // namespace tw::cuda
